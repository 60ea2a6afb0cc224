//! Our own model: each job has a pointer on its own solo trace, and a small network says how fast it moves.
//!
//! At every step each job asks for what its solo trace has where its pointer stands. From that, from what the others ask
//! for, and from what kind of job each is, [`CotraceNet`] gives the job's *pace*: how many seconds it takes to do one
//! second of its solo run (1 = as fast as alone; the rate is one over it). The pointer moves on, and the job ends when
//! its pointer does: finish times and slowdowns fall out, for any number of jobs and any start offsets.
//!
//! A pace is a sum, so that each part of it says why a job is slow:
//!
//! | part | what it is | parameters |
//! |---|---|---|
//! | 1 | the job's own pace | none |
//! | [terms](features::TERMS) | shortage of CPU, disk and network, computed from demands and capacity | a weight each |
//! | latent | the job's sensitivity times the others' pressure, for what traces don't show: caches, memory bandwidth | two small networks |
//! | residual | whatever else the network sees, bounded | a small network |
//! | experience | what jobs like these were measured to take beside others like these, see [`Experience`] | seven, and what was measured |
//!
//! The last three are zero while nobody runs beside. Jobs are treated alike: the order in which they are given does not
//! matter. The footprint is what the jobs' traces have where the pointers stand, each metric scaled by the rate to a power
//! between 0 (a level, such as memory) and 1 (a flow, such as bytes read), which is learned.

mod ablation;
mod experience;
pub mod features;
mod footprint;
mod network;
mod rollout;

pub use ablation::Ablation;
pub use experience::{Experience, KIND, Kernel, Point, Recall, Recalled, Seen};
pub use footprint::{Exponents, present, saturation};
pub use network::{CotraceNet, CotraceNetConfig, Paces, Steps, TwoLayers};
pub use rollout::{Reasons, Rollout, roll_out};
