use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::*;

/// Counts to `count` in `sh`.
fn busy(count: u32) -> String {
    format!("i=0; while [ $i -lt {count} ]; do i=$((i+1)); done")
}

#[test]
fn work_of_ended_processes_is_kept() {
    // Two children work and end, one after the other; the parent then waits for a line.
    let script = format!("({}); ({}); echo done; read line", busy(200_000), busy(200_000));
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("sh starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let (sender, done) = mpsc::channel();
    thread::spawn(move || {
        let mut line = String::new();
        let _ = output.read_line(&mut line);
        let _ = sender.send(line);
    });
    let mut tree = Tree::new(child.id().cast_signed());
    let mut sums = ProcessSums::default();
    let mut seen: Vec<f64> = Vec::new();
    let mut look = |tree: &mut Tree| {
        let totals = sums.update(&tree.members());
        seen.push(totals.user + totals.system);
    };
    while done.recv_timeout(Duration::from_millis(20)).is_err() {
        look(&mut tree);
    }
    look(&mut tree);
    assert!(seen.windows(2).all(|pair| pair[1] >= pair[0]), "CPU time may not fall: {seen:?}");
    assert!(seen[seen.len() - 1] >= 0.05, "two loops take more than this: {seen:?}");
    assert_eq!(tree.members(), vec![child.id().cast_signed()], "both children have ended");
    assert!(sums.memory_bytes() > 0.0, "a living shell holds memory");
    drop(child.stdin.take());
    child.wait().expect("sh ends");
    assert!(sums.update(&tree.members()).user > 0.0, "what was used stays used");
}

#[test]
fn a_tree_keeps_processes_whose_parent_is_gone() {
    // `setsid` puts the sleeper into a session of its own, and its parent ends at once.
    let mut child = Command::new("sh")
        .args(["-c", "setsid sleep 30 & sleep 0.5"])
        .stdin(Stdio::null())
        .spawn()
        .expect("sh starts");
    let mut tree = Tree::new(child.id().cast_signed());
    let until = Instant::now() + Duration::from_secs(20);
    while tree.members().len() < 3 && Instant::now() < until {
        thread::sleep(Duration::from_millis(10));
    }
    child.wait().expect("sh ends");
    let left = tree.members();
    for &pid in &left {
        // SAFETY: a process that this test started.
        unsafe {
            libc::kill(pid, libc::SIGKILL);
        }
    }
    assert_eq!(left.len(), 1, "the sleeper is still the job's");
}
