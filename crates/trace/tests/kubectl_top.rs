//! What kubectl top prints. The fixtures are written from its published format.

mod common;
#[path = "common/figures.rs"]
mod figures;

use cotrace_trace::{Metric as M, ReadErrorKind};
use figures::{check, of_subject, plain, read_fixture, refused};

#[test]
fn rows_are_mapped_by_hand() {
    let mib = 1_048_576.0;
    check(&[
        ("kubectl-top/pod.log", 0, M::CpuCores, 0.702),
        ("kubectl-top/pod.log", 1, M::MemoryBytes, 237.0 * mib),
        ("kubectl-top/containers.log", 1, M::CpuCores, 1.332),
        ("kubectl-top/node.log", 1, M::CpuCores, 2.815),
        ("kubectl-top/node.log", 0, M::MemoryBytes, 7900.0 * mib),
    ]);
    let node = read_fixture("kubectl-top/node.log");
    assert_eq!(node.capacity.cores, Some(4.0));
    // The node that was imagined has 15258 MiB.
    let memory = node.capacity.memory_bytes.unwrap() / mib;
    assert!((memory / 15_258.0 - 1.0).abs() < 0.01, "{memory}");
    assert_eq!(node.time_seconds[..2], [15.0, 30.0]);
    assert!(node.warnings.is_empty(), "{:?}", node.warnings);
    assert_eq!(read_fixture("kubectl-top/pod.log").capacity.cores, None);
}

#[test]
fn pods_are_chosen_and_other_lines_left_out() {
    let block = "NAMESPACE   NAME   CPU(cores)   MEMORY(bytes)\na   web   100m   10Mi\nb   web   200m   20Mi\nb   db   1   1Gi\n                ________   ________\n                1300m   1054Mi\n";
    let text =
        format!("1700000000\n{block}1700000015\nerror: metrics not available yet\n1700000030\n{block}");
    let error = plain(&text).unwrap_err();
    assert_eq!(
        (error.kind, error.choices.join(" ")),
        (ReadErrorKind::Several, "a/web b/db b/web".to_owned())
    );
    let db = of_subject(&text, "db").unwrap();
    assert_eq!(db.node(M::CpuCores).unwrap(), [1.0, 1.0]);
    assert_eq!(db.time_seconds, [30.0, 60.0]);
    assert!(db.warnings.is_empty(), "{:?}", db.warnings);
    assert!(of_subject(&text, "web").unwrap_err().to_string().contains("that end so"));
    assert_eq!(of_subject(&text, "b/web").unwrap().node(M::CpuCores).unwrap(), [0.2, 0.2]);
    let odd = format!("{text}b   db   oops   1Gi\n");
    let warning = of_subject(&odd, "db").unwrap().warnings.remove(0);
    assert_eq!(warning.to_string(), "line 17: Left out 1 line that can't be read.");
    refused(&[("NAME   CPU(cores)   MEMORY(bytes)\n", "no pod or node in it")]);
}

#[test]
fn rows_need_no_header() {
    let rows = [
        ("web-0   250m   120Mi", "web-0   350m   130Mi", "web-0"),
        ("default   web-0   250m   120Mi", "default   web-0   350m   130Mi", "default/web-0"),
        ("node1   250m   6%    120Mi   31%", "node1   350m   8%   130Mi   34%", "node1"),
    ];
    for (first, second, subject) in rows {
        let text = format!(
            "Wed May  1 10:00:00 UTC 2024\n{first}\nWed May  1 10:00:15 UTC 2024\n{second}\n^C\n$ \n"
        );
        for trace in [plain(&text).unwrap(), of_subject(&text, subject).unwrap()] {
            assert_eq!(trace.format, "kubectl-top", "{first}");
            assert!((trace.node(M::CpuCores).unwrap()[1] - 0.35).abs() < 1e-9, "{first}");
            assert_eq!(trace.node(M::MemoryBytes).unwrap()[1], 130.0 * 1_048_576.0, "{first}");
            assert_eq!(trace.time_seconds[1] - trace.time_seconds[0], 15.0, "{first}");
            assert!(trace.warnings.is_empty(), "{first}: {:?}", trace.warnings);
        }
    }
}
