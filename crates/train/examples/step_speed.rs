//! Times training steps of the published model; `tests/reference/speed.py` compares them with PyTorch's.
//!
//! ```text
//! cargo run --release -p cotrace-train --example step_speed -- HIDDEN BATCH TIME REPEATS
//! ```
//! prints the seconds of each step, one to a line; the first one warms up and is not printed.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> =
        std::env::args().skip(1).map(|number| number.parse()).collect::<Result<_, _>>()?;
    let [hidden, batch, time, repeats] = numbers[..] else {
        return Err("four numbers are needed: HIDDEN BATCH TIME REPEATS".into());
    };
    for seconds in cotrace_train::time_steps(hidden, batch, time, repeats + 1).into_iter().skip(1) {
        println!("{seconds}");
    }
    Ok(())
}
