//! The canonical trace: what is written is read again, to the last digit.

mod common;

use common::{Numbers, difference, fixture, fixtures};
use cotrace_trace::canonical::{read_csv, read_json, write_csv, write_json};
use cotrace_trace::{Capacity, Column, JobSpan, Metric, ReadErrorKind, ReadOptions, Resource, Trace, read};

fn csv(trace: &Trace) -> Vec<u8> {
    let mut out = Vec::new();
    write_csv(trace, &mut out).unwrap();
    out
}

fn json(trace: &Trace) -> Vec<u8> {
    let mut out = Vec::new();
    write_json(trace, &mut out).unwrap();
    out
}

/// A trace with awkward names, gaps and numbers.
fn awkward(seed: u64) -> Trace {
    let mut numbers = Numbers(seed);
    let rows = 1 + (numbers.next() * 30.0) as usize;
    let mut time = 0.0;
    let time_seconds: Vec<f64> = (0..rows)
        .map(|_| {
            time += 0.01 + numbers.next();
            time
        })
        .collect();
    let mut trace = Trace { name: "a name".into(), time_seconds, ..Trace::default() };
    trace.capacity =
        Capacity { cores: Some(2.5), memory_bytes: Some(numbers.next() * 1e12), ..Capacity::default() };
    let names = ["sort", "näh maschine", "a,b\"c", "50%", "tab\there", "x.cpu_cores", "k=v", "\u{3000}wide"];
    for (i, name) in names.iter().enumerate() {
        let start_seconds = (i % 2 == 0).then(|| numbers.next());
        let end_seconds = (i % 3 == 0).then(|| 1.0 + numbers.next());
        trace.jobs.push(JobSpan { name: (*name).into(), start_seconds, end_seconds });
        let values =
            (0..rows).map(|_| if numbers.next() < 0.2 { f64::NAN } else { numbers.next() }).collect();
        trace.columns.insert(Column::job(name, Metric::CpuCores), values);
    }
    let numbers: Vec<f64> =
        (0..rows).map(|row| [0.1 + 0.2, 1e-300, -0.0, 1e22, 123_456_789.123][row % 5]).collect();
    trace.columns.insert(Column::node(Metric::MemoryBytes), numbers);
    trace
}

#[test]
fn writing_what_was_read_changes_no_byte() {
    let mut traces: Vec<(String, Trace)> =
        (0..50).map(|seed| (format!("awkward {seed}"), awkward(seed))).collect();
    for fixture in fixtures() {
        traces.push((fixture.name.clone(), fixture.read_as_unknown()));
    }
    for (what, trace) in traces {
        let once = csv(&trace);
        let again = read_csv("x.csv", &once).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(difference(&trace, &again), None, "{what}, CSV");
        assert_eq!(String::from_utf8(csv(&again)), String::from_utf8(once), "{what}, CSV");

        let once = json(&trace);
        let again = read_json("x.json", &once).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(difference(&trace, &again), None, "{what}, JSON");
        assert_eq!(again.name, trace.name, "{what}");
        assert_eq!(String::from_utf8(json(&again)), String::from_utf8(once), "{what}, JSON");
    }
}

#[test]
fn canonical_files_are_written_as_they_were() {
    for name in ["solo.csv", "corun.csv"] {
        let bytes = fixture(&format!("cotrace-csv/{name}"));
        assert_eq!(
            String::from_utf8(csv(&read_csv(name, &bytes).unwrap())),
            String::from_utf8(bytes),
            "{name}"
        );
    }
    let bytes = fixture("cotrace-json/solo.json");
    assert_eq!(String::from_utf8(json(&read_json("solo.json", &bytes).unwrap())), String::from_utf8(bytes));
}

#[test]
fn a_file_says_all_this() {
    let trace = read_csv("runs/solo.csv", &fixture("cotrace-csv/solo.csv")).unwrap();
    assert_eq!(trace.name, "sort big");
    assert_eq!(trace.format, "cotrace-csv");
    assert_eq!(trace.capacity.memory_bytes, Some(25_195_884_544.0));
    assert_eq!(trace.capacity.network_bytes_per_second, None);
    let job = JobSpan { name: "sort big".into(), start_seconds: Some(0.2), end_seconds: Some(9.75) };
    assert_eq!(trace.jobs, [job]);
    assert_eq!(trace.duration_seconds(), 9.75);
    assert_eq!(trace.node(Metric::CpuCores).unwrap()[1], 1.25);
    assert!(trace.node(Metric::CpuIowaitCores).unwrap()[4].is_nan());
    assert!(trace.node(Metric::NetworkReceiveBytesPerSecond).unwrap().iter().all(|value| value.is_nan()));
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);

    let corun = read_csv("corun.csv", &fixture("cotrace-csv/corun.csv")).unwrap();
    assert_eq!(corun.name, "corun");
    assert_eq!(corun.jobs.len(), 2);
    assert_eq!(corun.job("scan,2", Metric::CpuCores).unwrap(), [0.5; 6]);
    assert!(corun.cores_assumed());
    assert_eq!(corun.warnings.len(), 1);
}

