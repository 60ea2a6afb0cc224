use super::*;
use crate::Calibration;
use crate::testing::{Made, run, solo};

/// Two sittings, with everything that is shown.
fn full() -> Made {
    let mut made = Made::new(&["a", "b", "c", "d", "e", "a-large"], 2);
    for sitting in [0, 1] {
        for (index, job) in ["a", "b", "c", "d", "e", "a-large"].into_iter().enumerate() {
            for repeat in 0..3 {
                let seconds = 5.0 + index as f64 + 0.3 * f64::from(repeat) + f64::from(sitting);
                made.push(solo(job, seconds).repeat(repeat).in_sitting(sitting));
            }
        }
        made.push(run(&[("a", 8.0), ("b", 9.0)]).repeat(2 * sitting).in_sitting(sitting));
        made.push(run(&[("a", 8.5), ("b", 9.5)]).repeat(2 * sitting + 1).in_sitting(sitting));
    }
    made.push(run(&[("c", 9.0), ("c", 9.0)]));
    made.push(run(&[("a", 9.0), ("b", 9.0), ("c", 9.0)]));
    made.push(run(&[("a-large", 19.0), ("b", 9.0)]));
    made.push(solo("a", 9.0).cut("one-core"));
    made.push(run(&[("a", 19.0), ("a", 19.0)]).cut("one-core"));
    made.push(run(&[("d", 99.0), ("e", 99.0)]).disturbed());
    made.manifest.calibrations = (0..4)
        .map(|index| Calibration {
            sitting: index / 2,
            after_runs: 10 * (index % 2),
            file: format!("calibrations/{index}.csv"),
            started_at: String::new(),
            seconds: 9.0,
            part_seconds: [("cpu".to_owned(), 3.0 + f64::from(index)), ("disk".to_owned(), 2.0)].into(),
            foreign_cpu_ratio: 0.0,
            steal_ratio: 0.0,
        })
        .collect();
    made
}

fn report(made: &Made) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    made.write(folder.path());
    let data = DataSet::read(folder.path()).unwrap();
    let out = folder.path().join("report");
    let files = write(&data, &Splits::draw(&made.manifest, 1), &out).unwrap();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn the_same_data_gives_the_same_bytes() {
    let made = full();
    assert_eq!(report(&made), report(&made));
}

#[test]
fn the_page_shows_every_plot_and_every_plot_says_what_it_shows() {
    let files = report(&full());
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let wanted = [
        "report.md",
        "solos-1.svg",
        "slowdown-matrix.svg",
        "slowdown-distribution.svg",
        "noise-slowdowns.svg",
        "calibrations.svg",
        "sums.csv",
    ];
    assert_eq!(names, wanted);
    let page = &files[0].1;
    let words = [
        ("solos-1.svg", vec!["CPU, cores", "Memory, GB", "Disk, read + write, MB/s", "seconds", "a-large"]),
        ("slowdown-matrix.svg", vec!["Slowdown of the job of the row", "mean suffered", "1.43"]),
        ("slowdown-distribution.svg", vec!["three jobs or more (3)", "on the node cut to one-core (2)"]),
        ("noise-slowdowns.svg", vec!["measured first", "measured again", "of two sittings"]),
        ("calibrations.svg", vec!["% of the median", "disk"]),
    ];
    for (name, words) in words {
        let svg = &files.iter().find(|(other, _)| other == name).unwrap().1;
        assert!(page.contains(&format!("]({name})")), "{name} is not shown");
        assert!(svg.len() < 200_000, "{name} has {} bytes", svg.len());
        for word in words {
            assert!(svg.contains(word), "{name} doesn't say {word}");
        }
    }
    for line in [
        "| with a job of another input size | 4 | 3 | 7 |",
        "| of these: disturbed | 1 | 0 | 1 |",
        "| `a` | cpu | – | 6 | 5.8 | 10.4 | 17.2 |",
        "| median ratio to sitting 1 | 1.000 | 1.129 |",
        "| cpu | 3.50 | 14.3 | 5.50 | 9.1 |",
        "| `seen-pairs` |",
    ] {
        assert!(page.contains(line), "{line} is not in {page}");
    }
}

#[test]
fn a_set_with_little_in_it_has_a_report_too() {
    let mut one = Made::new(&["a"], 0);
    one.push(solo("a", 5.0));
    for made in [Made::new(&["a", "b"], 0), one] {
        let files = report(&made);
        assert!(files[0].1.contains("No co-run was measured more than once"), "{}", files[0].1);
    }
}

#[test]
fn plots_of_a_large_set_stay_small() {
    let names: Vec<String> = (0..25).map(|index| format!("job-number-{index:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut made = Made::new(&names, 4);
    for sitting in 0..4 {
        for (index, job) in names.iter().enumerate() {
            for repeat in 0..5_u32 {
                let seconds = 16.0 + (index % 3) as f64 + 0.2 * f64::from((repeat + sitting) % 5);
                made.push(solo(job, seconds).repeat(repeat).in_sitting(sitting));
            }
        }
    }
    for (index, a) in names.iter().enumerate() {
        for (other, b) in names.iter().enumerate().skip(index) {
            let seconds = 17.0 + ((index * 7 + other * 3) % 19) as f64;
            made.push(run(&[(a, seconds), (b, 40.0 - seconds)]));
            if other % 5 == 0 {
                for repeat in 1..5_u32 {
                    let more = 0.4 * f64::from(repeat);
                    let again = run(&[(a, seconds + more), (b, 40.0 - seconds - more)]);
                    made.push(again.repeat(repeat).in_sitting(repeat % 4));
                }
            }
        }
    }
    let files = report(&made);
    assert_eq!(files.len(), 1 + 5 + 3 + 1);
    for (name, content) in files {
        assert!(content.len() < 200_000, "{name} has {} bytes", content.len());
    }
}
