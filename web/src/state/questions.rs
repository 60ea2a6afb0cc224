//! What the page wants to know, and what follows from what it knows.

use std::rc::Rc;

use cotrace_trace::Capacity;

use super::{Control, LEAST_SHOWN, Place, Slot, State, Truth, TruthRequest, TruthSource};
use crate::messages::{ForecastRequest, JobRequest, Problem};
use crate::models::Model;

impl State {
    /// The place.
    pub fn slot(&self, place: Place) -> &Slot {
        &self.slots[place.index()]
    }

    /// What is wanted of a job.
    pub fn control(&self, place: Place) -> &Control {
        &self.controls[place.index()]
    }

    /// The places on show.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        Place::ALL.into_iter().take(self.shown)
    }

    /// The places on show that hold a trace.
    pub fn filled(&self) -> Vec<Place> {
        self.places().filter(|place| self.slot(*place).trace.is_some()).collect()
    }

    /// Where a trace goes that was given to no place in particular: the first empty one, or A.
    pub fn free_place(&self) -> Place {
        let free = |place: &Place| self.slot(*place).trace.is_none() && self.slot(*place).reading.is_none();
        self.places().find(free).filter(|_| !self.example).unwrap_or(Place::A)
    }

    /// What the traces say about the node: A's word first.
    pub fn traces_capacity(&self) -> Capacity {
        let traces = self.places().filter_map(|place| self.slot(place).trace.as_ref());
        traces.fold(Capacity::default(), |capacity, trace| capacity.or(trace.capacity))
    }

    /// The forecast that the page should show now. `None`: something is missing or not a number.
    pub fn wanted_forecast(&self) -> Option<ForecastRequest> {
        let model = self.models.forecasting()?.name().to_owned();
        let node = self.node.typed_capacity().ok()?;
        let filled = self.filled();
        if filled.len() < LEAST_SHOWN {
            return None;
        }
        let job = |place: Place| {
            let control = self.control(place);
            Some(JobRequest {
                handle: self.slot(place).trace.as_ref()?.handle,
                // The forecast calls the jobs as the page does: file names are long, and may be the same.
                name: place.letter().to_owned(),
                offset_seconds: if place == Place::A { 0.0 } else { control.offset_seconds().ok()? },
                size: control.times().ok()?,
            })
        };
        let counted = filled.into_iter().filter(|place| !self.control(*place).muted);
        let jobs: Vec<JobRequest> = counted.map(job).collect::<Option<_>>()?;
        (!jobs.is_empty()).then_some(ForecastRequest { jobs, node, model })
    }

    /// Whether the forecast on show answers what the page says now.
    pub fn forecast_is_current(&self) -> bool {
        self.forecast.as_ref().map(|(request, _)| request) == self.wanted_forecast().as_ref()
    }

    /// Why what the page says now can't be forecast.
    pub fn forecast_problem(&self) -> Option<&Problem> {
        let (request, problem) = self.refused.as_ref()?;
        (self.wanted_forecast().as_ref() == Some(request)).then_some(problem)
    }

    /// The question to ask next. While one is being answered none is: the newest is asked then, and what lies between is
    /// left out.
    pub fn next_question(&self) -> Option<ForecastRequest> {
        let open = self.asked.is_none() && !self.forecast_is_current() && self.forecast_problem().is_none();
        self.wanted_forecast().filter(|_| open)
    }

    /// Whether an answer is on its way.
    pub fn is_working(&self) -> bool {
        self.models.awaited().is_some() || self.asked.is_some() || self.next_question().is_some()
    }

    /// Whether what the page begins with is there, all of it, or can't be had.
    pub(super) fn has_begun(&self) -> bool {
        let fails = self.models.failure().is_some() || self.share_problem.is_some();
        if fails || self.slots.iter().any(|slot| slot.problem.is_some()) {
            return true;
        }
        let measured = self.wanted_truth().is_none_or(|wanted| {
            self.truth_problem.is_some() || self.truth.as_ref().is_some_and(|truth| truth.request == wanted)
        });
        let reads = self.slots.iter().any(|slot| slot.reading.is_some());
        !self.filled().is_empty() && !reads && !self.is_working() && measured
    }

    /// The places of the jobs of a request.
    fn places_of(request: &ForecastRequest) -> Vec<Place> {
        request.jobs.iter().filter_map(|job| Place::named(&job.name)).collect()
    }

    /// The measurement that belongs to the forecast on show: the one that the person brought, or, if A and B are samples
    /// that ran together, that.
    pub fn wanted_truth(&self) -> Option<TruthRequest> {
        let (request, forecast) = self.forecast.as_ref()?;
        let step_seconds = forecast.step_seconds;
        let places = State::places_of(request);
        if let Some(own) = &self.own_truth {
            let name = |place: &Place| self.slot(*place).trace.as_ref().map(|trace| trace.name.clone());
            let names = places.iter().filter_map(name).collect();
            return Some(TruthRequest {
                source: TruthSource::File(own.handle, own.name.clone()),
                names,
                step_seconds,
            });
        }
        let samples = self.samples.as_ref().ok()?;
        let [a, b] = places[..] else { return None };
        // A part of a job, or a longer one, has not been measured together with anything.
        let as_it_is = |place: Place| {
            let size = request.jobs.iter().find(|job| job.name == place.letter()).map(|job| job.size);
            self.slot(place).cut.is_none() && size == Some(1.0)
        };
        if ![a, b].into_iter().all(as_it_is) {
            return None;
        }
        let offset_seconds = request.jobs[1].offset_seconds - request.jobs[0].offset_seconds;
        let (a, b) = (self.slot(a).sample()?, self.slot(b).sample()?);
        let pair = samples.pair(a, b, offset_seconds)?;
        Some(TruthRequest {
            source: TruthSource::Sample(pair.file.clone()),
            names: vec![a.to_owned(), b.to_owned()],
            step_seconds,
        })
    }

    /// Whether the model of the forecast on show has learned from the measured run. `None`: it does not say.
    pub fn has_learned(&self, truth: &Truth) -> Option<bool> {
        let (request, _) = self.forecast.as_ref()?;
        let samples = self.samples.as_ref().ok()?;
        let [a, b] = &truth.request.names[..] else { return None };
        if truth.is_own() {
            return None;
        }
        self.models.info(Model::named(&request.model)?)?.has_learned(&samples.data, &[a.clone(), b.clone()])
    }

    /// The measurement, if its jobs started in it when they do in the forecast on show, as far as it says that.
    pub fn comparable_truth(&self) -> Option<&Rc<Truth>> {
        let (request, forecast) = self.forecast.as_ref()?;
        let truth = self.truth.as_ref()?;
        if self.wanted_truth().as_ref() != Some(&truth.request) {
            return None;
        }
        let near = match (truth.offset_seconds(), &request.jobs[..]) {
            (Some(measured), [a, b]) if !truth.is_own() => {
                (measured - (b.offset_seconds - a.offset_seconds)).abs() <= forecast.step_seconds.max(2.0)
            }
            _ => true,
        };
        near.then_some(truth)
    }
}
