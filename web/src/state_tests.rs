use std::collections::BTreeMap;

use cotrace_trace::JobSpan;

use cotrace_trace::Capacity;

use super::*;
use crate::fields::NodeField;
use crate::fixtures::{forecast, trace};
use crate::messages::{PairSample, SoloSample};

/// A page with a model and samples `sort` and `scan`, measured together from the same start and 20 s apart.
fn ready() -> State {
    let solo = |name: &str| SoloSample {
        name: name.into(),
        kind: "cpu".into(),
        description: String::new(),
        file: format!("{name}.csv"),
        seconds: 8.0,
    };
    let pair = |offset_seconds: f64| PairSample {
        a: "sort".into(),
        b: "scan".into(),
        file: format!("sort+scan+{offset_seconds}.csv"),
        offset_seconds,
    };
    let samples = Samples {
        data: "set".into(),
        solo: vec![solo("sort"), solo("scan")],
        pairs: vec![pair(0.0), pair(20.0)],
    };
    State::default().after(arrived(Model::Cotrace, "set")).after(Action::SamplesArrived(Ok(samples)))
}

/// A model is there that has learned from `data`.
fn arrived(model: Model, data: &str) -> Action {
    let (name, version) = (model.name().to_owned(), "1".to_owned());
    Action::ModelArrived(
        model,
        Ok(ModelInfo { name, version, data: Some(data.into()), ..ModelInfo::default() }),
    )
}

fn read(state: &State, place: Place, ticket: u32, sample: Option<&str>) -> State {
    let name = sample.unwrap_or("file").to_owned();
    let answer = Ok(whole(TraceInfo { handle: ticket, name: name.clone(), ..trace() }));
    read_as(state, place, ticket, Reading { sample: sample.map(str::to_owned), ..named(&name) }, answer)
}

fn named(name: &str) -> Reading {
    Reading { name: name.to_owned(), ..Reading::default() }
}

fn whole(whole: TraceInfo) -> Box<Arrived> {
    Box::new(Arrived { whole, part: None })
}

/// Asks for a file and answers.
fn read_as(
    state: &State,
    place: Place,
    ticket: u32,
    reading: Reading,
    answer: Result<Box<Arrived>, Problem>,
) -> State {
    state.after(Action::ReadAsked { place, ticket, reading: reading.clone() }).after(Action::ReadArrived {
        place,
        ticket,
        reading,
        answer,
    })
}

/// A problem with a file that the worker keeps.
fn kept_problem(kind: &str, handle: u32) -> Problem {
    let mut problem = Problem::new(kind, "no");
    problem.details.handle = Some(handle);
    problem
}

/// A page that shows the forecast of both samples.
fn forecasted() -> State {
    let state = read(&read(&ready(), Place::A, 1, Some("sort")), Place::B, 2, Some("scan"));
    let request = state.wanted_forecast().expect("two traces and a model");
    state
        .after(Action::ForecastAsked(request.clone()))
        .after(Action::ForecastArrived(request, Ok(Rc::new(forecast()))))
}

fn measured(a: (f64, f64), b: (f64, f64)) -> Measured {
    let job = |name: &str, (start, end)| JobSpan {
        name: name.into(),
        start_seconds: Some(start),
        end_seconds: Some(end),
    };
    Measured { step_seconds: 1.0, metrics: BTreeMap::new(), jobs: vec![job("sort", a), job("scan", b)] }
}

