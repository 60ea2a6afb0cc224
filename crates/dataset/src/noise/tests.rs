use super::*;
use crate::testing::{Made, run, solo};

fn read(made: &Made) -> DataSet {
    let folder = tempfile::tempdir().unwrap();
    made.write(folder.path());
    DataSet::read(folder.path()).unwrap()
}

#[test]
fn slowdowns_measured_twice() {
    let mut made = Made::new(&["a", "b"], 2);
    for sitting in [0, 1] {
        made.push(solo("a", 10.0).in_sitting(sitting));
    }
    made.push(solo("b", 20.0));
    made.push(run(&[("a", 15.0), ("b", 22.0)]));
    made.push(run(&[("a", 17.0), ("b", 22.0)]).repeat(1));
    made.push(run(&[("a", 20.0), ("b", 22.0)]).repeat(2).in_sitting(1));
    // Not the same: another offset, another cut, other jobs. And one that doesn't count.
    made.push(run(&[("a", 30.0), ("b", 22.0)]).offset(5.0));
    made.push(run(&[("a", 30.0), ("b", 22.0)]).cut("one-core"));
    made.push(run(&[("b", 30.0), ("b", 22.0)]));
    made.push(run(&[("a", 30.0), ("b", 22.0)]).disturbed());
    let noise = Noise::of(&read(&made));

    // a: 1.5 and 1.7; b: 1.1 twice. The second sitting has no solo run of b.
    let same = noise.slowdown_points(Sittings::Same).unwrap();
    assert_eq!(same.count, 2);
    assert!((same.mean - 10.0).abs() < 1e-9 && (same.max - 20.0).abs() < 1e-9, "{same:?}");
    let different = noise.slowdown_points(Sittings::Different).unwrap();
    assert_eq!(different.count, 2);
    assert!((different.mean - 40.0).abs() < 1e-9, "{different:?}");

    let counts = Between::ALL.map(|between| noise.durations.get(&between).map_or(0, Vec::len));
    assert_eq!(counts, [0, 1, 2, 4]);
    let alone = Between { kind: Alone::Solo, sittings: Sittings::Different };
    assert_eq!(noise.duration_percent(alone).unwrap().max, 0.0);
}

#[test]
fn footprints_of_repeats() {
    let mut made = Made::new(&["a"], 1);
    made.push(solo("a", 10.0));
    made.push(solo("a", 20.0).repeat(1));
    let mut data = read(&made);
    let between = Between { kind: Alone::Solo, sittings: Sittings::Same };
    let figure = |data: &DataSet, metric, of_job, lay| {
        let stats = Noise::of(data).footprint_percent(Footprint { metric, of_job, lay, between });
        stats.map(|stats| (stats.count, stats.mean))
    };
    // One core all the time in both, however long they took.
    assert_eq!(figure(&data, Metric::CpuCores, true, Lay::Tenths), Some((1, 0.0)));
    // Half a core of two more in the first half of the longer: 25 % of half the tenths, of all of the first 10 s.
    let mut longer = data.trace(&made.manifest.runs[1]).unwrap().clone();
    for column in [Column::node(Metric::CpuCores), Column::job("a", Metric::CpuCores)] {
        longer.columns.get_mut(&column).unwrap()[..10].fill(1.5);
    }
    // A metric without a capacity: 300 beside nothing known, then beside 100.
    let switches = Column::node(Metric::ContextSwitchesPerSecond);
    longer.columns.insert(switches.clone(), vec![300.0; 20]);
    let id = made.manifest.runs[1].id.clone();
    data.set_trace(&id, longer);
    for of_job in [true, false] {
        assert_eq!(figure(&data, Metric::CpuCores, of_job, Lay::Tenths), Some((1, 12.5)), "{of_job}");
        assert_eq!(figure(&data, Metric::CpuCores, of_job, Lay::Seconds), Some((1, 25.0)), "{of_job}");
    }
    assert_eq!(figure(&data, switches.metric, false, Lay::Tenths), None);
    let mut shorter = data.trace(&made.manifest.runs[0]).unwrap().clone();
    shorter.columns.insert(switches.clone(), vec![100.0; 10]);
    let id = made.manifest.runs[0].id.clone();
    data.set_trace(&id, shorter);
    let (_, percent) = figure(&data, switches.metric, false, Lay::Tenths).unwrap();
    assert!((percent - 200.0 / 3.0).abs() < 1e-4, "{percent}");
}