#[test]
fn an_assumed_number_of_cores_can_be_stated() {
    let bytes = fixture("cotrace-csv/corun.csv");
    let trace = read("corun.csv", &bytes, &ReadOptions::with_cores(8.0)).unwrap();
    assert_eq!(trace.capacity.cores, Some(8.0));
    assert_eq!(trace.node(Metric::CpuCores).unwrap()[0], 1.5 * 4.0);
    assert_eq!(trace.job("scan,2", Metric::CpuCores).unwrap()[0], 2.0);
    assert!(trace.assumed.is_empty() && trace.warnings.is_empty());

    // What is no number of cores is not taken, and what a file says stays.
    let mut trace = read_csv("corun.csv", &bytes).unwrap();
    for cores in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(!trace.state_cores(cores), "{cores}");
    }
    assert!(trace.assumed.contains(&Resource::Cpu));
    let options = ReadOptions {
        capacity: Capacity { network_bytes_per_second: Some(1e9), ..ReadOptions::with_cores(8.0).capacity },
        ..ReadOptions::default()
    };
    let trace = read("solo.csv", &fixture("cotrace-csv/solo.csv"), &options).unwrap();
    assert_eq!(trace.capacity.cores, Some(2.0));
    assert_eq!(trace.capacity.network_bytes_per_second, Some(1e9));
    assert_eq!(trace.node(Metric::CpuCores).unwrap()[1], 1.25);
}

