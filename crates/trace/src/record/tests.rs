//! What the recorder makes of what readers say.

use super::{Recorder, Signal, Unit};
use crate::formats::clock::Stamp;
use crate::{Capacity, Metric, ReadErrorKind, ReadOptions, Trace, WarningKind};

const HOUR: f64 = 3600.0;

fn clock(seconds: f64) -> Stamp {
    Stamp { seconds, dated: false }
}

/// What a recorder makes that was told something. The text is as long as need be.
fn recorded(options: &ReadOptions, tell: impl FnOnce(&mut Recorder)) -> Result<Trace, crate::ReadError> {
    let mut recorder = Recorder::new("file", "", options);
    tell(&mut recorder);
    recorder.finish()
}

fn with_cores(tell: impl FnOnce(&mut Recorder)) -> Trace {
    recorded(&ReadOptions::with_cores(2.0), tell).unwrap()
}

fn known(trace: &Trace, metric: Metric) -> Vec<Option<f64>> {
    let values = trace.node(metric).unwrap_or_else(|| panic!("no {}", metric.name()));
    values.iter().map(|value| (!value.is_nan()).then_some(*value)).collect()
}

#[test]
fn clocks_go_over_midnight_and_over_the_file_again() {
    let trace = with_cores(|recorder| {
        let busy = recorder.field(Signal::Busy, "busy", Unit::CORES);
        let disk = recorder.field(Signal::DiskRead, "read", Unit::BYTES_PER_SECOND);
        for (seconds, value) in [(24.0 * HOUR - 1.0, 1.0), (0.0, 2.0), (1.0, 3.0)] {
            assert!(recorder.sample(1, clock(seconds), ""));
            recorder.put(busy, value);
        }
        recorder.pass();
        // A row more than the first time.
        for (seconds, value) in [(24.0 * HOUR - 1.0, 10.0), (0.0, 20.0), (1.0, 30.0), (2.0, 40.0)] {
            assert!(recorder.sample(1, clock(seconds), ""));
            recorder.put(disk, value);
        }
    });
    assert_eq!(trace.time_seconds, [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(known(&trace, Metric::CpuCores), [Some(1.0), Some(2.0), Some(3.0), None]);
    assert_eq!(
        known(&trace, Metric::DiskReadBytesPerSecond),
        [Some(10.0), Some(20.0), Some(30.0), Some(40.0)]
    );
    assert!(trace.warnings.is_empty() && trace.start_unix_seconds.is_none());
}

#[test]
fn a_second_pass_may_know_earlier_times() {
    let trace = with_cores(|recorder| {
        let busy = recorder.field(Signal::Busy, "busy", Unit::CORES);
        let sent = recorder.counter(Signal::NetworkTransmit, "sent", Unit::KIB);
        for seconds in [10.0, 20.0] {
            recorder.sample(1, clock(seconds), "");
            recorder.put(busy, seconds);
        }
        recorder.pass();
        for seconds in [5.0, 15.0, 20.0] {
            recorder.sample(1, clock(seconds), "");
            recorder.put(sent, seconds);
        }
    });
    assert_eq!(trace.time_seconds, [5.0, 10.0, 15.0, 20.0]);
    assert_eq!(known(&trace, Metric::CpuCores), [None, Some(10.0), None, Some(20.0)]);
    let sent = known(&trace, Metric::NetworkTransmitBytesPerSecond);
    assert_eq!(sent, [None, None, Some(1024.0), Some(1024.0)]);
}

#[test]
fn a_clock_that_goes_back_costs_rows_or_the_file() {
    let tell = |backwards: u32| {
        move |recorder: &mut Recorder| {
            let busy = recorder.field(Signal::Busy, "busy", Unit::CORES);
            for seconds in (100..110).chain(90..90 + backwards).chain(110..115) {
                recorder.sample(7, clock(f64::from(seconds)), "then");
                recorder.put(busy, 1.0);
            }
        }
    };
    let trace = with_cores(tell(3));
    assert_eq!(trace.time_seconds.len(), 15);
    assert_eq!(trace.warnings.len(), 1);
    assert_eq!((trace.warnings[0].kind, trace.warnings[0].line), (WarningKind::ClockBack, Some(7)));
    let error = recorded(&ReadOptions::default(), tell(4)).unwrap_err();
    assert_eq!((error.kind, error.line), (ReadErrorKind::BadTime, Some(7)));
}

#[test]
fn counters_become_rates_and_start_anew() {
    let trace = with_cores(|recorder| {
        let read = recorder.counter(Signal::DiskRead, "read", Unit::BYTES);
        // Two disks; the second comes later, the first starts anew, one value isn't known.
        let first = [100.0, 300.0, 50.0, 250.0, f64::NAN, 650.0];
        for (row, value) in (0..).zip(first) {
            recorder.sample(1, clock(f64::from(row) * 2.0), "");
            recorder.put_of(read, "sda", value);
            if row >= 2 {
                recorder.put_of(read, "sdb", 1000.0 * f64::from(row));
            }
        }
    });
    let read = known(&trace, Metric::DiskReadBytesPerSecond);
    assert_eq!(read, [None, Some(100.0), None, Some(600.0), None, Some(600.0)]);
    assert_eq!(trace.warnings.len(), 1);
    assert_eq!(trace.warnings[0].kind, WarningKind::CounterReset);
}

#[test]
fn devices_are_added_up_once() {
    let trace = with_cores(|recorder| {
        let read = recorder.field(Signal::DiskRead, "rkB/s", Unit::KIB_PER_SECOND);
        let received = recorder.field(Signal::NetworkReceive, "rxkB/s", Unit::KB_PER_SECOND);
        for row in 1..=3 {
            recorder.sample(1, clock(f64::from(row)), "");
            for (device, value) in [("sda", 1.0), ("sda1", 1.0), ("dm-0", 1.0), ("sdb", 2.0)] {
                // A device that isn't there adds nothing; a value that isn't known makes the sum unknown.
                match (row, device) {
                    (2, "sdb") => {}
                    (3, "sdb") => recorder.put_of(read, device, f64::NAN),
                    _ => recorder.put_of(read, device, value),
                }
            }
            for (device, value) in [("lo", 5.0), ("eth0", 7.0), ("docker0", 7.0)] {
                recorder.put_of(received, device, value);
            }
        }
    });
    assert_eq!(known(&trace, Metric::DiskReadBytesPerSecond), [Some(3072.0), Some(1024.0), None]);
    assert_eq!(known(&trace, Metric::NetworkReceiveBytesPerSecond), [Some(7000.0); 3]);
    assert_eq!(known(&trace, Metric::LoopbackBytesPerSecond), [Some(5000.0); 3]);
    let source = &trace.provenance[&crate::Column::node(Metric::DiskReadBytesPerSecond)];
    assert_eq!(source, "rkB/s (KiB/s) of sda, sdb, without sda1, dm-0");
}

#[test]
fn devices_go_before_totals() {
    let trace = with_cores(|recorder| {
        let total = recorder.field(Signal::DiskRead, "bread/s", Unit::SECTORS_PER_SECOND);
        let read = recorder.field(Signal::DiskRead, "rkB/s", Unit::KIB_PER_SECOND);
        for row in 1..=2 {
            recorder.sample(1, clock(f64::from(row)), "");
            recorder.put(total, 100.0);
            recorder.put_of(read, "sda", 2.0);
        }
    });
    assert_eq!(known(&trace, Metric::DiskReadBytesPerSecond), [Some(2048.0); 2]);
}

#[test]
fn a_file_without_times_is_taken_for_one_a_second() {
    let tell = |recorder: &mut Recorder| {
        let busy = recorder.field(Signal::Busy, "busy", Unit::CORES);
        for row in 0..5 {
            if row == 2 {
                recorder.skip_step();
                continue;
            }
            recorder.step(1);
            recorder.put(busy, f64::from(row));
        }
    };
    let mut trace = with_cores(tell);
    assert_eq!(trace.time_seconds, [1.0, 2.0, 4.0, 5.0]);
    assert!(trace.step_assumed && trace.start_unix_seconds.is_none());
    assert_eq!(trace.warnings[0].kind, WarningKind::StepAssumed);
    assert!(trace.state_step(5.0) && !trace.state_step(7.0));
    let options = ReadOptions { step_seconds: Some(5.0), ..ReadOptions::with_cores(2.0) };
    let at_once = recorded(&options, tell).unwrap();
    assert_eq!(trace.time_seconds, [5.0, 10.0, 20.0, 25.0]);
    assert_eq!((&trace.time_seconds, &trace.warnings), (&at_once.time_seconds, &at_once.warnings));
}

#[test]
fn cores_may_change() {
    let trace = recorded(&ReadOptions::default(), |recorder| {
        let user = recorder.field(Signal::User, "%user", Unit::PERCENT_OF_NODE);
        recorder.cores(4.0);
        for row in 1..=4 {
            if row == 3 {
                recorder.cores(8.0);
            }
            recorder.sample(1, clock(f64::from(row)), "");
            recorder.put(user, 50.0);
        }
        // Another pass says the same again.
        recorder.pass();
        recorder.cores(4.0);
        recorder.sample(1, clock(1.0), "");
        recorder.cores(8.0);
    })
    .unwrap();
    assert_eq!(known(&trace, Metric::CpuCores), [Some(2.0), Some(2.0), Some(4.0), Some(4.0)]);
    assert_eq!(trace.capacity.cores, Some(8.0));
    assert_eq!(trace.warnings.iter().filter(|w| w.kind == WarningKind::CoresChanged).count(), 1);
    assert!(trace.assumed.is_empty());
}

#[test]
fn all_but_idle_is_busy() {
    let trace = recorded(&ReadOptions::default(), |recorder| {
        let idle = recorder.counter(Signal::Idle, "idle", Unit::CORES);
        recorder.cores(2.0);
        for row in 0..3 {
            recorder.sample(1, clock(f64::from(row)), "");
            for (device, rate) in [("0", 0.25), ("1", 1.0)] {
                recorder.put_of(idle, device, 1000.0 + f64::from(row) * rate);
            }
        }
    })
    .unwrap();
    assert_eq!(known(&trace, Metric::CpuCores), [None, Some(0.75), Some(0.75)]);
}

#[test]
fn memory_is_what_programs_hold() {
    type Case<'a> = (&'a str, &'a [(Signal, f64)], Option<f64>, Option<f64>);
    let gib = 1024.0 * 1024.0 * 1024.0;
    let cases: &[Case] = &[
        ("said", &[(Signal::MemoryUsedWithoutCache, 3.0)], Some(3.0), None),
        (
            "all but free and cache",
            &[
                (Signal::MemoryTotal, 8.0),
                (Signal::MemoryFree, 2.0),
                (Signal::Cached, 2.0),
                (Signal::Buffers, 1.0),
            ],
            Some(3.0),
            Some(8.0),
        ),
        (
            "all but available",
            &[(Signal::MemoryTotal, 8.0), (Signal::MemoryAvailable, 5.0)],
            Some(3.0),
            Some(8.0),
        ),
        (
            "used with cache",
            &[
                (Signal::MemoryUsed, 6.0),
                (Signal::MemoryFree, 2.0),
                (Signal::MemoryUsedShare, 0.75),
                (Signal::Cached, 2.0),
            ],
            Some(4.0),
            Some(8.0),
        ),
        (
            "used without cache",
            &[
                (Signal::MemoryUsed, 4.0),
                (Signal::MemoryFree, 2.0),
                (Signal::MemoryUsedShare, 0.5),
                (Signal::Cached, 2.0),
            ],
            Some(4.0),
            Some(8.0),
        ),
        ("only free", &[(Signal::MemoryFree, 2.0), (Signal::Cached, 2.0)], None, None),
        ("the cache isn't known", &[(Signal::MemoryTotal, 8.0), (Signal::MemoryFree, 2.0)], None, Some(8.0)),
    ];
    for (what, signals, wanted, capacity) in cases {
        let trace = recorded(&ReadOptions::default(), |recorder| {
            let busy = recorder.field(Signal::Busy, "busy", Unit::CORES);
            for row in 1..=2 {
                recorder.sample(1, clock(f64::from(row)), "");
                recorder.put(busy, 1.0);
                for (signal, value) in *signals {
                    let unit = if *signal == Signal::MemoryUsedShare { Unit::ONE } else { Unit::GIB };
                    let field = recorder.field(*signal, "memory", unit);
                    recorder.put(field, *value);
                }
            }
        })
        .unwrap();
        let memory = trace.node(Metric::MemoryBytes).map(|values| values[0] / gib);
        assert_eq!(
            (memory, trace.capacity.memory_bytes.map(|bytes| bytes / gib)),
            (*wanted, *capacity),
            "{what}"
        );
        let warned = trace.warnings.iter().any(|warning| warning.kind == WarningKind::MemoryUnknown);
        assert_eq!(warned, wanted.is_none(), "{what}");
    }
}

#[test]
fn what_can_be_no_trace_is_refused() {
    let none = ReadOptions::default();
    let empty = recorded(&none, |_| {}).unwrap_err();
    assert_eq!(empty.kind, ReadErrorKind::NoRows);
    let one = recorded(&none, |recorder| {
        let busy = recorder.field(Signal::Busy, "busy", Unit::CORES);
        recorder.sample(1, clock(1.0), "");
        recorder.put(busy, 1.0);
    });
    assert_eq!(one.unwrap_err().kind, ReadErrorKind::NoRows);
    let ages = recorded(&none, |recorder| {
        let busy = recorder.field(Signal::Busy, "busy", Unit::CORES);
        for seconds in [1e9, 1e9 + 1.0, 1.3e11] {
            recorder.sample(1, Stamp { seconds, dated: true }, "");
            recorder.put(busy, 1.0);
        }
    });
    assert_eq!(ages.unwrap_err().kind, ReadErrorKind::BadTime);
    let nothing = recorded(&none, |recorder| {
        recorder.sample(1, clock(1.0), "");
        recorder.sample(1, clock(2.0), "");
    });
    assert_eq!(nothing.unwrap_err().kind, ReadErrorKind::BadHeader);
    // Many figures, each at times of its own: a table of them would be mostly empty, and far larger than the file.
    let scattered = recorded(&none, |recorder| {
        for field in 0..20 {
            let id = recorder.field(Signal::Busy, &format!("busy {field}"), Unit::CORES);
            recorder.pass();
            for row in 0..10_000 {
                recorder.sample(1, clock(f64::from(row) + f64::from(field) / 32.0), "");
                recorder.put(id, 1.0);
            }
        }
    });
    assert_eq!(scattered.unwrap_err().kind, ReadErrorKind::TooLarge);
}

#[test]
fn what_a_person_says_of_the_node_is_used() {
    let options = ReadOptions {
        capacity: Capacity { cores: Some(4.0), ..Capacity::default() },
        ..ReadOptions::default()
    };
    let tell = |recorder: &mut Recorder| {
        let user = recorder.field(Signal::User, "%user", Unit::PERCENT_OF_NODE);
        for row in 1..=2 {
            recorder.sample(1, Stamp { seconds: 1e9 + f64::from(row), dated: true }, "");
            recorder.put(user, 25.0);
        }
    };
    let stated = recorded(&options, tell).unwrap();
    assert_eq!(known(&stated, Metric::CpuCores), [Some(1.0); 2]);
    assert!(stated.assumed.is_empty() && stated.warnings.is_empty());
    assert_eq!(stated.start_unix_seconds, Some(1e9));
    let assumed = recorded(&ReadOptions::default(), tell).unwrap();
    assert_eq!(known(&assumed, Metric::CpuCores), [Some(0.5); 2]);
    assert_eq!(assumed.warnings[0].kind, WarningKind::CoresAssumed);
}
