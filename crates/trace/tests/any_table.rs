//! Tables of any origin: what their columns are taken for, and the figures that come of it.

mod common;

use common::{fixture, fixtures};
use cotrace_trace::{
    Guess, Mapping, Metric, ReadError, ReadErrorKind, ReadOptions, Role, Trace, WarningKind, read,
};

fn open(name: &str) -> Trace {
    let wanted = format!("table/{name}");
    fixtures().into_iter().find(|fixture| fixture.name == wanted).unwrap().read_as_unknown()
}

fn plain(text: &str) -> Result<Trace, ReadError> {
    read("x.csv", text.as_bytes(), &ReadOptions::default())
}

fn mapped(text: &str, mapping: &str) -> Result<Trace, ReadError> {
    let mapping = Some(Mapping::parse(mapping).unwrap());
    read("x.csv", text.as_bytes(), &ReadOptions { mapping, ..ReadOptions::default() })
}

fn roles(guess: &Guess) -> Vec<String> {
    guess.columns.iter().map(|column| format!("{}={}", column.header, column.role)).collect()
}

#[test]
fn figures_are_those_of_the_files() {
    use Metric as M;
    const NAN: f64 = f64::NAN;
    const MIB: f64 = 1_048_576.0;
    let cases: &[(&str, Metric, usize, f64)] = &[
        ("semicolon.csv", M::CpuCores, 1, 1.75),
        ("semicolon.csv", M::MemoryBytes, 1, 1.75 * 1024.0 * MIB),
        ("semicolon.csv", M::DiskReadBytesPerSecond, 2, 21.0 * MIB),
        ("semicolon.csv", M::DiskWriteBytesPerSecond, 0, 0.25 * MIB),
        ("perfmon.csv", M::CpuCores, 0, NAN),
        ("perfmon.csv", M::CpuCores, 2, 1.505),
        ("perfmon.csv", M::DiskReadBytesPerSecond, 2, 2_097_152.0),
        ("perfmon.csv", M::DiskWriteBytesPerSecond, 3, 1_048_576.0),
        ("perfmon.csv", M::NetworkReceiveBytesPerSecond, 1, 1200.5),
        ("perfmon.csv", M::NetworkTransmitBytesPerSecond, 2, 650.0),
        ("perfmon.csv", M::ContextSwitchesPerSecond, 1, 5100.25),
        ("azure.csv", M::CpuCores, 1, 1.25),
        ("azure.csv", M::CpuCores, 3, NAN),
        ("azure.csv", M::DiskReadBytesPerSecond, 1, 240_000.0),
        ("gcp.csv", M::CpuCores, 2, 1.9375),
        ("untimed.tsv", M::CpuCores, 1, 1.2),
        ("untimed.tsv", M::MemoryBytes, 1, 510.0 * MIB),
        // 1600 and 16 kbit/s.
        ("untimed.tsv", M::NetworkReceiveBytesPerSecond, 1, 202_000.0),
        ("untimed.tsv", M::LoopbackBytesPerSecond, 0, 10_000.0),
        ("containers.csv", M::CpuCores, 1, 1.2),
        ("containers.csv", M::MemoryBytes, 0, 256.0 * MIB),
        ("containers.csv", M::NetworkReceiveBytesPerSecond, 2, 9000.0),
        ("letters.csv", M::CpuCores, 1, 0.25),
        ("letters.csv", M::DiskWriteBytesPerSecond, 2, 5e6),
        ("counters.csv", M::CpuUserCores, 1, 1.5),
        ("counters.csv", M::CpuSystemCores, 2, 0.5),
        ("counters.csv", M::CpuCores, 1, 1.75),
        ("counters.csv", M::CpuCores, 3, NAN),
        ("counters.csv", M::CpuIowaitCores, 1, 0.25),
        ("counters.csv", M::MemoryBytes, 1, 1_100_000.0),
        ("counters.csv", M::NetworkReceiveBytesPerSecond, 1, 1000.0),
        ("counters.csv", M::NetworkTransmitBytesPerSecond, 1, 100.0),
        ("counters.csv", M::ContextSwitchesPerSecond, 1, 2000.0),
        ("counters.csv", M::PowerWatts, 1, 20.0),
        // 16016 KiB.
        ("ps.csv", M::MemoryBytes, 0, 16_400_384.0),
        ("ps.csv", M::CpuCores, 0, 0.076),
        // 1818 MiB and 6055 MiB.
        ("free.csv", M::MemoryBytes, 0, 1_906_311_168.0),
        ("free.csv", M::PageCacheBytes, 0, 6_349_127_680.0),
        ("psutil.csv", M::CpuCores, 0, 2.0),
        ("psutil.csv", M::MemoryBytes, 1, 1_923_977_216.0),
        // (6651704320 - 6651458560) bytes in 1796075091.552 - 1796075090.967 s.
        ("psutil.csv", M::DiskReadBytesPerSecond, 1, 245_760.0 / 0.585),
        ("psutil.csv", M::DiskWriteBytesPerSecond, 1, 65_536.0 / 0.585),
        ("psutil.csv", M::NetworkReceiveBytesPerSecond, 1, 0.0),
    ];
    let mut wrong = Vec::new();
    for (file, metric, row, wanted) in cases {
        let trace = open(file);
        let found = trace.node(*metric).and_then(|values| values.get(*row)).copied();
        let same = found.is_some_and(|found| {
            (found.is_nan() && wanted.is_nan()) || (found - wanted).abs() <= wanted.abs() * 1e-9 + 1e-12
        });
        if !same {
            wrong.push(format!("{file}: {} in row {row} is {found:?}, not {wanted}", metric.name()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn times_are_those_of_the_files() {
    let cases: &[(&str, &[f64], Option<f64>)] = &[
        ("semicolon.csv", &[1.0, 2.0, 3.0, 4.0], None),
        // 2026-03-14 11:59:58.12, a median step of 1 s before it; its zone isn't known.
        ("perfmon.csv", &[1.0, 2.0, 3.001, 4.0], Some(1_773_489_597.12)),
        ("azure.csv", &[60.0, 120.0, 180.0, 240.0, 300.0], Some(1_773_482_220.0)),
        // 10:00 at one hour ahead of UTC.
        ("gcp.csv", &[60.0, 120.0, 180.0, 240.0], Some(1_773_478_740.0)),
        ("untimed.tsv", &[5.0, 10.0, 15.0], None),
        ("containers.csv", &[10.0, 20.0, 30.0], None),
        ("letters.csv", &[0.5, 1.0, 1.5], None),
        ("counters.csv", &[2.0, 4.0, 6.0, 8.0], None),
    ];
    for (file, times, start) in cases {
        let trace = open(file);
        assert_eq!((trace.time_seconds.as_slice(), trace.start_unix_seconds), (*times, *start), "{file}");
    }
    assert_eq!(open("ps.csv").start_unix_seconds, Some(1_796_075_090.0));
}

#[test]
fn what_was_guessed_is_said() {
    for fixture in fixtures().iter().filter(|fixture| fixture.format == "table") {
        let trace = fixture.read_as_unknown();
        let guess = trace.guess.expect("a guess");
        let warnings: Vec<_> =
            trace.warnings.iter().filter(|warning| warning.kind == WarningKind::Guessed).collect();
        let is_stated = fixture.options.mapping.is_some();
        assert_eq!(warnings.len(), usize::from(!is_stated), "{}: {warnings:?}", fixture.name);
        // Stated back, it is the same trace, and nothing is a guess any more.
        let options = ReadOptions { mapping: Some(guess.mapping()), ..fixture.options.clone() };
        let again = read("unknown", &fixture.bytes, &options).unwrap();
        assert_eq!(again.columns.keys().collect::<Vec<_>>(), trace.columns.keys().collect::<Vec<_>>());
        assert!(
            again.warnings.iter().all(|warning| warning.kind != WarningKind::Guessed),
            "{}",
            fixture.name
        );
        let again = again.guess.unwrap();
        assert!(again.columns.iter().all(|column| column.reason == "as stated"), "{}", fixture.name);
        assert_eq!((again.mapping(), again.header_key()), (guess.mapping(), guess.header_key()));
        assert_eq!(Mapping::parse(&guess.mapping().to_string()), Ok(guess.mapping()), "{}", fixture.name);
    }
    let trace = plain("t,cpu,note\n0,50,a\n1,25,b\n").unwrap();
    let warning = trace.warnings.iter().find(|warning| warning.kind == WarningKind::Guessed).unwrap();
    assert_eq!(
        warning.to_string(),
        "The columns' meanings were guessed: t → time (s), cpu → CPU in % of the node. Check them, and say what is \
         wrong."
    );
    let guess = trace.guess.unwrap();
    assert_eq!(guess.columns[1].examples, ["50", "25"]);
    assert_eq!(guess.columns[2].role, Role::Ignored);
}

#[test]
fn columns_are_guessed_by_names_and_values() {
    let cases: &[(&str, &[&str])] = &[
        ("t,cpu\n0,0.5\n1,0.25\n", &["t=time:s", "cpu=cpu_cores:share of the node"]),
        ("t,cpu\n0,50\n1,120\n", &["t=time:s", "cpu=cpu_cores:% of a core"]),
        ("t,cpu (cores)\n0,1\n1,2\n", &["t=time:s", "cpu (cores)=cpu_cores:cores"]),
        (
            "ts,cpu_m,idle\n1714521660000,5,90\n1714521661000,6,80\n",
            &["ts=time:ms", "cpu_m=cpu_cores:% of the node", "idle=cpu_cores:% of the node idle"],
        ),
        // A unit that nobody says: bytes if they can be, or nothing.
        ("t,cpu,mem\n0,1,512\n1,2,600\n", &["t=time:s", "cpu=cpu_cores:% of the node", "mem=ignored"]),
        ("t,mem\n0,5000000\n1,6000000\n", &["t=time:s", "mem=memory_bytes:bytes"]),
        // Of two columns for one thing, one; of devices, all; of a disk and its partition, the disk.
        (
            "t,cpu_max %,cpu_avg %\n0,9,5\n1,9,5\n",
            &["t=time:s", "cpu_max %=ignored", "cpu_avg %=cpu_cores:% of the node"],
        ),
        (
            "t,sda read kB/s,sda1 read kB/s,sdb read kB/s\n0,9,5,1\n1,9,5,1\n",
            &[
                "t=time:s",
                "sda read kB/s=disk_read_bytes_per_second:KiB/s",
                "sda1 read kB/s=ignored",
                "sdb read kB/s=disk_read_bytes_per_second:KiB/s",
            ],
        ),
        // The first column that rises is the time; a row's number isn't.
        ("x,cpu\n0.5,1\n1,2\n1.5,3\n", &["x=time:s", "cpu=cpu_cores:% of the node"]),
        (",cpu\n0,1\n1,2\n2,3\n", &["column 1=ignored", "cpu=cpu_cores:% of the node"]),
        ("a,cpu\n13:00,1\n13:01,2\n13:02,3\n", &["a=time:clock", "cpu=cpu_cores:% of the node"]),
        (
            "day,time,cpu\n01.05.2024,00:00:01,1\n01.05.2024,00:00:02,1\n",
            &["day=time:date", "time=time:clock", "cpu=cpu_cores:% of the node"],
        ),
        (
            "time,elapsed,cpu\n10:00:00,0,1\n10:00:01,1,1\n",
            &["time=time:clock", "elapsed=ignored", "cpu=cpu_cores:% of the node"],
        ),
        // Twice the same name; one without.
        (
            "t,cpu %,cpu %,\n0,1,2,\n1,1,2,\n",
            &["t=time:s", "cpu %=cpu_cores:% of the node", "cpu % (3)=ignored"],
        ),
        (
            "t,cpu,buffers kB,cached kB,gpu %\n0,1,2,3,4\n1,2,3,4,5\n",
            &[
                "t=time:s",
                "cpu=cpu_cores:% of the node",
                "buffers kB=page_cache_bytes:KiB",
                "cached kB=page_cache_bytes:KiB",
                "gpu %=ignored",
            ],
        ),
    ];
    let mut wrong = Vec::new();
    for (text, wanted) in cases {
        match plain(text) {
            Ok(trace) => {
                let found = roles(&trace.guess.unwrap());
                if found != *wanted {
                    wrong.push(format!("{text:?}: {found:?}"));
                }
            }
            Err(error) => wrong.push(format!("{text:?}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn odd_texts_are_read() {
    let cpu = |text: &str| plain(text).map(|trace| trace.node(Metric::CpuCores).unwrap_or_default().to_vec());
    let two = vec![1.0, 0.5];
    let cases = [
        ("repeated header", "t,cpu %\n1,50\nt,cpu %\n2,25\n"),
        ("remarks", "# hello\nt,cpu %\n1,50\n# half time\n2,25\n"),
        ("percent signs", "t,cpu\n1,50%\n2,25 %\n"),
        ("decimal commas", "t;cpu %\n1;50,0\n2;25,0\n"),
        ("quoted decimal commas", "t,cpu %\n1,\"50,00\"\n2,\"25,00\"\n"),
        ("a table in Markdown", "| t | cpu % |\n| --- | --- |\n| 1 | 50 |\n| 2 | 25 |\n"),
        ("a line without a time", "t,cpu %\n1,50\n,7\n2,25\n"),
        ("cut off", "t,cpu %,x\n1,50,0\n2,25,0\n3,2"),
        ("midnight", "time,cpu %\n23:59:59,50\n00:00:00,25\n"),
    ];
    for (what, text) in cases {
        assert_eq!(cpu(text).unwrap_or_else(|error| panic!("{what}: {error}")), two, "{what}");
    }
    let unknown = cpu("t,cpu %\n1,50\n2,n/a\n3,\n").unwrap();
    assert!(unknown[0] == 1.0 && unknown[1].is_nan() && unknown[2].is_nan(), "{unknown:?}");
    let memory = plain("t,mem (kB)\n1,\"1,000\"\n2,\"1,234,567\"\n").unwrap();
    assert_eq!(memory.node(Metric::MemoryBytes), Some(&[1_024_000.0, 1_264_196_608.0][..]));
    // Tabs leave both meanings to the comma: three digits after it are thousands.
    let memory = plain("t\tmem (kB)\n1\t1,000\n2\t1,234,567\n").unwrap();
    assert_eq!(memory.node(Metric::MemoryBytes), Some(&[1_024_000.0, 1_264_196_608.0][..]));
    assert_eq!(cpu("t\tcpu %\n1\t50,00\n2\t25,00\n").unwrap(), two);
    let warned = |text: &str| plain(text).unwrap().warnings.iter().map(|w| w.kind).collect::<Vec<_>>();
    let garbled = "t,cpu %,x\n1,50,0\n2,25,0\nKilled\n3,25,0\n4,25,0\n5,25,0\n";
    assert_eq!(cpu(garbled).unwrap(), [1.0, 0.5, 0.5, 0.5, 0.5]);
    assert!(warned(garbled).contains(&WarningKind::RowsLeftOut));
    assert!(warned("t,cpu %,x\n1,50,0\n2,25,0\n3,2").contains(&WarningKind::CutOff));
}

#[test]
fn memory_follows_from_what_the_node_has() {
    let text = "t,cpu (cores),mem %,mem_available_mb\n1,1,25,750\n2,1,50,500\n";
    let mut options = ReadOptions::default();
    options.capacity.memory_bytes = Some(1000.0 * 1_048_576.0);
    let memory = |text: &str| {
        read("x", text.as_bytes(), &options).unwrap().node(Metric::MemoryBytes).map(<[f64]>::to_vec)
    };
    let wanted = Some(vec![250.0 * 1_048_576.0, 500.0 * 1_048_576.0]);
    assert_eq!(memory(text), wanted);
    assert_eq!(memory("t,cpu (cores),mem %\n1,1,25\n2,1,50\n"), wanted);
    let unknown = plain(text).unwrap();
    assert_eq!(unknown.node(Metric::MemoryBytes), None);
    assert!(unknown.warnings.iter().any(|warning| warning.kind == WarningKind::MemoryUnknown));
    let total = plain("t,mem_total_mb,mem_available_mb\n1,1000,750\n2,1000,500\n").unwrap();
    assert_eq!(total.node(Metric::MemoryBytes).map(<[f64]>::to_vec), wanted);
    assert_eq!(total.capacity.memory_bytes, Some(1000.0 * 1_048_576.0));
}

#[test]
fn a_person_has_the_last_word() {
    let text = "t,a,cpu\n1,100,5\n2,300,6\n";
    // A metric that is stated isn't guessed as well.
    let trace = mapped(text, "a=cpu_cores:millicores").unwrap();
    assert_eq!(trace.node(Metric::CpuCores), Some(&[0.1, 0.3][..]));
    assert_eq!(roles(trace.guess.as_ref().unwrap())[2], "cpu=ignored");
    // Several of one metric are added up, in whatever units.
    let text = "t,x,y\n1,1,8\n2,2,16\n";
    let both = "x=network_receive_bytes_per_second:kB/s\ny=network_receive_bytes_per_second:kbit/s";
    let trace = mapped(text, both).unwrap();
    assert_eq!(trace.node(Metric::NetworkReceiveBytesPerSecond), Some(&[2000.0, 4000.0][..]));
    // Names of devices make no difference then.
    let text = "t,sda,sda1\n1,1,8\n2,2,16\n";
    let both = "sda=disk_read_bytes_per_second:bytes/s\nsda1=disk_read_bytes_per_second:bytes/s";
    let trace = mapped(text, both).unwrap();
    assert_eq!(trace.node(Metric::DiskReadBytesPerSecond), Some(&[9.0, 18.0][..]));
    // A unit left open is guessed.
    let trace = mapped("x,y\n1000,50\n2000,25\n", "x=time:ms\ny=cpu_cores").unwrap();
    assert_eq!(trace.time_seconds, [1.0, 2.0]);
    assert_eq!(roles(trace.guess.as_ref().unwrap())[1], "y=cpu_cores:% of the node");
}

#[test]
fn errors_say_what_to_state() {
    use ReadErrorKind as K;
    let text = "t,cpu,b\n1,50,3\n2,25,4\n";
    let columns = ["t", "cpu", "b"];
    let unit = || Mapping {
        columns: vec![(
            "cpu".to_owned(),
            Role::Metric { metric: Metric::CpuCores, unit: "horses".to_owned() },
        )],
    };
    let with_unit =
        read("x.csv", text.as_bytes(), &ReadOptions { mapping: Some(unit()), ..ReadOptions::default() });
    let cases = [
        (mapped(text, "gone=time"), K::BadHeader, "no such column, saw \"gone\". Its columns are t, cpu, b."),
        (
            with_unit,
            K::BadHeader,
            "no unit of what the column is stated to be, saw \"cpu_cores:horses\". Choose one of \"cores\"",
        ),
        (
            mapped(text, "cpu=ignored"),
            K::BadHeader,
            "Its columns are t, cpu, b. Say what they are, for example b=cpu_cores:% of the node.",
        ),
        (
            mapped(text, "t=time:s\nb=time:s"),
            K::BadHeader,
            "column b: more than one column is stated to be the time",
        ),
        (
            mapped(text, "cpu=cpu_cores:cores\nb=cpu_cores:% of the node"),
            K::BadHeader,
            "column b: CPU can't be added up from \"cores\" and \"% of the node\"",
        ),
        (
            mapped("t,cpu\n1,x\n2,y\n3,4\n", "cpu=cpu_cores:cores"),
            K::BadNumber,
            "line 2, column cpu: expected a number, saw \"x\"",
        ),
        (
            mapped("t,cpu\nx,1\n2,3\n", "t=time:s"),
            K::BadTime,
            "line 2, column t: expected a number (s), saw \"x\"",
        ),
        (plain("a,b\n1,2\n"), K::BadHeader, "no column says by its name that it is a metric"),
    ];
    for (result, kind, part) in cases {
        let error = result.expect_err(part);
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
    assert_eq!(mapped(text, "gone=time").unwrap_err().choices, columns);
    let error = plain("when,what\n1,2\n2,3\n").unwrap_err();
    let guess = error.guess.as_ref().expect("a guess to start from");
    assert_eq!(
        guess.columns.iter().map(|column| column.header.as_str()).collect::<Vec<_>>(),
        ["when", "what"]
    );
    assert_eq!(serde_json::to_value(&error).unwrap()["guess"]["columns"][1]["header"], "what");
}

#[test]
fn several_things_in_one_table_must_be_told_apart() {
    let bytes = fixture("table/containers.csv");
    let of = |subject: Option<&str>| {
        let subject = subject.map(str::to_owned);
        read("x.csv", &bytes, &ReadOptions { subject, ..ReadOptions::default() })
    };
    let error = of(None).unwrap_err();
    assert_eq!(
        (error.kind, error.choices),
        (ReadErrorKind::Several, vec!["db".to_owned(), "web".to_owned()])
    );
    let error = of(Some("app")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "x.csv, column container: 2 of container in one file, and none is called so, saw \"app\". Say which one."
    );
    assert_eq!(of(Some("db")).unwrap().node(Metric::CpuCores), Some(&[0.5, 0.25, 0.75][..]));
}

#[test]
fn cells_may_have_units() {
    let text = "time,cpu,mem,rx\n10:00:00,12 %,45MiB,1 kB/s\n10:00:01,13 %,\"1,000.5 MB\",0.5 MB/s\n10:00:02,14%,1.2GB,0 B/s\n";
    let trace = plain(text).unwrap();
    let mib = 1_048_576.0;
    assert_eq!(trace.node(Metric::MemoryBytes).unwrap(), [45.0 * mib, 1000.5e6, 1.2e9]);
    assert_eq!(trace.node(Metric::NetworkReceiveBytesPerSecond).unwrap(), [1e3, 0.5e6, 0.0]);
    // A unit that is stated doesn't count twice.
    let stated = mapped(text, "mem=memory_bytes:MiB\nrx=network_receive_bytes_per_second:Mbit/s").unwrap();
    assert_eq!(stated.node(Metric::MemoryBytes).unwrap(), trace.node(Metric::MemoryBytes).unwrap());
    assert_eq!(stated.node(Metric::NetworkReceiveBytesPerSecond).unwrap()[0], 1e3);
}

#[test]
fn blanks_may_be_between_cells() {
    let cases = [
        "time cpu_percent mem_mb\n1 12.5 100\n2 13.5 101\n3 14.5 102\n",
        "  time   cpu_percent   mem_mb\n    1          12.5      100\n    2          13.5      101\n    3  14.5  102\n",
        "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n  1.000  12.5  100  200\n  2.000  13.5  101  200\n 3.000 14.5 102 200\n",
        "time cpu_percent mem_mb\n2024-05-01 10:00:01 12.5 100\n2024-05-01 10:00:02 13.5 101\n2024-05-01 10:00:03 14.5 102\n",
        "date time cpu_percent mem_mb\n2024-05-01 10:00:01 12.5 100\n2024-05-01 10:00:02 13.5 101\ndate time cpu_percent mem_mb\n2024-05-01 10:00:03 14.5 102\n",
    ];
    for text in cases {
        let trace = plain(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let steps: Vec<f64> = trace.time_seconds.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(steps, [1.0, 1.0], "{text}");
        let memory: Vec<f64> =
            trace.node(Metric::MemoryBytes).unwrap().iter().map(|bytes| bytes / 1_048_576.0).collect();
        assert_eq!(memory, [100.0, 101.0, 102.0], "{text}");
        // psrecord's is that of a process; else two cores are assumed.
        let cpu = if text.contains("Real") { 0.125 } else { 0.25 };
        assert_eq!(trace.node(Metric::CpuCores).unwrap()[0], cpu, "{text}");
        assert!(!trace.warnings.iter().any(|warning| warning.kind == WarningKind::RowsLeftOut), "{text}");
    }
    let free = "               total        used        free      shared  buff/cache   available\n\
        Mem:         8000000     2000000     1000000      100000     5000000     5800000\n\
        Swap:        2000000           0     2000000\n\n";
    let trace =
        plain(&format!("{free}{free}{}", free.replace("2000000     1000000", "2100000     900000"))).unwrap();
    assert_eq!(trace.node(Metric::MemoryBytes).unwrap()[1..], [2_000_000.0 * 1024.0, 2_100_000.0 * 1024.0]);
    assert_eq!(trace.capacity.memory_bytes, Some(8_000_000.0 * 1024.0));
    let ps = "  PID %CPU   RSS COMMAND\n 1234 12.5 20000 python a.py\n 1234 13.5 20100 python a.py -v\n";
    assert_eq!(plain(ps).unwrap().node(Metric::MemoryBytes).unwrap()[1], 20_100.0 * 1024.0);
}

#[test]
fn other_dates_of_a_file_show_whether_the_day_is_first() {
    let table =
        |a: &str, b: &str| format!("date,cpu_percent\n{a} 23:59:59,1\n{b} 00:00:01,2\n{b} 00:00:03,2\n");
    for (a, b) in [
        ("03/05/2024", "04/05/2024"),
        ("12/05/2024", "13/05/2024"),
        ("05/03/2024", "05/04/2024"),
        ("31-05-2024", "01-06-2024"),
    ] {
        let trace = plain(&table(a, b)).unwrap();
        let times = &trace.time_seconds;
        assert_eq!([times[1] - times[0], times[2] - times[1]], [2.0, 2.0], "{a}");
    }
}

#[test]
fn what_is_no_figure_of_a_machine_is_said() {
    let cases = [
        (
            "timestamp, name, index, utilization.gpu [%], memory.used [MiB], power.draw [W]\n\
             2024/05/01 10:00:00.123, NVIDIA A100, 0, 45 %, 1234 MiB, 55.10 W\n\
             2024/05/01 10:00:01.123, NVIDIA A100, 0, 46 %, 1234 MiB, 55.10 W\n",
            "x.csv: its figures are those of a GPU, of which Cotrace knows nothing",
        ),
        (
            "timeStamp,elapsed,label,responseCode,threadName,success,bytes,sentBytes,grpThreads,allThreads,IdleTime\n\
             1714521600000,120,Home,200,TG 1-1,true,1234,123,1,1,0\n\
             1714521600500,130,Home,200,TG 1-1,true,1234,123,1,1,0\n",
            "x.csv: its figures are those of requests in a load test, not of a machine",
        ),
        (
            "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,Total Request Count,Total Average Content Size\n\
             1714521600,1,,Aggregated,0.0,0.0,N/A,0,0\n1714521601,1,,Aggregated,1.0,0.0,N/A,0,0\n",
            "x.csv: its figures are those of requests in a load test, not of a machine",
        ),
    ];
    for (text, wanted) in cases {
        let error = plain(text).expect_err(text).to_string();
        assert!(error.starts_with(wanted), "{error}");
    }
}

#[test]
fn columns_of_long_tables_are_seen_to_their_ends() {
    use std::fmt::Write;
    let mut text = "time,cpu_percent,note\n".to_owned();
    for second in 0..5000 {
        let (hour, minute) = (second / 3600, second / 60 % 60);
        let cpu = if second == 4321 { 250 } else { second % 90 };
        writeln!(text, "2024-05-01 {hour:02}:{minute:02}:{:02},{cpu},x", second % 60).unwrap();
    }
    let trace = plain(&text).unwrap();
    // One value above 100 % makes it a percentage of a core.
    assert_eq!(trace.node(Metric::CpuCores).unwrap()[4321], 2.5);
    assert_eq!(trace.time_seconds.len(), 5000);
}

#[test]
fn a_small_percentage_beside_others_is_no_share() {
    let text = "time,usr,sys,wai,idl\n\
                1,30,10,0.5,59.5\n2,40,10,0.25,49.75\n3,35,12,0.75,52.25\n4,36,12,0.5,51.5\n";
    let trace = read("x", text.as_bytes(), &ReadOptions::with_cores(4.0)).unwrap();
    assert_eq!(trace.node(Metric::CpuIowaitCores).unwrap()[..2], [0.02, 0.01]);
    assert_eq!(trace.node(Metric::CpuUserCores).unwrap()[0], 1.2);
    // Alone, the same figures are shares.
    let text = "time,usr,sys,wai\n1,0.3,0.1,0.05\n2,0.4,0.1,0.25\n3,0.35,0.12,0.75\n4,0.36,0.12,0.5\n";
    let trace = read("x", text.as_bytes(), &ReadOptions::with_cores(4.0)).unwrap();
    assert_eq!(trace.node(Metric::CpuIowaitCores).unwrap()[0], 0.2);
}