#[test]
fn broken_files_are_named() {
    use ReadErrorKind as K;
    let cases: &[(&str, K, &str)] = &[
        (
            "# cotrace-trace 2\ntime_seconds,cpu_cores\n1,1\n",
            K::NewerVersion,
            "x, line 1: the trace is of version 2, this Cotrace reads version 1. Use a newer Cotrace.",
        ),
        (
            "# cotrace-trace one\ntime_seconds,cpu_cores\n1,1\n",
            K::BadHeader,
            "x, line 1: the version of the trace must be 1, saw \"# cotrace-trace one\"",
        ),
        (
            "# cotrace-trace 1\n# node cores=two\ntime_seconds,cpu_cores\n1,1\n",
            K::BadNumber,
            "x, line 2, column cores: expected a number that it can be, saw \"two\". Leave it out if it isn't known.",
        ),
        (
            "# cotrace-trace 1\n# node cores=0\ntime_seconds,cpu_cores\n1,1\n",
            K::BadNumber,
            "x, line 2, column cores: expected a number that it can be, saw \"0\". Leave it out if it isn't known.",
        ),
        (
            "# cotrace-trace 1\n# job name=a b\ntime_seconds,cpu_cores\n1,1\n",
            K::BadHeader,
            "x, line 2: expected key=value, saw \"b\". A space in a name is written %20.",
        ),
        (
            "# cotrace-trace 1\n# job name=a%2\ntime_seconds,cpu_cores\n1,1\n",
            K::BadHeader,
            "x, line 2: broken %-escape, saw \"a%2\"",
        ),
        (
            "# cotrace-trace 1\n# job start_seconds=1\ntime_seconds,cpu_cores\n1,1\n",
            K::BadHeader,
            "x, line 2: the job has no name, saw \"# job start_seconds=1\"",
        ),
        (
            "# cotrace-trace 1\n# assumed gpu\ntime_seconds,cpu_cores\n1,1\n",
            K::BadHeader,
            "x, line 2: expected cpu, memory, disk, network or step, saw \"gpu\"",
        ),
        ("# cotrace-trace 1\n", K::BadHeader, "x: no header line with the columns' names"),
        (
            "# cotrace-trace 1\ncpu_cores,time_seconds\n1,1\n",
            K::BadHeader,
            "x, line 2: the first column must be time_seconds, saw \"cpu_cores\"",
        ),
        (
            "# cotrace-trace 1\ntime_seconds;cpu_cores\n1;1\n",
            K::BadHeader,
            "x, line 2: the first column must be time_seconds, saw \"time_seconds;cpu_cores\". Put commas between cells and points in numbers.",
        ),
        (
            "# cotrace-trace 1\ntime_seconds,cpu\n1,1\n",
            K::BadHeader,
            "x, line 2: no column holds a metric that Cotrace knows, saw \"time_seconds,cpu\". The names carry units, for example cpu_cores and memory_bytes.",
        ),
        (
            "# cotrace-trace 1\ntime_seconds,cpu_cores,cpu_cores\n1,1,1\n",
            K::BadHeader,
            "x, line 2: two columns have the same name, saw \"cpu_cores\"",
        ),
        ("time_seconds,cpu_cores\n", K::NoRows, "x: no rows below the header"),
        (
            "time_seconds,cpu_cores\n1,0.5\n2,abc\n3,1\n",
            K::BadNumber,
            "x, line 3, column cpu_cores: expected a number, saw \"abc\". Leave the cell empty if the value isn't known.",
        ),
        (
            "time_seconds,cpu_cores\n1,inf\n",
            K::BadNumber,
            "x, line 2, column cpu_cores: expected a number, saw \"inf\". Such a value can't be; leave the cell empty if it isn't known.",
        ),
        (
            "time_seconds,cpu_cores\n1,\"0,5\"\n",
            K::BadNumber,
            "x, line 2, column cpu_cores: expected a number, saw \"0,5\". Use a point for decimals.",
        ),
        (
            "time_seconds,cpu_cores\n1,0,5\n2,0,5\n",
            K::RaggedRow,
            "x, line 2: 3 cells, but the header has 2, saw \"1,0,5\". Use a point for decimals and commas between cells only.",
        ),
        (
            "time_seconds,cpu_cores\n1\n2,1\n",
            K::RaggedRow,
            "x, line 2: 1 cells, but the header has 2, saw \"1\". Complete the line or remove it.",
        ),
        (
            "time_seconds,cpu_cores\n-1,1\n",
            K::BadTime,
            "x, line 2, column time_seconds: expected seconds from the run's start, saw \"-1\"",
        ),
        (
            "time_seconds,cpu_cores\n,1\n",
            K::BadTime,
            "x, line 2, column time_seconds: expected seconds from the run's start",
        ),
        (
            "# a\n\ntime_seconds,cpu_cores\n# b\n9,1\n1,1\n2,1\n3,1\n4,1\n5,1\n",
            K::BadTime,
            "x, line 6, column time_seconds: time runs backwards, saw \"1\". If the file holds several runs, cut it there and read each for itself.",
        ),
    ];
    for (text, kind, message) in cases {
        match read_csv("x", text.as_bytes()) {
            Ok(_) => panic!("{text:?} was read"),
            Err(error) => assert_eq!((error.to_string().as_str(), error.kind), (*message, *kind), "{text:?}"),
        }
    }
}

#[test]
fn broken_json_is_named() {
    use ReadErrorKind as K;
    let cases: &[(&str, K, &str)] = &[
        ("{\"cotrace_trace\":2}", K::NewerVersion, "version 2"),
        ("{\"cotrace_trace\":0}", K::BadHeader, "must be 1"),
        ("{\"cotrace_trace\":1", K::BadJson, "line 1"),
        ("{\"cotrace_trace\":1}", K::BadJson, "time_seconds"),
        (
            "{\"cotrace_trace\":1,\"time_seconds\":[1],\"columns\":{\"cpu_cores\":[1,2]}}",
            K::RaggedRow,
            "column cpu_cores: 2 values for 1 times",
        ),
        (
            "{\"cotrace_trace\":1,\"time_seconds\":[1],\"columns\":{\"cpu_cores\":[\"1\"]}}",
            K::BadJson,
            "string",
        ),
        (
            "{\"cotrace_trace\":1,\"time_seconds\":[1],\"columns\":{\"cpu_cores\":[1e40]}}",
            K::BadNumber,
            "entry 0",
        ),
        (
            "{\"cotrace_trace\":1,\"time_seconds\":[-1],\"columns\":{\"cpu_cores\":[1]}}",
            K::BadTime,
            "entry 0",
        ),
        ("{\"cotrace_trace\":1,\"time_seconds\":[],\"columns\":{\"cpu_cores\":[]}}", K::NoRows, "no times"),
        ("{\"cotrace_trace\":1,\"time_seconds\":[1],\"columns\":{\"cpu\":[1]}}", K::BadHeader, "no column"),
        (
            "{\"cotrace_trace\":1,\"node\":{\"cores\":-1},\"time_seconds\":[1],\"columns\":{\"cpu_cores\":[1]}}",
            K::BadNumber,
            "that it can be",
        ),
        (
            "{\"cotrace_trace\":1,\"jobs\":[{\"name\":\"\"}],\"time_seconds\":[1],\"columns\":{\"cpu_cores\":[1]}}",
            K::BadHeader,
            "no name",
        ),
        (
            "{\"cotrace_trace\":1,\"time_seconds\":[9,1,2,3,4,5],\"columns\":{\"cpu_cores\":[1,1,1,1,1,1]}}",
            K::BadTime,
            "backwards",
        ),
    ];
    for (text, kind, part) in cases {
        match read_json("x", text.as_bytes()) {
            Ok(_) => panic!("{text:?} was read"),
            Err(error) => {
                assert_eq!(error.kind, *kind, "{text}: {error}");
                assert!(error.to_string().contains(part), "{text}: {error}");
            }
        }
    }
}

