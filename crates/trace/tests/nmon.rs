//! Files of nmon.

mod common;

use common::{assert_values, fixture, read_text, warnings};
use cotrace_trace::{Metric, ReadErrorKind, ReadOptions, Trace, read};

fn read_fixture(name: &str) -> Trace {
    let trace = read(name, &fixture(&format!("nmon/{name}")), &ReadOptions::default()).unwrap();
    assert_eq!(trace.format, "nmon");
    trace
}

const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;

#[test]
fn figures_are_those_of_the_file() {
    use Metric as M;
    let plain = read_fixture("plain.nmon");
    let cases = [
        (0, M::CpuCores, 2.0),
        (0, M::CpuUserCores, 1.304),
        (0, M::CpuSystemCores, 0.696),
        (0, M::CpuIowaitCores, 0.0),
        (0, M::MemoryBytes, (24105.6 - 21293.5 - 1510.7 - 268.0) * MIB),
        (0, M::PageCacheBytes, (1510.7 + 268.0) * MIB),
        (0, M::DiskReadBytesPerSecond, 566.8 * KIB),
        (0, M::DiskWriteBytesPerSecond, 61326.4 * KIB),
        (0, M::ContextSwitchesPerSecond, 12668.4),
        (1, M::LoopbackBytesPerSecond, 19182.0 * KIB),
        (3, M::CpuCores, 1.99),
        (3, M::NetworkReceiveBytesPerSecond, 3560.2 * KIB),
        (3, M::NetworkTransmitBytesPerSecond, 9.6 * KIB),
    ];
    assert_values("plain.nmon", &plain, &cases);
    assert_eq!(plain.time_seconds, (1..=24).map(f64::from).collect::<Vec<_>>());
    // 2026-11-30 21:17:52: the first snapshot says when the run began.
    assert_eq!(plain.start_unix_seconds, Some(1_796_073_472.0));
    assert_eq!(plain.capacity.cores, Some(2.0));
    assert_eq!(plain.capacity.memory_bytes, Some(24105.6 * MIB));
    assert!(plain.warnings.is_empty(), "{:?}", plain.warnings);

    let slow = read_fixture("top-2s.nmon");
    assert_values(
        "top-2s.nmon",
        &slow,
        &[(0, M::CpuUserCores, 1.316), (0, M::LoopbackBytesPerSecond, 9469.4 * KIB)],
    );
    assert_eq!(slow.time_seconds[..3], [2.0, 5.0, 6.0]);
}

#[test]
fn a_sorted_file_says_the_same() {
    let (plain, sorted) = (read_fixture("plain.nmon"), read_fixture("sorted.nmon"));
    assert_eq!(common::difference(&plain, &sorted), None);
    assert!(sorted.warnings.is_empty(), "{:?}", sorted.warnings);
}

const HEAD: &str = "AAA,progname,nmon\nAAA,cpus,4\nCPU_ALL,CPU Total node,User%,Sys%,Wait%,Idle%,Busy,CPUs\n\
    DISKREAD,Disk Read KB/s node,sda,sda1\nDISKREAD1,Disk Read KB/s node,sdb,dm-0\n";

#[test]
fn disks_go_on_in_further_sections_and_count_once() {
    let text = format!(
        "{HEAD}ZZZZ,T0001,23:59:58,31-DEC-2025\nCPU_ALL,T0001,9,9,0,82,,4\n\
         ZZZZ,T0002,23:59:59,31-DEC-2025\nCPU_ALL,T0002,10,5,0,85,,4\nDISKREAD,T0002,7,7\nDISKREAD1,T0002,1,8\n\
         ZZZZ,T0003,00:00:00,01-JAN-2026\nCPU_ALL,T0003,20,5,0,75,,4\nDISKREAD,T0003,9,9\nDISKREAD1,T0003,2,8\n"
    );
    let trace = read_text(&text);
    assert_eq!(trace.time_seconds, [1.0, 2.0]);
    let cases = [
        (0, Metric::CpuCores, 0.6),
        (1, Metric::CpuCores, 1.0),
        (0, Metric::DiskReadBytesPerSecond, 8.0 * KIB),
        (1, Metric::DiskReadBytesPerSecond, 11.0 * KIB),
    ];
    assert_values("further sections", &trace, &cases);
}

#[test]
fn what_isnt_counted_is_not_zero() {
    let text = format!(
        "{HEAD}PROC,Processes node,Runnable,Blocked,pswitch\nZZZZ,T0007,10:00:01,01-JAN-2026\n\
         CPU_ALL,T0007,1,1,0,98,,4\nPROC,T0007,1,0,-1.0\nZZZZ,T0008,10:00:02,01-JAN-2026\n\
         CPU_ALL,T0008,1,1,0,98,,4\nPROC,T0008,1,0,50\n"
    );
    let trace = read_text(&text);
    let switches = trace.node(Metric::ContextSwitchesPerSecond).unwrap();
    assert!(switches[0].is_nan() && switches[1] == 50.0, "{switches:?}");
}

#[test]
fn a_restart_leaves_a_gap() {
    let run = |hour: &str| {
        let snapshot =
            |id| format!("ZZZZ,T000{id},{hour}:00:0{id},01-JAN-2026\nCPU_ALL,T000{id},50,0,0,50,,4\n");
        [1, 2, 3].map(snapshot).concat()
    };
    let trace = read_text(&format!("{HEAD}{}{HEAD}{}", run("10"), run("11")));
    assert_eq!(trace.time_seconds, [1.0, 2.0, 3600.0, 3601.0, 3602.0]);
    let cpu = trace.node(Metric::CpuCores).unwrap();
    assert!(cpu[2].is_nan() && cpu[3] == 2.0, "{cpu:?}");
    assert_eq!(warnings(&trace), ["line 17: nmon was started anew in the middle of the file."]);
}