#[test]
fn a_forecast_needs_a_model_two_traces_and_numbers() {
    let one = read(&ready(), Place::A, 1, None);
    assert_eq!(one.wanted_forecast(), None);
    let two = read(&one, Place::B, 2, None);
    let request = two.wanted_forecast().expect("all there");
    let names: Vec<&str> = request.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["A", "B"]);

    let later = two.after(Action::OffsetTyped(Place::B, "12.5".into()));
    assert_eq!(later.wanted_forecast().unwrap().jobs[1].offset_seconds, 12.5);
    assert_eq!(two.after(Action::OffsetTyped(Place::B, "soon".into())).wanted_forecast(), None);

    let node = two.after(Action::NodeTyped(NodeField::Cores, "4".into()));
    assert_eq!(node.wanted_forecast().unwrap().node.cores, Some(4.0));
    assert_eq!(node.after(Action::NodeReset(NodeField::Cores)).wanted_forecast(), Some(request));
    assert_eq!(two.after(Action::NodeTyped(NodeField::Disk, "-1".into())).wanted_forecast(), None);

    let no_model = State { models: Models::default(), ..two };
    assert_eq!(no_model.wanted_forecast(), None);
}

#[test]
fn another_model_asks_for_another_forecast_once_it_is_there() {
    let before = forecasted();
    let awaited = before.after(Action::ModelAsked(Model::ResourceNet));
    assert_eq!(awaited.wanted_forecast(), before.wanted_forecast());
    assert!(awaited.forecast_is_current() && awaited.is_working());

    let there = awaited.after(arrived(Model::ResourceNet, "another set"));
    let request = there.wanted_forecast().unwrap();
    assert_eq!(request.model, "resourcenet");
    assert_eq!(there.forecast, before.forecast, "until the new one is there");
    assert!(!there.forecast_is_current());

    let failed = awaited.after(Action::ModelArrived(Model::ResourceNet, Err(Problem::new("fetch", "404"))));
    assert_eq!(failed.wanted_forecast(), before.wanted_forecast());
    assert!(failed.models.problem().is_some() && !failed.is_working());
}

#[test]
fn another_model_of_one_s_own_forecasts_anew() {
    let first = forecasted().after(Action::ModelBrought).after(arrived(Model::Own, "mine"));
    let request = first.wanted_forecast().unwrap();
    let first = first
        .after(Action::ForecastAsked(request.clone()))
        .after(Action::ForecastArrived(request.clone(), Ok(Rc::new(forecast()))));
    assert!(first.forecast_is_current());
    let second = first.after(Action::ModelBrought);
    assert_eq!(second.next_question(), None, "it may be none");
    let wrong = second.after(Action::ModelArrived(Model::Own, Err(Problem::new("model", "none"))));
    assert!(wrong.forecast_is_current());
    let second = second.after(arrived(Model::Own, "mine, later"));
    assert_eq!(second.next_question(), Some(request));
    assert!(second.forecast.is_some(), "until the new one is there");
}

#[test]
fn whether_a_run_was_learned_from_is_asked_of_the_model_of_the_forecast_on_show() {
    let state = forecasted();
    let request = state.wanted_truth().unwrap();
    let measurement = Action::TruthArrived(request.clone(), Ok(measured((0.0, 9.0), (0.4, 11.0))));
    let shown = state.after(Action::TruthAsked(request)).after(measurement);
    let learned = |state: &State| state.has_learned(state.truth.as_deref().unwrap());
    assert_eq!(learned(&shown), Some(true));

    let other =
        shown.after(Action::ModelAsked(Model::ResourceNet)).after(arrived(Model::ResourceNet, "other"));
    assert_eq!(learned(&other), Some(true), "the forecast on show is still that of the first");
    let request = other.wanted_forecast().unwrap();
    let mut forecast = forecast();
    forecast.model.name = "resourcenet".into();
    let other = other
        .after(Action::ForecastAsked(request.clone()))
        .after(Action::ForecastArrived(request, Ok(Rc::new(forecast))));
    assert_eq!(learned(&other), Some(false));
}

