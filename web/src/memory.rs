//! What a person said about the columns of tables, kept in the browser for the next table with the same header: the
//! names of its columns and what they are, never what is in them.

use cotrace_trace::{Guess, Mapping};
use gloo::storage::{LocalStorage, Storage};

/// Where it is kept.
const KEY: &str = "cotrace-columns";

/// The most headers that are kept; the oldest go.
const MOST: usize = 40;

/// Headers by their keys, the newest first, and what their columns are.
type Headers = Vec<(String, Mapping)>;

/// What was said for a table with the header of `guess`.
pub fn recall(guess: &Guess) -> Option<Mapping> {
    let key = guess.header_key();
    stored().into_iter().find(|(header, _)| *header == key).map(|(_, mapping)| mapping)
}

/// Keeps what was said. A browser that keeps nothing only forgets it.
pub fn remember(guess: &Guess, mapping: &Mapping) {
    drop(LocalStorage::set(KEY, with(stored(), guess.header_key(), mapping.clone())));
}

/// Forgets what was said for a table with the header of `guess`.
pub fn forget(guess: &Guess) {
    let rest = without(stored(), &guess.header_key());
    if rest.is_empty() {
        LocalStorage::delete(KEY);
    } else {
        drop(LocalStorage::set(KEY, rest));
    }
}

/// Nothing, if what is kept was written by something else.
fn stored() -> Headers {
    LocalStorage::get(KEY).unwrap_or_default()
}

fn with(headers: Headers, key: String, mapping: Mapping) -> Headers {
    let mut headers = without(headers, &key);
    headers.insert(0, (key, mapping));
    headers.truncate(MOST);
    headers
}

fn without(mut headers: Headers, key: &str) -> Headers {
    headers.retain(|(header, _)| header != key);
    headers
}

#[cfg(test)]
mod tests {
    use cotrace_trace::Role;

    use super::*;

    fn mapping(name: &str) -> Mapping {
        Mapping { columns: vec![(name.to_owned(), Role::Ignored)] }
    }

    #[test]
    fn the_newest_headers_are_kept_each_once() {
        let mut headers = Headers::new();
        for index in 0..MOST + 5 {
            headers = with(headers, format!("header {index}"), mapping("a"));
        }
        headers = with(headers, "header 30".to_owned(), mapping("b"));
        assert_eq!(headers.len(), MOST);
        assert_eq!(headers[0], ("header 30".to_owned(), mapping("b")));
        assert_eq!(headers.iter().filter(|(key, _)| key == "header 30").count(), 1);
        assert!(!headers.iter().any(|(key, _)| key == "header 0"), "the oldest are gone");
        assert!(without(headers, "header 30").iter().all(|(key, _)| key != "header 30"));
    }

    #[test]
    fn what_is_kept_reads_back() {
        let headers = with(Headers::new(), "a,b".to_owned(), mapping("a"));
        let text = serde_json::to_string(&headers).unwrap();
        assert_eq!(serde_json::from_str::<Headers>(&text).unwrap(), headers);
    }
}
