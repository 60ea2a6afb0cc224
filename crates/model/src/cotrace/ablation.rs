//! What each part of the model is worth: the model without it.

/// A part that is left out, to see what it is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ablation {
    /// Nothing is left out.
    #[default]
    Nothing,
    /// Shortages of CPU, disk and network: the network must find out about them by itself.
    Terms,
    /// Sensitivity times pressure.
    Latent,
    /// The residual.
    Residual,
    /// The pointers: a job always asks for its mean, so its rate is the same as long as the same jobs run.
    Pointers,
    /// Learned exponents: flows follow the rate, levels don't.
    Exponents,
    /// What was measured of jobs like these.
    Experience,
}

impl Ablation {
    /// Every part that can be left out.
    pub const PARTS: [Ablation; 6] = [
        Ablation::Terms,
        Ablation::Latent,
        Ablation::Residual,
        Ablation::Pointers,
        Ablation::Exponents,
        Ablation::Experience,
    ];

    /// What people call the model without it.
    pub fn title(self) -> &'static str {
        match self {
            Ablation::Nothing => "whole",
            Ablation::Terms => "no shortages",
            Ablation::Latent => "no sensitivity and pressure",
            Ablation::Residual => "no residual",
            Ablation::Pointers => "no pointers",
            Ablation::Exponents => "no exponents",
            Ablation::Experience => "no experience",
        }
    }
}