#[test]
fn a_bad_file_leaves_everything_else() {
    let before = forecasted();
    let problem =
        Problem { file: Some("bad.csv".into()), line: Some(3), ..Problem::new("bad-number", "no number") };
    let after = read_as(&before, Place::B, 3, named("bad.csv"), Err(problem.clone()));
    assert_eq!(after.slot(Place::B).problem, Some(problem));
    assert_eq!(after.slot(Place::B).trace, before.slot(Place::B).trace);
    assert_eq!(after.slot(Place::B).sample(), Some("scan"));
    assert_eq!(after.slot(Place::A), before.slot(Place::A));
    assert_eq!(after.forecast, before.forecast);
    assert!(after.forecast_is_current());
    assert!(after.released.is_empty());
}

#[test]
fn answers_that_come_too_late_are_dropped() {
    let state = ready()
        .after(Action::ReadAsked { place: Place::A, ticket: 1, reading: named("slow.csv") })
        .after(Action::ReadAsked { place: Place::A, ticket: 2, reading: named("quick.csv") });
    let arrived = |state: &State, ticket: u32| {
        let answer = Ok(whole(TraceInfo { handle: ticket * 10, ..trace() }));
        state.after(Action::ReadArrived { place: Place::A, ticket, reading: named("file"), answer })
    };
    let quick = arrived(&state, 2);
    let slow = arrived(&quick, 1);
    assert_eq!(slow.slot(Place::A).trace.as_ref().map(|trace| trace.handle), Some(20));
    assert_eq!(slow.released, [10], "the worker may forget the trace nobody wants");

    let removed = arrived(&state.after(Action::Removed(Place::A)), 2);
    assert_eq!(removed.slot(Place::A), &Slot::default());
    assert_eq!(removed.released, [20]);

    let stopped = state.after(Action::ReadStopped(Place::A));
    assert!(stopped.slot(Place::A).reading.is_none());
    assert_eq!(arrived(&stopped, 2).slot(Place::A), &Slot::default());

    let swapped = arrived(&state.after(Action::Swapped), 2);
    assert!(swapped.slots.iter().all(|slot| slot.trace.is_none()));

    let shown = forecasted();
    let moved = shown.after(Action::OffsetTyped(Place::B, "5".into()));
    let newer = moved.wanted_forecast().unwrap();
    let asked = moved.after(Action::ForecastAsked(newer.clone()));
    let (older, _) = shown.forecast.clone().unwrap();
    let late = asked.after(Action::ForecastArrived(older, Err(Problem::new("forecast", "late"))));
    assert_eq!(late, asked);
    assert!(!late.forecast_is_current());
}

#[test]
fn a_failed_forecast_leaves_the_last_one() {
    let state = forecasted().after(Action::OffsetTyped(Place::B, "5".into()));
    let request = state.wanted_forecast().unwrap();
    let failed = state
        .after(Action::ForecastAsked(request.clone()))
        .after(Action::ForecastArrived(request, Err(Problem::new("forecast", "no"))));
    assert_eq!(failed.forecast, state.forecast);
    assert!(failed.forecast_problem().is_some());
    assert!(failed.asked.is_none());
}

#[test]
fn a_trace_is_released_once_no_way_leads_back_to_it() {
    let state = read(&forecasted(), Place::A, 9, None);
    assert_eq!(state.slot(Place::A).sample(), None);
    assert!(state.released.is_empty(), "it can be gone back to");
    assert_eq!(state.after(Action::Undone).slot(Place::A).sample(), Some("sort"));

    // So many other changes that the oldest way back is forgotten.
    let muted = |state: State, k: u32| state.after(Action::Muted(Place::B, k.is_multiple_of(2)));
    let later = (0..29).fold(state, muted);
    assert!(later.released.is_empty());
    let later = (29..31).fold(later, muted);
    assert_eq!(later.released, [1]);
    assert!(later.after(Action::Forgotten(vec![1])).released.is_empty());

    // Another way forth: the trace that was undone is of no use any more.
    let other =
        read(&forecasted(), Place::A, 9, None).after(Action::Undone).after(Action::Muted(Place::B, true));
    assert_eq!(other.released, [9]);
}

