//! Random draws that are the same on every machine and in every version: plans and splits are gone on with months later.

/// A small generator of random numbers (`SplitMix64`).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Draws from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Draws from a seed for one purpose, so that drawing more for one changes nothing for another.
    pub fn of(seed: u64, purpose: &str) -> Random {
        // FNV-1a.
        let hash = purpose.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Random(seed ^ hash)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// A number from 0 to below 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Puts items in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_drawn_in_every_version() {
        let mut random = Random::new(1);
        assert_eq!([(); 4].map(|()| random.below(1000)), [465, 519, 590, 235]);
        let mut order: Vec<u32> = (0..6).collect();
        Random::of(1, "pairs").shuffle(&mut order);
        assert_eq!(order, [0, 3, 5, 2, 1, 4]);
        assert!((0..100).all(|_| (0.0..1.0).contains(&random.share())));
    }
}
