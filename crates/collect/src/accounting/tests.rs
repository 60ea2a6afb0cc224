use super::*;

#[test]
fn candidates_come_best_first() {
    let v1_mounts = "cgroup /cg/cpuacct cgroup rw,cpuacct 0 0\ncgroup /cg/memory cgroup rw,memory 0 0\n";
    let v2_mounts = "cgroup2 /cg cgroup2 rw 0 0\n";
    let v2 = |parent: &str| Accounting::CgroupV2 { parent: parent.into() };
    let v1 = |path: &str| Accounting::CgroupV1 {
        cpuacct: join("/cg/cpuacct", path),
        memory: join("/cg/memory", path),
    };
    let cases = [
        ("nothing mounted", "0::/a/b\n", "", vec![]),
        ("version 2, in a group", "0::/a/b\n", v2_mounts, vec![v2("/cg/a"), v2("/cg/a/b")]),
        ("version 2, in the root", "0::/\n", v2_mounts, vec![v2("/cg/")]),
        ("version 1", "4:memory:/x\n2:cpuacct:/x\n", v1_mounts, vec![v1("x")]),
        ("version 1 without memory", "2:cpuacct:/x\n", v1_mounts, vec![]),
    ];
    let wrong: Vec<_> = cases
        .into_iter()
        .map(|(case, own, mounts, expected)| (case, Accounting::candidates(own, mounts), expected))
        .filter(|(_, got, expected)| got != expected)
        .collect();
    assert!(wrong.is_empty(), "case, got, expected: {wrong:#?}");
}

#[test]
fn version_1_files_are_read() {
    let file = |name: &str| {
        match name {
            "cpuacct.usage" => "3000000000\n",
            "cpuacct.usage_user" => "1900000000\n",
            "cpuacct.usage_sys" => "950000000\n",
            _ => "",
        }
        .to_owned()
    };
    // The parts are estimates and are made to sum to the whole.
    assert_eq!(cpu_v1(file), (3.0, 2.0, 1.0));
    let (all, ..) = cpu_v1(|_| String::new());
    assert!(all.is_nan(), "a missing file is unknown, not zero");

    let stat = "cache 1\nrss 2\ntotal_cache 1000\ntotal_rss 500\ntotal_shmem 100\n";
    assert_eq!(memory_v1(stat), (600.0, 900.0));
    assert!(memory_v1("").0.is_nan() && memory_v1("").1.is_nan());
}

#[test]
fn version_2_files_are_read() {
    let cpu = "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\nnice_usec 0\n";
    let memory = "anon 4096\nfile 10000\nkernel 5\nshmem 1000\n";
    let usage = usage_v2(cpu, memory, 7.0, 8.0);
    assert_eq!((usage.cpu_seconds, usage.user_seconds, usage.system_seconds), (2.5, 2.0, 0.5));
    assert_eq!((usage.memory_bytes, usage.page_cache_bytes), (5096.0, 9000.0));
    assert_eq!((usage.read_bytes, usage.written_bytes), (7.0, 8.0));
    assert!(usage_v2("", "", 0.0, 0.0).cpu_seconds.is_nan());
}

#[test]
fn what_works_here_can_be_found_out() {
    // Whatever this machine offers, the choice has been tried; a process tree always works.
    let found = Accounting::detect();
    assert!(found.works().is_ok(), "{found:?}");
    assert!(Accounting::ProcessTree.works().is_ok());
}