#[test]
fn removing_a_job_takes_its_forecast_away() {
    let state = forecasted().after(Action::Removed(Place::B));
    assert_eq!(state.forecast, None);
    assert_eq!(state.free_place(), Place::B);
    assert_eq!(state.after(Action::Undone).wanted_forecast(), forecasted().wanted_forecast());
}

#[test]
fn cores_typed_stay_while_the_same_file_is_read_again() {
    let assumed = TraceInfo { cores_assumed: true, ..trace() };
    let arrived = |state: &State, ticket: u32, again: bool, trace: TraceInfo| {
        read_as(state, Place::A, ticket, Reading { again, ..named("sar.csv") }, Ok(whole(trace)))
    };
    let typed = arrived(&ready(), 1, false, assumed)
        .after(Action::CoresTyped(Place::A, "8".into()))
        .after(Action::StepTyped(Place::A, "5".into()));
    let again = arrived(&typed, 2, true, trace());
    assert_eq!((again.slot(Place::A).cores.text(), again.slot(Place::A).step.text()), ("8", "5"));
    let other_file = arrived(&again, 3, false, trace());
    assert_eq!((other_file.slot(Place::A).cores.text(), other_file.slot(Place::A).step.text()), ("", ""));

    // The same file in the other place, with what was said about it.
    let mut reading = Reading { again: false, ..again.slot(Place::A).again() };
    reading.options.cores = Some(8.0);
    let both = read_as(&again, Place::B, 4, reading, Ok(whole(trace())));
    assert_eq!((both.slot(Place::B).cores.text(), both.slot(Place::B).step.text()), ("8", ""));
}

#[test]
fn a_file_that_can_be_read_in_another_way_is_kept_until_then() {
    let several = Problem {
        details: Box::new(crate::messages::Details {
            choices: vec!["db".into(), "web".into()],
            handle: Some(7),
            ..Default::default()
        }),
        ..Problem::new("several", "2 containers")
    };
    let failed = read_as(&ready(), Place::A, 1, named("stats.log"), Err(several.clone()));
    assert!(failed.released.is_empty());
    let again = failed.slot(Place::A).failed_again();
    assert_eq!(again.choices, ["db", "web"]);

    let read = read_as(&failed, Place::A, 2, again, Ok(whole(TraceInfo { handle: 8, ..trace() })));
    assert_eq!(read.released, [7], "the trace has the content now");
    assert_eq!(read.slot(Place::A).again().choices, ["db", "web"], "another one can be chosen");

    for (what, action) in [
        ("dismissed", Action::Dismissed(Place::A)),
        ("removed", Action::Removed(Place::A)),
        ("another file", Action::ReadAsked { place: Place::A, ticket: 9, reading: named("b.csv") }),
    ] {
        let after = failed.after(action);
        assert_eq!(after.released, [7], "{what}");
        assert_ne!(after.slot(Place::A).problem, Some(several.clone()), "{what}");
    }
    let late = ready().after(Action::ReadArrived {
        place: Place::A,
        ticket: 5,
        reading: named("late.csv"),
        answer: Err(kept_problem("bad-number", 12)),
    });
    assert_eq!(late.released, [12]);
}

const STRETCH: Stretch = Stretch { from_seconds: 2.0, to_seconds: 6.0 };

fn cut(state: &State, whole: u32, part: u32) -> State {
    let answer = Ok(TraceInfo { handle: part, ..trace() });
    state.after(Action::CutArrived { place: Place::A, whole, stretch: STRETCH, answer })
}

#[test]
fn a_part_is_forecast_and_the_whole_comes_back() {
    let before = forecasted();
    let part = cut(&before, 1, 10);
    assert_eq!(part.wanted_forecast().unwrap().jobs[0].handle, 10);
    assert_eq!(part.slot(Place::A).whole().map(|whole| whole.handle), Some(1));
    assert!(part.released.is_empty(), "the whole is kept");
    assert_eq!(part.wanted_truth(), None, "a part was not measured with anything");

    let other_part = cut(&part, 1, 11);
    assert!(other_part.released.is_empty(), "the part before can be gone back to");
    assert_eq!(other_part.after(Action::Undone).wanted_forecast(), part.wanted_forecast());
    assert_eq!(other_part.slot(Place::A).whole().map(|whole| whole.handle), Some(1));

    let whole = other_part.after(Action::Uncut(Place::A));
    assert_eq!(whole.wanted_forecast(), before.wanted_forecast());
    assert_eq!(whole.slot(Place::A).cut, None);
}

