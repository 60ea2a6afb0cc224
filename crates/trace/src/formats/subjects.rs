//! Which container, pod, process or instance of a file is meant.

use std::collections::BTreeSet;

use crate::{ReadError, ReadErrorKind};

/// The one of `names` that `wanted` says, or the only one. `what` is what they are, in the plural. A name with
/// slashes, such as `namespace/pod`, may be said by what comes after a slash, if that is enough. `None`: there are
/// no names at all.
///
/// # Errors
/// [`ReadErrorKind::Several`] if nobody said which, or said one that isn't there.
pub(crate) fn choose<'a>(
    file: &str,
    what: &str,
    names: &BTreeSet<&'a str>,
    wanted: Option<&str>,
) -> Result<Option<&'a str>, ReadError> {
    let Some(&first) = names.first() else { return Ok(None) };
    let count = format!("{} {what} in one file", names.len());
    let error = match wanted {
        None if names.len() == 1 => return Ok(Some(first)),
        None => ReadError::new(ReadErrorKind::Several, file, count).hinting("Say which one."),
        Some(wanted) => {
            if let Some(name) = names.get(wanted) {
                return Ok(Some(name));
            }
            let mut ending =
                names.iter().filter(|name| name.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/')));
            match (ending.next(), ending.next()) {
                (Some(name), None) => return Ok(Some(name)),
                (Some(_), Some(_)) => {
                    ReadError::new(ReadErrorKind::Several, file, format!("{count} that end so"))
                        .seeing(wanted)
                        .hinting("Say which one, with all that is before the slash.")
                }
                _ => {
                    let problem = format!("none of the {what} in it is called so");
                    ReadError::new(ReadErrorKind::Several, file, problem)
                        .seeing(wanted)
                        .hinting("Say which one.")
                }
            }
        }
    };
    Err(ReadError { choices: names.iter().map(|name| (*name).to_owned()).collect(), ..error })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names, the one said, and what comes of it.
    type Case<'a> = (&'a [&'a str], Option<&'a str>, Result<Option<&'a str>, &'a str>);

    #[test]
    fn one_is_chosen_or_all_are_named() {
        let cases: &[Case] = &[
            (&[], None, Ok(None)),
            (&["web"], None, Ok(Some("web"))),
            (&["web"], Some("web"), Ok(Some("web"))),
            (&["web"], Some("db"), Err("x: none of the pods in it is called so, saw \"db\". Say which one.")),
            (&["web", "db"], None, Err("x: 2 pods in one file. Say which one.")),
            (&["web", "db"], Some("db"), Ok(Some("db"))),
            (&["a/web", "a/db"], Some("db"), Ok(Some("a/db"))),
            (
                &["a/web", "b/web"],
                Some("web"),
                Err(
                    "x: 2 pods in one file that end so, saw \"web\". Say which one, with all that is before the slash.",
                ),
            ),
            (
                &["a/web", "b/web"],
                Some("eb"),
                Err("x: none of the pods in it is called so, saw \"eb\". Say which one."),
            ),
        ];
        for (names, wanted, result) in cases {
            let names: BTreeSet<&str> = names.iter().copied().collect();
            let chosen = choose("x", "pods", &names, *wanted);
            if let Err(error) = &chosen {
                assert_eq!(error.kind, ReadErrorKind::Several);
                assert!(error.choices.iter().eq(names.iter()), "{:?}", error.choices);
            }
            assert_eq!(chosen.map_err(|error| error.to_string()), result.map_err(str::to_owned), "{names:?}");
        }
    }
}
