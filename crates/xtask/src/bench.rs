//! Times the reading of traces, natively and in WebAssembly: `cargo xtask bench`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, find_on_path, output, run};
use crate::repo::Repo;
use crate::wasm_target::{self, TARGET};
use crate::{lock, tools};

const ADVICE: &str = "see what the compiler says above";
const EXAMPLE: [&str; 4] = ["--package", "cotrace-trace", "--example", "speed"];

/// The median time of reading a file.
struct Time {
    format: String,
    megabytes: f64,
    seconds: f64,
}

/// Runs the benchmarks and prints the tables of `docs/speed.md`.
pub(crate) fn run_all(repo: &Repo) -> Result<()> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "cotrace-trace", "--bench", "read"]).current_dir(&repo.root);
    run(&mut bench, ADVICE)?;
    let mut build = cargo();
    build.args(["build", "--quiet", "--release"]).args(EXAMPLE).current_dir(&repo.root);
    run(&mut build, ADVICE)?;
    let native = times(&mut Command::new(repo.target.join("release/examples/speed")))?;

    println!("\n| format | MB/s | splitting alone, MB/s | times as long |");
    println!("| --- | ---: | ---: | ---: |");
    for time in &native {
        let [read, split] = [median(repo, &time.format, "read")?, median(repo, &time.format, "split")?];
        let rate = |seconds: f64| time.megabytes / seconds;
        println!("| {} | {:.0} | {:.0} | {:.1} |", time.format, rate(read), rate(split), read / split);
    }
    if find_on_path("node").is_none() {
        println!("\nNot timed in WebAssembly: there is no Node.js.");
        return Ok(());
    }
    let wasm = in_wasm(repo)?;
    println!("\n| format | natively, MB/s | in WebAssembly, MB/s | share |");
    println!("| --- | ---: | ---: | ---: |");
    for (native, wasm) in native.iter().zip(&wasm) {
        let [fast, slow] = [native, wasm].map(|time| time.megabytes / time.seconds);
        println!("| {} | {fast:.0} | {slow:.0} | {:.2} |", native.format, slow / fast);
    }
    Ok(())
}

/// The median that criterion measured last, in seconds.
fn median(repo: &Repo, format: &str, what: &str) -> Result<f64> {
    let path = repo.target.join("criterion").join(format).join(what).join("new/estimates.json");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let json: serde_json::Value = serde_json::from_str(&text)?;
    let nanoseconds = json["median"]["point_estimate"].as_f64();
    Ok(nanoseconds.with_context(|| format!("no median in {}", path.display()))? / 1e9)
}

/// The same files read in WebAssembly, by Node.js.
fn in_wasm(repo: &Repo) -> Result<Vec<Time>> {
    let target = wasm_target::find(repo)?;
    let bindgen = tools::wasm_bindgen(repo)?;
    let mut build = target.cargo(repo, &[])?;
    build.args(["build", "--quiet", "--profile", "wasm-release", "--target", TARGET]).args(EXAMPLE);
    run(&mut build, ADVICE)?;
    let built = repo.wasm_target().join(TARGET).join("wasm-release/examples/speed.wasm");
    let out = repo.target.join("xtask/speed");
    let mut glue = Command::new(bindgen.join("wasm-bindgen"));
    glue.args(["--target", "nodejs", "--no-typescript", "--out-dir"]).arg(&out).arg(built);
    let version = lock::version(repo, "wasm-bindgen")?;
    run(&mut glue, &format!("see that wasm-bindgen is of version {version}"))?;
    // What it writes is CommonJS, whatever a package.json further up says.
    fs::write(out.join("package.json"), "{\"type\":\"commonjs\"}\n")?;
    let mut node = Command::new("node");
    times(node.arg(repo.path("crates/trace/examples/speed.mjs")).arg(Path::new(&out).join("speed.js")))
}

/// Runs a program that prints a format, bytes and seconds a line.
fn times(command: &mut Command) -> Result<Vec<Time>> {
    let said = output(command, "run it by hand to see more")?;
    let times: Option<Vec<Time>> = said.lines().map(time).collect();
    match times {
        Some(times) if !times.is_empty() => Ok(times),
        _ => bail!("odd times: {said}"),
    }
}

fn time(line: &str) -> Option<Time> {
    let mut words = line.split_whitespace();
    let (format, bytes, seconds) = (words.next()?.to_owned(), words.next()?, words.next()?);
    Some(Time { format, megabytes: bytes.parse::<f64>().ok()? / 1e6, seconds: seconds.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_from_lines() {
        let time = super::time("sar-csv 2000000 0.5").unwrap();
        assert_eq!((time.format.as_str(), time.megabytes, time.seconds), ("sar-csv", 2.0, 0.5));
        assert!(super::time("sar-csv 2000000").is_none());
        assert!(times(Command::new("echo").arg("odd")).is_err());
    }
}