#[test]
fn a_part_of_a_trace_that_is_gone_is_dropped() {
    let state = cut(&read(&forecasted(), Place::A, 9, None), 1, 10);
    assert_eq!(state.slot(Place::A).trace.as_ref().map(|trace| trace.handle), Some(9));
    assert_eq!(state.released, [10], "nobody has seen it");
    let failed = forecasted().after(Action::CutArrived {
        place: Place::A,
        whole: 1,
        stretch: STRETCH,
        answer: Err(Problem::new("usage", "no samples")),
    });
    assert_eq!(failed.slot(Place::A).trace, forecasted().slot(Place::A).trace);
    assert!(failed.slot(Place::A).problem.is_some());
}

#[test]
fn a_part_is_cut_again_when_its_file_is_read_again() {
    let again = Reading { again: true, stretch: Some(STRETCH), ..named("sort") };
    let arrived = Arrived {
        whole: TraceInfo { handle: 20, ..trace() },
        part: Some((STRETCH, TraceInfo { handle: 21, ..trace() })),
    };
    let state = read_as(&cut(&forecasted(), 1, 10), Place::A, 5, again, Ok(Box::new(arrived)));
    assert!(state.released.is_empty());
    assert_eq!(state.slot(Place::A).trace.as_ref().map(|trace| trace.handle), Some(21));
    assert_eq!(state.slot(Place::A).whole().map(|whole| whole.handle), Some(20));
}

#[test]
fn the_measurement_lies_over_the_forecast_only_with_the_same_start() {
    let state = forecasted();
    let request = state.wanted_truth().expect("both are samples that ran together");
    assert_eq!(request.source, TruthSource::Sample("sort+scan+0.csv".into()));
    let asked = state.after(Action::TruthAsked(request.clone()));
    let same = asked.after(Action::TruthArrived(request.clone(), Ok(measured((0.0, 9.0), (0.4, 11.0)))));
    assert_eq!(same.comparable_truth().map(|truth| truth.makespan_seconds()), Some(11.0));

    let apart = asked.after(Action::TruthArrived(request.clone(), Ok(measured((0.0, 9.0), (20.0, 31.0)))));
    assert!(apart.truth.is_some());
    assert_eq!(apart.comparable_truth(), None);

    let unknown = Measured { jobs: vec![], ..measured((0.0, 1.0), (0.0, 1.0)) };
    let failed = asked.after(Action::TruthArrived(request.clone(), Ok(unknown)));
    assert_eq!(failed.truth, None);
    assert!(failed.truth_problem.is_some_and(|problem| problem.message.contains("does not say when")));

    // Another job in B: the measurement is of other jobs now.
    let other = read(&same, Place::B, 7, None);
    assert_eq!(other.wanted_truth(), None);
    assert_eq!(other.comparable_truth(), None);
}

#[test]
fn a_later_start_asks_for_the_run_with_the_nearest_one() {
    let state = forecasted().after(Action::OffsetTyped(Place::B, "15".into()));
    let request = state.wanted_forecast().unwrap();
    let state = state
        .after(Action::ForecastAsked(request.clone()))
        .after(Action::ForecastArrived(request, Ok(Rc::new(forecast()))));
    let source = state.wanted_truth().map(|request| request.source);
    assert_eq!(source, Some(TruthSource::Sample("sort+scan+20.csv".into())));
}

fn names(state: &State) -> Vec<String> {
    let jobs = state.wanted_forecast().map(|request| request.jobs).unwrap_or_default();
    jobs.into_iter().map(|job| job.name).collect()
}

