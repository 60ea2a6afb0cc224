//! The first line of sysstat's tools, `Linux 6.1.0 (node)  2024-05-01  _x86_64_  (8 CPU)`, and what they have in
//! common besides.

use super::clock::{self, Stamp};
use super::{local_times, sar_text};
use crate::record::Recorder;

/// What the first line says.
pub(crate) struct Banner<'a> {
    /// The number of CPUs. Old tools don't say it.
    pub(crate) cores: Option<f64>,
    /// The date, in the words of the locale.
    pub(crate) date: &'a str,
}

impl<'a> Banner<'a> {
    /// `None`: the line is no such line.
    pub(crate) fn of(line: &'a str) -> Option<Banner<'a>> {
        let system = line.split_ascii_whitespace().next()?;
        if !matches!(system, "Linux" | "SunOS" | "FreeBSD") || !line.contains('(') {
            return None;
        }
        let after_host = line.split_once(')')?.1;
        // With blanks in it in some languages; then comes the processor's type, after a tab.
        let date = after_host.trim_start().split(['\t', '_']).next().unwrap_or_default().trim_end();
        let in_brackets =
            after_host.rsplit_once('(').and_then(|(_, rest)| rest.split_ascii_whitespace().next());
        Some(Banner { cores: in_brackets.and_then(|cores| cores.parse().ok()), date })
    }

    /// Tells the recorder the cores and the date of the clock times to come.
    pub(crate) fn tell(&self, recorder: &mut Recorder) {
        if let Some(cores) = self.cores {
            recorder.cores(cores);
        }
        if let Some(days) = clock::date(self.date).or_else(|| sar_text::date_of(self.date, false)) {
            recorder.date(days);
        }
    }
}

/// The time that a report of iostat begins with. The date that comes with it is left to the first line, unless the
/// order of day and month is beyond doubt: a recorder knows midnight.
pub(crate) fn report_time(text: &str) -> Option<Stamp> {
    let Some(stamp) = clock::stamp(text) else {
        return clock::stamp(&local_times::plain_line(text)?);
    };
    let date = text.split(['T', ' ']).next().filter(|date| !date.contains(':')).unwrap_or_default();
    let is_iso = date.as_bytes().get(4).is_some_and(|byte| *byte == b'-');
    if !stamp.dated || date.is_empty() || is_iso || date.contains('.') {
        return Some(stamp);
    }
    clock::stamp(text.get(date.len()..)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_taken_apart() {
        let cases = [
            ("Linux 6.1.0-9 (node) \t11/30/26 \t_x86_64_\t(2 CPU)", Some((Some(2.0), "11/30/26"))),
            ("Linux 6.1.0-9 (node) \t2026-11-30 \t_x86_64_\t(64 CPU)", Some((Some(64.0), "2026-11-30"))),
            ("Linux 2.6.18-194.el5 (node) \t05/11/2012", Some((None, "05/11/2012"))),
            ("Linux 5.4.0 (node) \t30.11.2026 \t_aarch64_\t(4 CPU)", Some((Some(4.0), "30.11.2026"))),
            ("Linux", None),
            ("avg-cpu:  %user (2 CPU)", None),
            ("", None),
        ];
        for (line, wanted) in cases {
            let found = Banner::of(line).map(|banner| (banner.cores, banner.date));
            assert_eq!(found, wanted, "{line}");
        }
    }

    #[test]
    fn times_of_reports() {
        let clock = |seconds| Some(Stamp { seconds, dated: false });
        let cases = [
            ("11/30/2026 09:19:04 PM", clock(76744.0)),
            ("05/11/26 21:19:04", clock(76744.0)),
            ("1970-01-02T00:00:01+0000", Some(Stamp { seconds: 86401.0, dated: true })),
            ("02.01.1970 00:00:01", Some(Stamp { seconds: 86401.0, dated: true })),
            ("09:19:04 PM", clock(76744.0)),
            ("avg-cpu:  %user", None),
            ("", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(report_time(text), wanted, "{text}");
        }
    }
}
