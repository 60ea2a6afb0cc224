//! Random weights that depend on a seed.

use std::sync::{Mutex, PoisonError};

use burn::module::Module;
use burn::tensor::Device;

/// A network as `make` makes it, with random weights that depend on the seed alone. The backend has one source of random
/// numbers for all threads and networks, and Burn fills weights when they are first read, so both happen under one lock.
pub(crate) fn seeded<M: Module>(device: &Device, seed: u64, make: impl Fn() -> M) -> M {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    device.seed(seed);
    make().load_record(make().into_record())
}
