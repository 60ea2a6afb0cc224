//! The runs of each split.

use std::collections::BTreeSet;

use super::{Splits, SplitsError};
use crate::{Manifest, Run, RunKind};

/// A run that a split is judged on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The run's id.
    pub run: String,
    /// Which of its jobs are judged, as indices of [`Run::jobs`].
    pub jobs: Vec<usize>,
}

/// The runs of one split, in the manifest's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitRuns {
    /// The split's name.
    pub name: String,
    /// Ids of the runs that training may see.
    pub train: Vec<String>,
    /// The runs it is judged on.
    pub test: Vec<Judged>,
}

/// A run that training sees and must not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// The split.
    pub split: String,
    /// The run's id.
    pub run: String,
    /// What is wrong with it.
    pub why: String,
}

/// One of the splits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    SeenPairs,
    UnseenPairs,
    Triples,
    Cut(String),
    UnseenSize,
    /// One group or two, from 0.
    UnseenJobs(Vec<usize>),
}

impl Kind {
    pub(super) fn name(&self) -> String {
        match self {
            Kind::SeenPairs => "seen-pairs".to_owned(),
            Kind::UnseenPairs => "unseen-pairs".to_owned(),
            Kind::Triples => "triples".to_owned(),
            Kind::Cut(cut) => cut.clone(),
            Kind::UnseenSize => "unseen-size".to_owned(),
            Kind::UnseenJobs(groups) => {
                let numbers: Vec<String> = groups.iter().map(|group| (group + 1).to_string()).collect();
                format!("unseen-jobs-{}", numbers.join("-"))
            }
        }
    }
}

impl Splits {
    /// The names of all splits of a data set.
    pub fn names(&self, manifest: &Manifest) -> Vec<String> {
        self.kinds(manifest).iter().map(Kind::name).collect()
    }

    fn kinds(&self, manifest: &Manifest) -> Vec<Kind> {
        let cuts: BTreeSet<&str> = manifest.runs.iter().filter_map(Run::cut_name).collect();
        let groups = self.groups.len();
        let twos = (0..groups).flat_map(|a| (a + 1..groups).map(move |b| Kind::UnseenJobs(vec![a, b])));
        [Kind::SeenPairs, Kind::UnseenPairs, Kind::Triples]
            .into_iter()
            .chain(cuts.into_iter().map(|cut| Kind::Cut(cut.to_owned())))
            .chain([Kind::UnseenSize])
            .chain((0..groups).map(|group| Kind::UnseenJobs(vec![group])))
            .chain(twos)
            .collect()
    }

    /// The runs of a split.
    ///
    /// # Errors
    /// There is no such split, or the splits are of another data set.
    pub fn runs(&self, manifest: &Manifest, name: &str) -> Result<SplitRuns, SplitsError> {
        self.fit(manifest)?;
        let Some(kind) = self.kinds(manifest).into_iter().find(|kind| kind.name() == name) else {
            return Err(SplitsError::Unknown { name: name.to_owned(), known: self.names(manifest) });
        };
        let see = See { splits: self, manifest };
        let calm = || manifest.runs.iter().filter(|run| !run.disturbed);
        let train = calm().filter(|run| see.trains_on(&kind, run)).map(|run| run.id.clone()).collect();
        let judged = |run: &Run| {
            let jobs = see.judged(&kind, run);
            (!jobs.is_empty()).then(|| Judged { run: run.id.clone(), jobs })
        };
        Ok(SplitRuns { name: name.to_owned(), train, test: calm().filter_map(judged).collect() })
    }

    /// Looks whether any split trains on what it is judged on. Goes by what was promised of each split, not by how its
    /// runs are picked.
    ///
    /// # Errors
    /// The splits are of another data set.
    pub fn leaks(&self, manifest: &Manifest) -> Result<Vec<Leak>, SplitsError> {
        let mut leaks = Vec::new();
        for kind in self.kinds(manifest) {
            let runs = self.runs(manifest, &kind.name())?;
            leaks.extend(self.leaks_of(manifest, &kind, &runs));
        }
        Ok(leaks)
    }