#[test]
fn broken_files_are_named() {
    use ReadErrorKind as K;
    let good = "ZZZZ,T0002,10:00:01,01-JAN-2026\nCPU_ALL,T0002,1,1,0,98,,4\n";
    let cases: &[(&str, K, &str)] = &[
        ("", K::NoRows, "x: no samples in it"),
        (
            "ZZZZ,T0003,25:00:01,01-JAN-2026\nCPU_ALL,T0003,1,1,0,98,,4\nEND\n",
            K::BadTime,
            "x, line 6: expected a snapshot's time such as ZZZZ,T0001,21:17:52,30-NOV-2026, saw \"ZZZZ,T0003,25:00:01,01-JAN-2026\"",
        ),
        (
            "ZZZZ,T0003,10:00:02,01-JAN-2026\nCPU_ALL,T0003,1,x,0,98,,4\nEND\n",
            K::BadNumber,
            "x, line 7, column Sys%: expected a number, saw \"x\"",
        ),
    ];
    for (rows, kind, message) in cases {
        let text = if rows.is_empty() { HEAD.to_owned() } else { format!("{HEAD}{rows}{good}") };
        match read("x", text.as_bytes(), &ReadOptions::default()) {
            Ok(_) => panic!("{rows:?} was read"),
            Err(error) => assert_eq!((error.to_string().as_str(), error.kind), (*message, *kind), "{rows:?}"),
        }
    }
    // At the end, it is cut off.
    let text = format!("{HEAD}ZZZZ,T0001,10:00:00,01-JAN-2026\n{good}ZZZZ,T0003,10:00");
    let trace = read_text(&text);
    assert_eq!(warnings(&trace), ["line 9: The last line is cut off; it was left out."]);
}

#[test]
fn aix_says_its_cores_and_memory_elsewhere() {
    // Cores that could be and are; virtual processors, not the entitlement; what isn't page cache.
    let text = "AAA,progname,topas_nmon\nAAA,AIX,7.2.4.1\nAAA,cpus,64,8\n\
        CPU_ALL,CPU Total node,User%,Sys%,Wait%,Idle%,Busy,PhysicalCPUs\nPCPU_ALL,PCPU Total node,User  ,Sys  ,Wait  ,Idle  ,Entitled Capacity\n\
        MEM,Memory node,Real Free %,Virtual free %,Real free(MB),Virtual free(MB),Real total(MB),Virtual total(MB)\n\
        MEMNEW,Memory New node,Process%,FScache%,System%,Free%,Pinned%,User%\n\
        DISKREAD,Disk Read KB/s node,hdisk0,hdisk1,cd0\nNET,Network I/O node,en0-read-KB/s,lo0-read-KB/s,en0-write-KB/s,lo0-write-KB/s\n\
        JFSFILE,JFS Filespace %Used node,/,/usr\n";
    let row = |id: u32| {
        format!(
            "ZZZZ,T000{id},10:00:0{id},01-FEB-2024\nCPU_ALL,T000{id},20.0,5.0,1.0,74.0,,8\nPCPU_ALL,T000{id},1,1,0,2,4.0\n\
             MEM,T000{id},30.0,99.0,3000.0,500.0,10000.0,512.0\nMEMNEW,T000{id},40.0,10.0,20.0,30.0,5.0,40.0\n\
             DISKREAD,T000{id},5.0,6.0,0.0\nNET,T000{id},1.0,2.0,3.0,2.0\nJFSFILE,T000{id},10.0,20.0\n"
        )
    };
    let trace = read_text(&format!("{text}{}", [1, 2, 3].map(row).concat()));
    assert_eq!(trace.capacity.cores, Some(8.0));
    assert_eq!(trace.capacity.memory_bytes, Some(10_000.0 * MIB));
    let cases = [
        (0, Metric::CpuCores, 2.0),
        (0, Metric::MemoryBytes, 6000.0 * MIB),
        (0, Metric::DiskReadBytesPerSecond, 11.0 * KIB),
        (0, Metric::NetworkTransmitBytesPerSecond, 3.0 * KIB),
        (0, Metric::LoopbackBytesPerSecond, 2.0 * KIB),
    ];
    assert_values("AIX", &trace, &cases);
    assert!(warnings(&trace).is_empty(), "{:?}", warnings(&trace));
}

#[test]
fn a_file_without_its_start_is_named() {
    let rows = "ZZZZ,T0002,10:00:01,01-JAN-2026\nCPU_ALL,T0002,1,1,0,98,,4\nZZZZ,T0003,10:00:02,01-JAN-2026\nCPU_ALL,T0003,1,1,0,98,,4\n";
    let error = read("x", rows.as_bytes(), &ReadOptions::default()).expect_err("no header");
    assert_eq!(
        error.to_string(),
        "x: no header of a section, such as CPU_ALL,CPU Total node,User%,Sys%,Wait%,Idle%. Leave the lines at the start of the file in it."
    );
    let trace = read_text(&format!("{HEAD}{}", rows.replace(",98,", ",-nan,")));
    assert_values("-nan", &trace, &[(0, Metric::CpuCores, 0.08)]);
}
