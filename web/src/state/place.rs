//! The places for jobs.

/// One of the places for a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The first job.
    A,
    /// The second job.
    B,
    /// The third job.
    C,
    /// The fourth job.
    D,
}

/// How many places there are.
pub const PLACES: usize = 4;

/// How many are always on show.
pub const LEAST_SHOWN: usize = 2;

impl Place {
    /// All, in order.
    pub const ALL: [Place; PLACES] = [Place::A, Place::B, Place::C, Place::D];

    /// From 0.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The letter people see, and what forecasts call the job.
    pub fn letter(self) -> &'static str {
        ["A", "B", "C", "D"][self.index()]
    }

    /// Where the other one of two things goes.
    #[must_use]
    pub fn partner(self) -> Place {
        match self {
            Place::A => Place::B,
            Place::B | Place::C | Place::D => Place::A,
        }
    }

    /// The place of this letter.
    pub fn named(letter: &str) -> Option<Place> {
        Place::ALL.into_iter().find(|place| place.letter() == letter)
    }
}
