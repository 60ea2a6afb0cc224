//! The answer in one sentence, and durations as people say them.

use cotrace_trace::Resource;

use crate::{Cause, Forecast, JobForecast, Lost};

/// A slowdown below this is not worth naming.
const NOTABLE: f64 = 1.03;

/// The forecast in one or two sentences that a person would say.
pub fn headline(forecast: &Forecast) -> String {
    let together = format_duration(forecast.makespan_seconds);
    let saved = 1.0 - forecast.makespan_seconds / forecast.sequential_seconds;
    let compared = match saved {
        s if s >= 0.005 => format!("{:.0} % sooner than one after the other", s * 100.0),
        s if s <= -0.005 => format!("{:.0} % later than one after the other", -s * 100.0),
        _ => "no sooner than one after the other".to_owned(),
    };
    let worst = forecast.jobs.iter().max_by(|a, b| a.slowdown.total_cmp(&b.slowdown));
    let slowed = match worst {
        Some(job) if job.slowdown >= NOTABLE => {
            let [low, high] = job.slowdown_interval;
            let interval = if high > low { format!(" ({low:.2} to {high:.2})") } else { String::new() };
            let longest = job
                .limits
                .iter()
                .max_by(|a, b| (a.to_seconds - a.from_seconds).total_cmp(&(b.to_seconds - b.from_seconds)));
            let cause = longest.map_or_else(String::new, |limit| {
                format!(
                    ", short of {} from {} to {}",
                    resource_name(limit.resource),
                    format_clock(limit.from_seconds),
                    format_clock(limit.to_seconds)
                )
            });
            format!("{} is slowed most, {:.2}x{interval}{cause}.", job.name, job.slowdown)
        }
        _ => "Neither is slowed noticeably.".to_owned(),
    };
    format!("Together they finish in {together}, {compared}. {slowed}")
}

/// What a job loses time to, in a sentence; nothing if the model doesn't say, or it loses none.
pub fn losses(job: &JobForecast) -> Option<String> {
    let part = |lost: &Lost| {
        let to = match lost.cause {
            Cause::Cpu => "CPU that others use",
            Cause::Disk => "the disk",
            Cause::Network => "the network",
            Cause::Unseen => "what traces don't show",
            Cause::Measured => "what was measured of jobs like these beyond that",
        };
        format!("{} to {to}", format_duration(lost.seconds))
    };
    let parts: Vec<String> = job.lost.iter().filter(|lost| lost.seconds > 0.0).map(part).collect();
    (!parts.is_empty()).then(|| format!("{} loses {}.", job.name, parts.join(", ")))
}

fn resource_name(resource: Resource) -> &'static str {
    match resource {
        Resource::Cpu => "CPU",
        Resource::Memory => "memory",
        Resource::Disk => "disk",
        Resource::Network => "network",
    }
}

/// `4 min 10 s`, `17.3 s`, `2 h 5 min`: at most three significant digits below a minute.
pub fn format_duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "unknown".to_owned();
    }
    if seconds == 0.0 {
        return "0 s".to_owned();
    }
    if seconds < 0.0995 {
        return format!("{:.0} ms", seconds * 1000.0);
    }
    if seconds < 9.995 {
        return format!("{seconds:.2} s");
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    cotrace_trace::words::minutes(seconds)
}

/// `1:05`, `1:02:03`: a moment of the run.
fn format_clock(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_told_most_first_and_gains_are_none() {
        let lost = |cause, seconds| Lost { cause, seconds };
        let mut job = JobForecast {
            name: "a".to_owned(),
            offset_seconds: 0.0,
            solo_seconds: 10.0,
            finish_seconds: 14.0,
            slowdown: 1.4,
            slowdown_interval: [1.3, 1.5],
            limits: Vec::new(),
            lost: vec![lost(Cause::Cpu, 3.0), lost(Cause::Unseen, 1.5), lost(Cause::Measured, -0.5)],
        };
        let said = losses(&job).unwrap();
        assert_eq!(said, "a loses 3.00 s to CPU that others use, 1.50 s to what traces don't show.");
        job.lost.clear();
        assert_eq!(losses(&job), None);
    }

    #[test]
    fn durations_as_people_say_them() {
        let mut wrong = Vec::new();
        for (seconds, said) in [
            (0.0, "0 s"),
            (0.05, "50 ms"),
            (1.0, "1.00 s"),
            (17.31, "17.3 s"),
            (59.96, "1 min"),
            (250.0, "4 min 10 s"),
            (3599.6, "1 h"),
            (6098.0, "1 h 42 min"),
            (7200.0, "2 h"),
            (f64::NAN, "unknown"),
        ] {
            let is = format_duration(seconds);
            if is != said {
                wrong.push(format!("{seconds}: {is:?}, should be {said:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
