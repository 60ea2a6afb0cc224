//! The answer in one sentence, and durations as people say them.

use cotrace_trace::Resource;

use crate::Forecast;

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
