//! The commands of this repository: `cargo xtask serve`, `build`, `test` and a few smaller ones.
//!
//! Every command gets what it needs first (tools go to a folder outside `target`, see [`tools`]), skips what is
//! already done, and says what to do when something is missing.

mod args;
mod bench;
mod fuzz;
mod lock;
mod process;
mod repo;
mod samples;
mod serve;
mod site;
mod stamp;
mod test;
mod tools;
mod wasm_target;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::args::Args;
use crate::repo::Repo;

const USAGE: &str = "\
The commands of this repository.

Usage: cargo xtask <command> [options]

  serve        build the page and serve it on this machine
                 --port <number>   the first port to try (default 8080; 0: any free one)
                 --base <path>     serve it under this path, as a host with sub-folders would (default /)
                 --dir <folder>    serve this folder (default dist)
                 --gzip            pack what is served, as hosts of static pages do
                 --no-build        serve what is there
  build        build the page into dist/: static files that work under any address
  wasm         build the forecaster for JavaScript into pkg/
  test         run every check, with a table of times at the end
                 --only <step,…>   run these steps only
                 --list            name the steps
  bench        time the reading of traces, natively and in WebAssembly, and print the table of docs/speed.md
  fuzz         throw made-up files at the readers of traces
                 --seconds <n>     for so long on each target (default 60)
                 --target <name>   on this target only
                 --jobs <n>        on so many targets at a time (default 1)
  screenshots  build, then photograph every view of the page into target/screenshots
  tools        get what the other commands need (they do so themselves)
  clean        remove what build and wasm wrote
                 --tools           and the folder of tools

Environment:
  COTRACE_TOOLS        folder for tools (default: cotrace/tools in the user's cache folder)
  COTRACE_CHROMIUM     a Chromium or Chrome to use for tests and screenshots
  COTRACE_WASM_TARGET  'distribution': build for WebAssembly with the distribution's compiler, not with rustup's
";

fn main() -> ExitCode {
    match dispatch(Args::from_env()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(mut args: Args) -> Result<ExitCode> {
    let command = args.command();
    if args.flag("--help") || args.flag("-h") || command.is_none() {
        print!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let repo = Repo::find()?;
    match command.as_deref().unwrap_or_default() {
        "serve" => {
            let options = serve::Options::from_args(&mut args, &repo)?;
            let build = !args.flag("--no-build");
            args.finish()?;
            if build {
                site::build(&repo)?;
            }
            serve::run(&options)?;
        }
        "build" => {
            args.finish()?;
            site::build(&repo)?;
        }
        "wasm" => {
            args.finish()?;
            let _lock = repo.lock()?;
            site::forecaster(&repo)?;
        }
        "test" => {
            let only = args.value("--only")?;
            let list = args.flag("--list");
            args.finish()?;
            if list {
                test::list();
                return Ok(ExitCode::SUCCESS);
            }
            return test::run(&repo, only.as_deref());
        }
        "bench" => {
            args.finish()?;
            bench::run_all(&repo)?;
        }
        "fuzz" => {
            let options = fuzz::Options::from_args(&mut args)?;
            args.finish()?;
            return fuzz::run_targets(&repo, &options);
        }
        "screenshots" => {
            args.finish()?;
            site::build(&repo)?;
            test::screenshots(&repo)?;
        }
        "tools" => {
            args.finish()?;
            tools::everything(&repo)?;
        }
        "clean" => {
            let tools = args.flag("--tools");
            args.finish()?;
            site::clean(&repo)?;
            if tools {
                tools::clean(&repo)?;
            }
        }
        other => bail!("there is no command '{other}'. Run `cargo xtask` alone to see them all"),
    }
    Ok(ExitCode::SUCCESS)
}