#[test]
fn every_change_can_be_undone_and_redone() {
    let cases: [(&str, Action); 9] = [
        ("start", Action::OffsetTyped(Place::B, "5".into())),
        ("size", Action::SizeTyped(Place::A, "2".into())),
        ("mute", Action::Muted(Place::A, true)),
        ("node", Action::NodeTyped(NodeField::Cores, "4".into())),
        ("preset", Action::NodeChosen(Capacity { cores: Some(8.0), ..Capacity::default() })),
        ("duplicate", Action::Duplicated(Place::A)),
        ("remove", Action::Removed(Place::B)),
        ("swap", Action::Swapped),
        ("clear", Action::Cleared),
    ];
    let before = forecasted();
    for (what, action) in cases {
        let after = before.after(action);
        assert_ne!(after.document(), before.document(), "{what} changes something");
        let undone = after.after(Action::Undone);
        assert_eq!(undone.document(), before.document(), "{what} undone");
        assert_eq!(undone.wanted_forecast(), before.wanted_forecast(), "{what} undone");
        let redone = undone.after(Action::Redone);
        assert_eq!(redone.document(), after.document(), "{what} redone");
        assert!(redone.released.is_empty(), "{what}: all of it can still be gone back to");
    }
    let nothing = ready().after(Action::Undone).after(Action::Redone);
    assert_eq!(nothing.document(), ready().document());
}

#[test]
fn what_is_typed_letter_by_letter_is_one_step() {
    let before = forecasted();
    let typed = ["1", "12", "12.", "12.5"].into_iter();
    let typed =
        typed.fold(before.clone(), |state, text| state.after(Action::OffsetTyped(Place::B, text.into())));
    assert_eq!(typed.after(Action::Undone).document(), before.document());
    let other = typed.after(Action::SizeTyped(Place::B, "2".into()));
    assert_eq!(other.after(Action::Undone).document(), typed.document());
}

#[test]
fn a_third_and_a_fourth_job_are_forecast_with_the_others() {
    let three = forecasted().after(Action::Duplicated(Place::A));
    assert_eq!((three.shown, names(&three)), (3, vec!["A".into(), "B".into(), "C".into()]));
    let handles: Vec<u32> = three.wanted_forecast().unwrap().jobs.iter().map(|job| job.handle).collect();
    assert_eq!(handles, [1, 2, 1], "the worker has the trace once");
    assert_eq!(three.wanted_truth(), forecasted().wanted_truth(), "until the forecast of three is there");

    let empty = three.after(Action::Added).after(Action::Added);
    assert_eq!((empty.shown, empty.free_place()), (4, Place::D));
    assert_eq!(names(&empty).len(), 3, "an empty place is no job");

    let later = three.after(Action::OffsetTyped(Place::C, "7".into()));
    let without = later.after(Action::Removed(Place::B));
    assert_eq!((without.shown, names(&without)), (2, vec!["A".into(), "B".into()]));
    assert_eq!(without.wanted_forecast().unwrap().jobs[1].offset_seconds, 7.0, "C moved up with its start");
    assert!(without.after(Action::Removed(Place::A)).released.is_empty(), "the trace is still B's");
}

#[test]
fn a_muted_job_is_left_out_and_its_copy_is_not() {
    let muted = forecasted().after(Action::Muted(Place::A, true));
    assert_eq!(names(&muted), ["B"]);
    assert_eq!(names(&muted.after(Action::Muted(Place::B, true))), Vec::<String>::new());
    assert_eq!(names(&muted.after(Action::Muted(Place::A, false))), ["A", "B"]);
}