    pub(super) fn leaks_of(&self, manifest: &Manifest, kind: &Kind, runs: &SplitRuns) -> Vec<Leak> {
        let judged: BTreeSet<&String> = runs.test.iter().map(|judged| &judged.run).collect();
        let trained = manifest.runs.iter().filter(|run| runs.train.contains(&run.id));
        let why = |run: &Run| {
            if judged.contains(&run.id) {
                return Some("is judged too".to_owned());
            }
            if run.disturbed || run.cut.is_some() || run.jobs.len() > 2 {
                return Some("is disturbed, of a cut node or of three jobs".to_owned());
            }
            match kind {
                Kind::UnseenJobs(groups) => {
                    let unseen = |name: &str| {
                        groups
                            .iter()
                            .any(|group| self.groups[*group].iter().any(|job| job == manifest.base_job(name)))
                    };
                    let job = run.jobs.iter().find(|job| unseen(&job.name))?;
                    Some(format!("has the unseen job {}", job.name))
                }
                Kind::UnseenSize => {
                    let job = run.jobs.iter().find(|job| manifest.is_size(&job.name))?;
                    Some(format!("has job {} of an unseen size", job.name))
                }
                _ => {
                    let mut names: Vec<&str> =
                        run.jobs.iter().map(|job| manifest.base_job(&job.name)).collect();
                    names.sort_unstable();
                    let held =
                        self.held_pairs.iter().any(|pair| names == pair.each_ref().map(|name| &**name));
                    held.then(|| "is of a pair held out".to_owned())
                }
            }
        };
        let leak = |run: &Run| Some(Leak { split: runs.name.clone(), run: run.id.clone(), why: why(run)? });
        trained.filter_map(leak).collect()
    }
}

/// The names of a run's jobs in alphabetical order.
fn names(run: &Run) -> Vec<&str> {
    let mut names: Vec<&str> = run.jobs.iter().map(|job| &*job.name).collect();
    names.sort_unstable();
    names
}

/// What a split sees of a run.
struct See<'a> {
    splits: &'a Splits,
    manifest: &'a Manifest,
}

impl See<'_> {
    fn trains_on(&self, kind: &Kind, run: &Run) -> bool {
        let known_node = run.cut.is_none() && run.jobs.len() <= 2;
        known_node
            && match kind {
                Kind::SeenPairs | Kind::UnseenPairs | Kind::Triples | Kind::Cut(_) => self.is_usual(run),
                Kind::UnseenSize => !self.has_size(run),
                Kind::UnseenJobs(groups) => self.unseen(groups, run).is_empty(),
            }
    }

    /// Which jobs of a run are judged.
    fn judged(&self, kind: &Kind, run: &Run) -> Vec<usize> {
        if run.kind == RunKind::Solo {
            return Vec::new();
        }
        let all: Vec<usize> = (0..run.jobs.len()).collect();
        let when = |judged: bool| if judged { all.clone() } else { Vec::new() };
        if let Kind::Cut(cut) = kind {
            return when(run.cut_name() == Some(cut));
        }
        if run.cut.is_some() {
            return Vec::new();
        }
        if self.has_size(run) {
            return when(*kind == Kind::UnseenSize && run.jobs.len() == 2);
        }
        match kind {
            Kind::Triples => when(run.jobs.len() > 2),
            _ if run.jobs.len() > 2 => Vec::new(),
            Kind::SeenPairs => when(run.repeat > 0 && !self.is_held(run) && self.was_seen(run)),
            Kind::UnseenPairs => when(self.is_held(run)),
            Kind::UnseenJobs(groups) if groups.len() == 1 => self.unseen(groups, run),
            Kind::UnseenJobs(groups) => {
                let each = groups.iter().all(|group| !self.unseen(&[*group], run).is_empty());
                when(each)
            }
            Kind::UnseenSize | Kind::Cut(_) => Vec::new(),
        }
    }

    fn is_usual(&self, run: &Run) -> bool {
        !self.is_held(run) && (run.kind == RunKind::Solo || run.repeat == 0)
    }

    /// Whether the usual training has a run of the same jobs: the first measurement may have been disturbed.
    fn was_seen(&self, run: &Run) -> bool {
        let usual = |other: &&Run| !other.disturbed && other.cut.is_none() && self.is_usual(other);
        self.manifest.runs.iter().filter(usual).any(|other| names(other) == names(run))
    }

    fn is_held(&self, run: &Run) -> bool {
        match &run.jobs[..] {
            [a, b] => self.splits.holds_out(self.manifest, &a.name, &b.name),
            _ => false,
        }
    }

    fn has_size(&self, run: &Run) -> bool {
        run.jobs.iter().any(|job| self.manifest.is_size(&job.name))
    }

    /// The jobs of a run that are in some of these groups.
    fn unseen(&self, groups: &[usize], run: &Run) -> Vec<usize> {
        let is_unseen = |name: &str| {
            self.splits.group_of(self.manifest, name).is_some_and(|group| groups.contains(&group))
        };
        (0..run.jobs.len()).filter(|job| is_unseen(&run.jobs[*job].name)).collect()
    }
}
