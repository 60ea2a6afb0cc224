//! Drawing groups of jobs and pairs held out.

use crate::Random;

/// One in so many pairs of different jobs is held out.
const HELD_OUT_OF: usize = 5;

/// Jobs, as kind and name, dealt into groups: kind after kind, so that neighbours of one kind part.
pub(super) fn groups(jobs: &[(&str, &str)], groups: usize, seed: u64) -> Vec<Vec<String>> {
    let mut random = Random::new(seed);
    let mut kinds: Vec<Vec<(&str, &str)>> = jobs.chunk_by(|a, b| a.0 == b.0).map(<[_]>::to_vec).collect();
    for kind in &mut kinds {
        random.shuffle(kind);
    }
    // Otherwise the kinds that come late in the alphabet would always share a group with the same others.
    random.shuffle(&mut kinds);
    let count = groups.clamp(1, jobs.len().max(1));
    let mut dealt = vec![Vec::new(); count];
    for (turn, (_, name)) in kinds.iter().flatten().enumerate() {
        dealt[turn % count].push((*name).to_owned());
    }
    for group in &mut dealt {
        group.sort_unstable();
    }
    dealt
}

/// A fifth of the pairs of different jobs: one after the other, each of the jobs that have lost least so far.
pub(super) fn held_pairs(jobs: &[(&str, &str)], seed: u64) -> Vec<[String; 2]> {
    let mut names: Vec<&str> = jobs.iter().map(|(_, name)| *name).collect();
    names.sort_unstable();
    let mut pairs: Vec<[usize; 2]> =
        (0..names.len()).flat_map(|a| (a + 1..names.len()).map(move |b| [a, b])).collect();
    let take = (pairs.len() + HELD_OUT_OF / 2) / HELD_OUT_OF;
    Random::new(seed).shuffle(&mut pairs);
    let mut lost = vec![0; names.len()];
    let mut held = Vec::new();
    while held.len() < take {
        let cost = |[a, b]: &[usize; 2]| (lost[*a].max(lost[*b]), lost[*a] + lost[*b]);
        let Some(next) = (0..pairs.len()).min_by_key(|index| cost(&pairs[*index])) else { break };
        // Not `swap_remove`: of equal pairs the first drawn is taken.
        let [a, b] = pairs.remove(next);
        lost[a] += 1;
        lost[b] += 1;
        held.push([names[a].to_owned(), names[b].to_owned()]);
    }
    held.sort_unstable();
    held
}