#[test]
fn a_larger_job_was_not_measured() {
    let larger = forecasted().after(Action::SizeTyped(Place::A, "2".into()));
    let request = larger.wanted_forecast().unwrap();
    assert_eq!((request.jobs[0].size, request.jobs[1].size), (2.0, 1.0));
    let shown = larger
        .after(Action::ForecastAsked(request.clone()))
        .after(Action::ForecastArrived(request, Ok(Rc::new(forecast()))));
    assert_eq!(shown.wanted_truth(), None);
    for wrong in ["0", "-1", "big", "1000"] {
        let typed = forecasted().after(Action::SizeTyped(Place::A, wrong.into()));
        assert_eq!(typed.wanted_forecast(), None, "{wrong}");
    }
}

#[test]
fn while_a_question_is_answered_only_the_newest_waits() {
    let moved = |state: &State, seconds: &str| state.after(Action::OffsetTyped(Place::B, seconds.into()));
    let first = moved(&forecasted(), "1");
    let asked = first.next_question().expect("nothing is being answered");
    let waiting = ["2", "3", "4"]
        .iter()
        .fold(first.after(Action::ForecastAsked(asked.clone())), |state, at| moved(&state, at));
    assert_eq!(waiting.next_question(), None);
    let answered = waiting.after(Action::ForecastArrived(asked, Ok(Rc::new(forecast()))));
    assert_eq!(answered.next_question().unwrap().jobs[1].offset_seconds, 4.0);
    assert_eq!(answered.next_question(), answered.wanted_forecast());
}

#[test]
fn a_file_of_ones_own_takes_the_place_of_the_example() {
    let controls = Box::default();
    let opened =
        ready().after(Action::Opened { controls, shown: 2, node: NodeForm::default(), example: true });
    let reading = |sample: &str| Reading { sample: Some(sample.into()), opened: true, ..named(sample) };
    let answer = |handle: u32| Ok(whole(TraceInfo { handle, ..trace() }));
    let a = read_as(&opened, Place::A, 1, reading("sort"), answer(1));
    let example = read_as(&a, Place::B, 2, reading("scan"), answer(2));
    assert_eq!((example.filled().len(), example.free_place()), (2, Place::A));
    assert!(!example.history.can().0, "it is what the page began with");

    let own = read_as(&example, Place::A, 3, named("mine.csv"), answer(3));
    assert_eq!((own.filled(), own.free_place(), own.example), (vec![Place::A], Place::B, false));
    let another = read(&example, Place::A, 3, Some("scan"));
    assert_eq!(another.filled().len(), 2, "another sample is another example");
}

#[test]
fn what_is_written_opens_as_it_was() {
    let state = forecasted()
        .after(Action::Duplicated(Place::B))
        .after(Action::OffsetTyped(Place::B, "3.5".into()))
        .after(Action::SizeTyped(Place::C, "2".into()))
        .after(Action::Muted(Place::C, true))
        .after(Action::NodeChosen(Capacity { cores: Some(8.0), ..Capacity::default() }));
    let (scene, traces) = crate::scene::written(&state);
    assert!(traces.is_empty() && scene.is_of_samples());
    let text = serde_json::to_string(&scene).unwrap();
    let read_back: crate::scene::Scene = serde_json::from_str(&text).unwrap();
    let opened = ready().after(Action::Opened {
        controls: Box::new(read_back.controls()),
        shown: read_back.shown(),
        node: read_back.node_form(),
        example: false,
    });
    let opened =
        read_back.jobs.iter().zip(Place::ALL).zip(1..).fold(opened, |state, ((job, place), ticket)| {
            let reading = Reading { sample: job.sample.clone(), opened: true, ..named(&job.name) };
            let trace = TraceInfo { handle: ticket, name: job.name.clone(), ..trace() };
            read_as(&state, place, ticket, reading, Ok(whole(trace)))
        });
    assert_eq!(crate::scene::written(&opened), (scene, vec![]));

    let own = read(&state, Place::A, 40, None);
    let (scene, traces) = crate::scene::written(&own);
    assert_eq!(traces, [(0, 40)], "the worker must write what is no sample");
    assert!(!scene.is_of_samples());
}
