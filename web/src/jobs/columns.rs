//! What the columns of a table were taken for, and what they are if that is wrong.

use cotrace_trace::{Guess, GuessedColumn, Metric, Role};
use yew::prelude::*;

use super::card::CardProps;
use crate::actions::Actions;
use crate::memory;
use crate::select::{Choice, Select};
use crate::state::{Place, Reading};

const IGNORED: &str = "ignored";
const TIME: &str = "time";

/// The columns of the trace on the card, if they were guessed.
#[component]
pub(super) fn TraceColumns(CardProps { state, place }: &CardProps) -> Html {
    let slot = state.slot(*place);
    let Some((whole, guess)) = slot.whole().and_then(|whole| Some((whole, whole.guess.clone()?))) else {
        return html! {};
    };
    let said = slot.read.options.mapping.is_some();
    let summary = match (said, slot.read.remembered) {
        (true, true) => "Columns as you set them before",
        (true, false) => "Columns as you set them",
        (false, _) => "Columns, as guessed",
    };
    html! {
        <div class="about">
            <details data-columns={place.letter()}>
                <summary>{ summary }</summary>
                <Columns place={*place} handle={whole.handle} {guess} reading={slot.again()} />
            </details>
        </div>
    }
}

/// The columns of a table that could not be read.
#[component]
pub(super) fn FailedColumns(CardProps { state, place }: &CardProps) -> Html {
    let slot = state.slot(*place);
    let details = slot.problem.as_ref().map(|problem| &problem.details);
    let Some((handle, guess)) = details.and_then(|details| Some((details.handle?, details.guess.clone()?)))
    else {
        return html! {};
    };
    html! {
        <div data-columns={place.letter()}>
            <Columns place={*place} {handle} {guess} reading={slot.failed_again()} />
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ColumnsProps {
    place: Place,
    /// What the worker calls the table.
    handle: u32,
    guess: Guess,
    /// How it was read.
    reading: Reading,
}

/// Each column with what it is; the person's own choice counts once they say so.
#[component]
fn Columns(ColumnsProps { place, handle, guess, reading }: &ColumnsProps) -> Html {
    let (place, handle) = (*place, *handle);
    let draft = use_state_eq(|| guess.mapping());
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let changed = *draft != guess.mapping();
    let read = {
        let (actions, guess, reading, draft) =
            (actions.clone(), guess.clone(), reading.clone(), draft.clone());
        move |_| {
            memory::remember(&guess, &draft);
            let mut reading = Reading { remembered: false, ..reading.clone() };
            reading.options.mapping = Some((*draft).clone());
            actions.read_again(place, handle, reading);
        }
    };
    let forget = {
        let (guess, reading) = (guess.clone(), reading.clone());
        move |_| {
            memory::forget(&guess);
            let mut reading = Reading { remembered: false, ..reading.clone() };
            reading.options.mapping = None;
            actions.read_again(place, handle, reading);
        }
    };
    let rows = guess.columns.iter().enumerate().map(|(index, column)| {
        let role = draft.columns.get(index).map_or_else(|| column.role.clone(), |(_, role)| role.clone());
        let onrole = {
            let draft = draft.clone();
            Callback::from(move |role: Role| {
                let mut mapping = (*draft).clone();
                if let Some((_, old)) = mapping.columns.get_mut(index) {
                    *old = role;
                }
                draft.set(mapping);
            })
        };
        html! { <ColumnRow key={index} {place} column={column.clone()} {role} {onrole} /> }
    });
    html! {
        <div class="columns">
            <ul>{ for rows }</ul>
            <div class="ways">
                <button type="button" class={classes!("button", changed.then_some("primary"))} onclick={read}
                    disabled={!changed}>{ "Read it so" }</button>
                if reading.options.mapping.is_some() {
                    <button type="button" class="button" onclick={forget}>{ "Forget, and guess" }</button>
                }
            </div>
            <p class="note">{ "What you set is kept in this browser for tables with the same header; what is in them is not." }</p>
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct RowProps {
    place: Place,
    column: GuessedColumn,
    /// What it is as of now.
    role: Role,
    onrole: Callback<Role>,
}

#[component]
fn ColumnRow(RowProps { place, column, role, onrole }: &RowProps) -> Html {
    let letter = place.letter();
    let header = &column.header;
    let mut roles = vec![Choice::new(IGNORED, "not used"), Choice::new(TIME, "time")];
    roles.extend(Metric::ALL.iter().map(|metric| Choice::new(metric.name(), metric.title())));
    let mut units: Vec<Choice> = units(role).iter().map(|unit| Choice::new(unit, *unit)).collect();
    if unit_of(role).is_empty() && !units.is_empty() {
        units.insert(0, Choice::new("", "as it looks"));
    }
    let onunit = {
        let (role, onrole) = (role.clone(), onrole.clone());
        Callback::from(move |unit: String| onrole.emit(with_unit(&role, unit)))
    };
    let reason = if *role == column.role { column.reason.as_str() } else { "as you say" };
    html! {
        <li>
            <p><strong>{ header }</strong><span class="muted">{ format!("  {}", column.examples.join(", ")) }</span></p>
            <div class="column-role">
                <Select label={format!("What {header} is, job {letter}")} value={role_name(role)} choices={roles}
                    onchange={onrole.reform(|name: String| role_called(&name))} />
                if !units.is_empty() {
                    <Select label={format!("Unit of {header}, job {letter}")} value={unit_of(role).to_owned()}
                        choices={units} onchange={onunit} />
                }
            </div>
            if !reason.is_empty() { <p class="note">{ reason }</p> }
        </li>
    }
}

fn role_name(role: &Role) -> &'static str {
    match role {
        Role::Ignored => IGNORED,
        Role::Time { .. } => TIME,
        Role::Metric { metric, .. } => metric.name(),
    }
}

/// The role of that name. Its unit is left to the name and the values of the column.
fn role_called(name: &str) -> Role {
    match Metric::from_name(name) {
        Some(metric) => Role::Metric { metric, unit: String::new() },
        None if name == TIME => Role::Time { unit: String::new() },
        None => Role::Ignored,
    }
}

fn units(role: &Role) -> &'static [&'static str] {
    match role {
        Role::Ignored => &[],
        Role::Time { .. } => Role::TIME_UNITS,
        Role::Metric { metric, .. } => Role::units(*metric),
    }
}

fn unit_of(role: &Role) -> &str {
    match role {
        Role::Ignored => "",
        Role::Time { unit } | Role::Metric { unit, .. } => unit,
    }
}

fn with_unit(role: &Role, unit: String) -> Role {
    match role {
        Role::Ignored => Role::Ignored,
        Role::Time { .. } => Role::Time { unit },
        Role::Metric { metric, .. } => Role::Metric { metric: *metric, unit },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_a_name_and_comes_back_by_it() {
        let metrics = Metric::ALL.iter().map(|metric| metric.name());
        for name in [IGNORED, TIME].into_iter().chain(metrics) {
            let role = role_called(name);
            assert_eq!(role_name(&role), name);
            let units = units(&role);
            assert_eq!(unit_of(&role), "", "{name}");
            assert_eq!(units.is_empty(), name == IGNORED, "{name} has units");
            for unit in units {
                assert_eq!(unit_of(&with_unit(&role, (*unit).to_owned())), *unit, "{name}");
            }
        }
    }

    #[test]
    fn a_draft_has_a_role_for_every_column() {
        let column = |header: &str, role: Role| GuessedColumn {
            header: header.to_owned(),
            examples: vec![],
            role,
            reason: String::new(),
        };
        let guess = Guess { columns: vec![column("t", role_called(TIME)), column("x", Role::Ignored)] };
        assert_eq!(
            guess.mapping().columns,
            [("t".to_owned(), role_called(TIME)), ("x".to_owned(), Role::Ignored)]
        );
    }
}
