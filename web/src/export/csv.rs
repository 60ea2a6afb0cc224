//! A forecast as a table: a row for each step and metric.

use std::fmt::Write as _;

use cotrace_forecast::Forecast;

/// The table. Values are in the metric's unit; what a metric lacks is empty.
pub fn table(forecast: &Forecast) -> String {
    let mut out = String::from("time_seconds,metric,unit,total,lower,upper,naive_sum,capacity,background");
    for job in &forecast.jobs {
        let _ = write!(out, ",{}", quoted(&job.name));
    }
    out.push('\n');
    for (metric, series) in &forecast.metrics {
        for (k, start) in forecast.time_seconds.iter().enumerate() {
            let at = |values: &[f64]| values.get(k).copied().map(number).unwrap_or_default();
            let _ = write!(
                out,
                "{},{},{},{},{},{},{},{},{}",
                number(*start),
                metric.name(),
                quoted(&series.unit),
                at(&series.total),
                at(&series.lower),
                at(&series.upper),
                at(&series.naive_sum),
                series.capacity.map(number).unwrap_or_default(),
                number(series.background),
            );
            for job in &forecast.jobs {
                let own = series.jobs.iter().find(|own| own.name == job.name);
                let _ = write!(out, ",{}", own.map(|own| at(&own.contribution)).unwrap_or_default());
            }
            out.push('\n');
        }
    }
    out
}

/// Six significant digits, written out.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = (5 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::forecast;

    #[test]
    fn a_row_for_each_step_and_metric() {
        let mut forecast = forecast();
        forecast.jobs[1].name = "B, \"slow\"".into();
        let table = table(&forecast);
        let rows: Vec<&str> = table.lines().collect();
        assert_eq!(rows.len(), 1 + 4 * 5);
        assert!(rows[0].ends_with(",background,A,\"B, \"\"slow\"\"\""), "{}", rows[0]);
        assert_eq!(rows[1], "0,cpu_cores,cores,1.5,1.35,1.65,1.8,2,0,1,");
        let disk = rows.iter().find(|row| row.contains("disk_read")).unwrap();
        assert_eq!(
            *disk,
            "0,disk_read_bytes_per_second,bytes/s,50000000,45000000,55000000,60000000,,0,20000000,"
        );
    }

    #[test]
    fn numbers_keep_six_digits() {
        let cases = [
            (0.0, "0"),
            (1.5, "1.5"),
            (1_234_567.8, "1234568"),
            (0.000_123_456_78, "0.000123457"),
            (f64::NAN, ""),
        ];
        for (value, wanted) in cases {
            assert_eq!(number(value), wanted);
        }
    }
}