#[test]
fn what_a_person_wrote_by_hand_is_read() {
    let cases = [
        ("no mark, spaces", "time_seconds, cpu_cores\n 1, 0.5\n 2, 1\n", 0),
        ("comments and blank lines", "\n# mine\ntime_seconds,cpu_cores\n\n1,0.5\n# here\n2,1\n\n", 0),
        ("a comma at the end of lines", "time_seconds,cpu_cores,\n1,0.5,\n2,1,\n", 0),
        ("unknown column", "time_seconds,cpu_cores,mood\n1,0.5,good\n2,1,bad\n", 1),
        ("unknown node key", "# cotrace-trace 1\n# node gpus=2\ntime_seconds,cpu_cores\n1,0.5\n2,1\n", 1),
        ("cut in the last row", "time_seconds,cpu_cores\n1,0.5\n2,1\n3", 1),
        ("a row twice", "time_seconds,cpu_cores\n1,0.5\n1,0.5\n2,1\n", 1),
        ("a clock that was set back", "time_seconds,cpu_cores\n1,0.5\n0.5,0.5\n2,1\n", 1),
        ("quoted", "\"time_seconds\",\"cpu_cores\"\n\"1\",\"0.5\"\n\"2\",\"1\"\n", 0),
        ("old line ends", "time_seconds,cpu_cores\r1,0.5\r2,1\r", 0),
    ];
    for (what, text, warnings) in cases {
        let trace =
            read("x.csv", text.as_bytes(), &ReadOptions::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(trace.time_seconds, [1.0, 2.0], "{what}");
        assert_eq!(trace.node(Metric::CpuCores), Some(&[0.5, 1.0][..]), "{what}");
        assert_eq!(trace.warnings.len(), warnings, "{what}: {:?}", trace.warnings);
    }
}

#[test]
fn what_could_not_be_read_is_not_written() {
    let good = || common::trace_of(&[1.0, 2.0], Metric::CpuCores, &[1.0, 2.0]);
    let job =
        |name: &str, start: f64| JobSpan { name: name.into(), start_seconds: Some(start), end_seconds: None };
    let cases = [
        (
            "a value that can't be",
            Trace { columns: [(Column::node(Metric::CpuCores), vec![1.0, 1e31])].into(), ..good() },
        ),
        (
            "a capacity that can't be",
            Trace { capacity: Capacity { cores: Some(0.0), ..Capacity::default() }, ..good() },
        ),
        ("short column", Trace { time_seconds: vec![1.0, 2.0, 3.0], ..good() }),
        ("falling", Trace { time_seconds: vec![2.0, 1.0], ..good() }),
        ("not a time", Trace { time_seconds: vec![1.0, f64::NAN], ..good() }),
        ("nameless job", Trace { jobs: vec![job("", 0.0)], ..good() }),
        ("a start that is none", Trace { jobs: vec![job("a", f64::NAN)], ..good() }),
        (
            "nameless column",
            Trace { columns: [(Column::job("", Metric::CpuCores), vec![1.0, 2.0])].into(), ..good() },
        ),
    ];
    assert!(write_csv(&good(), Vec::new()).is_ok());
    for (what, trace) in cases {
        for result in [write_csv(&trace, Vec::new()), write_json(&trace, Vec::new())] {
            assert_eq!(result.unwrap_err().kind(), std::io::ErrorKind::InvalidInput, "{what}");
        }
    }
}
