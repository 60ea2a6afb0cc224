//! What fuzzing checks, whatever the bytes: they are read or refused in words, and what is read is sound.
//!
//! `cargo xtask fuzz` builds and runs the targets in `fuzz_targets`.

use cotrace_trace::{Format, ReadError, ReadErrorKind, ReadOptions, Trace, canonical, check, read, read_as};

#[path = "../../tests/common/mod.rs"]
mod common;

const NAME: &str = "fuzz.csv";

/// Reads bytes as the format that a target is called after.
pub fn read_as_named(target: &str, bytes: &[u8]) {
    let format = Format::from_name(&target.replace('_', "-")).expect("a target is called as a format");
    examine(|options| read_as(format, NAME, bytes, options));
}

/// Reads bytes without being told what they are.
pub fn sniff(bytes: &[u8]) -> Option<Trace> {
    examine(|options| read(NAME, bytes, options))
}

/// What is written and read again is the same, and so is what is written then.
pub fn round_trip(bytes: &[u8]) {
    let Some(trace) = sniff(bytes) else { return };
    let mut csv = Vec::new();
    canonical::write_csv(&trace, &mut csv).expect("what was read can be written");
    let again = canonical::read_csv(NAME, &csv).expect("what was written can be read");
    assert_eq!(common::difference(&trace, &again), None, "as CSV");
    let mut csv_again = Vec::new();
    canonical::write_csv(&again, &mut csv_again).expect("and written again");
    assert!(csv == csv_again, "CSV is written the same again");

    let mut json = Vec::new();
    canonical::write_json(&trace, &mut json).expect("what was read can be written");
    let again = canonical::read_json(NAME, &json).expect("what was written can be read");
    assert_eq!(common::difference(&trace, &again), None, "as JSON");
    let mut json_again = Vec::new();
    canonical::write_json(&again, &mut json_again).expect("and written again");
    assert!(json == json_again, "JSON is written the same again");
}

/// Grids of odd steps, parts of the trace, and the health of them all.
pub fn grid_and_health(bytes: &[u8]) {
    let Some(trace) = sniff(bytes) else { return };
    let (step, end) = (trace.step_seconds(), trace.duration_seconds());
    // A grid of a million steps, which is the most there can be, is right too, but takes its time.
    let coarse = end / 10_000.0;
    for step in [(step * 0.3).max(coarse), step.max(coarse), 1.0_f64.max(coarse), 1e12] {
        let grid = trace.regrid(step);
        assert!(grid.step_seconds > 0.0 && grid.step_seconds.is_finite(), "{}", grid.step_seconds);
        assert!(grid.values.values().all(|values| values.len() == grid.steps));
        assert!(grid.values.values().flatten().all(|value| !value.is_infinite()));
    }
    for (from, to) in
        [(0.0, end), (end / 3.0, end / 2.0), (end, 0.0), (step / 2.0, f64::INFINITY), (-1.0, step)]
    {
        let part = trace.crop(from, to);
        assert!(part.time_seconds.windows(2).all(|pair| pair[0] < pair[1]), "{from}..{to}");
        assert!(part.columns.values().all(|values| values.len() == part.time_seconds.len()), "{from}..{to}");
        part.regrid(part.model_step_seconds(1024));
        check(&part);
    }
}

fn examine(read: impl Fn(&ReadOptions) -> Result<Trace, ReadError>) -> Option<Trace> {
    let mut options = ReadOptions { max_bytes: 4 << 20, ..ReadOptions::default() };
    let mut result = read(&options);
    if let Err(error) = &result
        && error.kind == ReadErrorKind::Several
    {
        sound_error(error);
        assert!(error.choices.is_sorted(), "{:?}", error.choices);
        options.subject = Some(error.choices.first().expect("there is a choice").clone());
        result = read(&options);
        let kind = result.as_ref().err().map(|error| error.kind);
        assert_ne!(kind, Some(ReadErrorKind::Several), "{:?} was offered", options.subject);
    }
    match result {
        Ok(trace) => {
            common::assert_sound(&trace, "what was read");
            Some(trace)
        }
        Err(error) => {
            sound_error(&error);
            None
        }
    }
}

fn sound_error(error: &ReadError) {
    let text = error.to_string();
    assert!(text.starts_with(NAME) && text.len() > NAME.len() + 2, "{text}");
    assert!(!text.contains(|c: char| c.is_control()), "{text:?}");
    assert!(text.len() < 20_000, "an error of {} bytes", text.len());
}
