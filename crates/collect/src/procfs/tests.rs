use super::*;

fn names(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn stat_gives_ticks_and_context_switches() {
    let text = "cpu  100 20 30 4000 50 6 7 8 90 0\ncpu0 1 2 3 4\nintr 5\nctxt 4242\nbtime 1\n";
    let ticks = parse_stat(text, None).expect("parsed");
    let expected = CpuTicks {
        user: 120.0,
        system: 43.0,
        idle: 4000.0,
        iowait: 50.0,
        steal: 8.0,
        context_switches: 4242.0,
    };
    assert_eq!(ticks, expected);
    assert_eq!(ticks.total(), 4221.0, "guest time is within user time and may not count twice");
}

#[test]
fn stat_gives_the_first_cores() {
    let text = "cpu 9 9 9 9\ncpu0 1 2 3 40\ncpu1 10 20 30 400\ncpu10 5 5 5 5\nctxt 7\n";
    let one = parse_stat(text, Some(1)).expect("parsed");
    assert_eq!((one.user, one.system, one.idle), (3.0, 3.0, 40.0));
    let two = parse_stat(text, Some(2)).expect("parsed");
    assert_eq!((two.user, two.system, two.idle), (33.0, 33.0, 440.0));
    let error = parse_stat(text, Some(3)).expect_err("there is no third").to_string();
    assert!(error.contains("no line \"cpu2\""), "{error}");
}

#[test]
fn pages_in_the_processors_lists_are_counted() {
    let text = "Node 0, zone   Normal\n  pages free     500\n        nr_free_pages 500\n  pagesets\n    cpu: 0\n\
                \x20             count:    9012\n              high:     9161\n    cpu: 1\n              count: 7\n";
    assert_eq!(parse_listed_pages(text), 9019.0);
    assert_eq!(parse_listed_pages(""), 0.0);
}

#[test]
fn an_old_kernels_stat_has_fewer_fields() {
    let ticks = parse_stat("cpu 1 2 3 4\n", None).expect("parsed");
    assert_eq!((ticks.user, ticks.system, ticks.idle, ticks.iowait, ticks.steal), (3.0, 3.0, 4.0, 0.0, 0.0));
    assert!(ticks.context_switches.is_nan(), "a count that isn't told is unknown");
}

#[test]
fn kernel_files_that_say_nothing_are_errors() {
    let cases = [
        ("no cpu line", parse_stat("cpu0 1 2 3 4\n", None).map(|_| ()), "/proc/stat: has no line"),
        ("two fields", parse_stat("cpu 1 2\n", None).map(|_| ()), "fewer than four"),
        ("empty meminfo", parse_meminfo("").map(|_| ()), "/proc/meminfo: has no number for MemTotal"),
        ("no cache", parse_meminfo("MemTotal: 9 kB\nMemFree: 4 kB\n").map(|_| ()), "Buffers"),
    ];
    let wrong: Vec<String> = cases
        .into_iter()
        .filter_map(|(case, result, expected)| match result {
            Ok(()) => Some(format!("{case}: no error")),
            Err(error) if !error.to_string().contains(expected) => Some(format!("{case}: {error}")),
            Err(_) => None,
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn meminfo_splits_use_from_cache() {
    let text = "MemTotal:       1000 kB\nMemFree:         300 kB\nMemAvailable:    500 kB\nBuffers:          20 kB\n\
                Cached:          200 kB\nSwapCached:        7 kB\nShmem:            40 kB\nSReclaimable:     30 kB\n";
    let memory = parse_meminfo(text).expect("parsed");
    let kib = 1024.0;
    assert_eq!(memory, MemoryUse { total: 1000.0 * kib, used: 490.0 * kib, page_cache: 210.0 * kib });
}

#[test]
fn diskstats_counts_whole_disks_only() {
    let text = "   8       0 sda 10 0 100 5 20 0 200 5 0 10 10 0 0 0 0\n   8       1 sda1 10 0 100 5 20 0 200 5 0 10 10\n \
                259       0 nvme0n1 1 0 8 0 1 0 16 0 0 0 0\n 253       0 dm-0 9 9 999 9 9 9 999 9 9 9 9\n   7       0 loop0 5 0 50 1 0 0 0 0 0 1 1\n";
    let (read, written) = parse_diskstats(text, &names(&["sda", "nvme0n1"]));
    assert_eq!((read, written), (108.0 * 512.0, 216.0 * 512.0));
}

#[test]
fn disks_are_told_from_what_is_built_on_them() {
    let cases = [
        ("sda", false, true),
        ("vda", false, true),
        ("nvme0n1", false, true),
        ("mmcblk0", false, true),
        ("dm-0", true, false),
        ("dm-0", false, true),
        ("md127", true, false),
        ("loop7", false, false),
        ("ram0", false, false),
        ("zram0", false, false),
        ("sr0", false, false),
        ("fd0", false, false),
        // Only a number may follow: these are other drivers.
        ("rambler", false, true),
    ];
    let wrong: Vec<_> =
        cases.iter().filter(|(name, slaves, expected)| counts_as_disk(name, *slaves) != *expected).collect();
    assert!(wrong.is_empty(), "name, built on others, expected: {wrong:?}");
}

#[test]
fn net_dev_keeps_loopback_apart() {
    let text = "Inter-|   Receive                 |  Transmit\n face |bytes packets errs drop fifo frame compressed multicast|bytes packets\n    \
                lo: 700 7 0 0 0 0 0 0 700 7 0 0 0 0 0 0\n  eth0: 1000 1 0 0 0 0 0 0 2000 2 0 0 0 0 0 0\n\
                docker0:500 5 0 0 0 0 0 0 600 6 0 0 0 0 0 0\n";
    let bytes = parse_net_dev(text, &names(&["eth0"]));
    assert_eq!(bytes, NetworkBytes { received: 1000.0, transmitted: 2000.0, loopback: 700.0 });
}

#[test]
fn pressure_gives_seconds_of_some() {
    let text = "some avg10=1.00 avg60=0.50 avg300=0.10 total=2500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=9\n";
    assert_eq!(parse_pressure(text), Some(2.5));
    assert_eq!(parse_pressure(""), None);
    assert_eq!(parse_pressure("some avg10=1.00\n"), None);
}

#[test]
fn process_stat_survives_odd_names() {
    let rest = "S 7 42 43 0 -1 4194304 1 2 3 4 150 50 20 10 20 0 1 0 987 1000 1";
    let expected =
        ProcessStat { parent: 7, session: 43, started: 987, user: 170.0, system: 60.0, own: 200.0 };
    let wrong: Vec<_> = ["sh", "a b", "a) S (b", "(sd-pam)"]
        .iter()
        .map(|name| (name, parse_process_stat(&format!("42 ({name}) {rest}"))))
        .filter(|(_, got)| *got != Some(expected))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(parse_process_stat("42 (sh) S 7"), None);
    assert_eq!(parse_process_stat(""), None);
}

#[test]
fn keyed_numbers_match_whole_keys() {
    let text = "total_cache 5\ntotal_cache_x 6\nread_bytes: 77\nRssAnon:\t  88 kB\nempty\n";
    let cases = [
        ("total_cache", Some(5.0)),
        ("read_bytes", Some(77.0)),
        ("RssAnon", Some(88.0)),
        ("total", None),
        ("empty", None),
    ];
    let wrong: Vec<_> = cases.iter().filter(|(key, expected)| keyed(text, key) != *expected).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn io_stat_sums_the_disks_that_count() {
    let text = "8:0 rbytes=100 wbytes=200 rios=1 wios=2 dbytes=9 dios=0\n253:0 rbytes=100 wbytes=200\n259:1 rbytes=5 wbytes=6\n";
    assert_eq!(parse_io_stat(text, &names(&["8:0", "259:1"])), (105.0, 206.0));
}

#[test]
fn default_route_names_its_interface() {
    let head = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n";
    let lan = "eth1\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n";
    let default = "eth0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n";
    assert_eq!(default_interface(&format!("{head}{lan}{default}")), Some("eth0"));
    assert_eq!(default_interface(&format!("{head}{lan}")), None);
}

#[test]
fn control_groups_are_found() {
    let own = "9:name=systemd:/\n4:memory:/box/1\n2:cpu,cpuacct:/box/2\n0::/user.slice/run:1.scope\n";
    let cases = [
        ("memory", Some("/box/1")),
        ("cpuacct", Some("/box/2")),
        ("", Some("/user.slice/run:1.scope")),
        ("blkio", None),
    ];
    let wrong: Vec<_> =
        cases.iter().filter(|(controller, path)| cgroup_path(own, controller) != *path).collect();
    assert!(wrong.is_empty(), "{wrong:?}");

    let mounts = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n\
                  cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n";
    assert_eq!(mount_point(mounts, "cgroup", "memory"), Some("/sys/fs/cgroup/memory"));
    assert_eq!(mount_point(mounts, "cgroup", "cpuacct"), None);
    assert_eq!(mount_point(mounts, "cgroup2", ""), Some("/sys/fs/cgroup/unified"));
}
