//! A chart as a table, for who can't see it or wants the figures.

use std::rc::Rc;

use web_sys::HtmlDetailsElement;
use yew::prelude::*;

use super::ChartProps;
use super::layers::Chart;
use crate::format::clock;

/// More rows are of no use to anybody who reads; all are in the exported table.
const MOST_ROWS: usize = 60;

/// The table, made when it is asked for.
#[component]
pub(super) fn Values(ChartProps { chart }: &ChartProps) -> Html {
    let open = use_state_eq(|| false);
    let ontoggle = {
        let open = open.clone();
        move |event: Event| {
            if let Some(details) = event.target_dyn_into::<HtmlDetailsElement>() {
                open.set(details.open());
            }
        }
    };
    html! {
        <details class="values" {ontoggle}>
            <summary>{ "Table" }<span class="visually-hidden">{ format!(" of {}", chart.title) }</span></summary>
            if *open {
                <div tabindex="0" role="region" aria-label={format!("Values of {}", chart.title)}>{ table(chart) }</div>
            }
        </details>
    }
}

fn table(chart: &Rc<Chart>) -> Html {
    let columns = columns(chart);
    let steps = chart.time.len().div_ceil(MOST_ROWS).max(1);
    html! {
        <table>
            <thead><tr>
                <th scope="col">{ "time" }</th>
                { for columns.iter().map(|(name, _)| html! { <th scope="col">{ name }</th> }) }
            </tr></thead>
            <tbody>
                { for (0..chart.time.len()).step_by(steps).map(|row| html! {
                    <tr>
                        <th scope="row">{ clock(chart.time[row]) }</th>
                        { for columns.iter().map(|(_, values)| html! { <td>{ written(values.get(row).copied().flatten(), chart.top) }</td> }) }
                    </tr>
                }) }
            </tbody>
        </table>
    }
}

/// The names of the columns, and what is in them.
fn columns(chart: &Chart) -> Vec<(String, &[Option<f64>])> {
    let mut columns: Vec<(String, &[Option<f64>])> = vec![("together".to_owned(), &chart.total)];
    columns.extend(chart.layers.iter().map(|layer| (layer.label.clone(), &layer.own[..])));
    let named = [
        ("at least", &chart.lower),
        ("at most", &chart.upper),
        ("added up", &chart.naive),
        ("measured", &chart.truth),
    ];
    columns.extend(
        named.into_iter().filter(|(_, values)| !values.is_empty()).map(|(n, v)| (n.to_owned(), &v[..])),
    );
    columns
}

/// A value with as many decimals as three significant digits of the axis have.
fn written(value: Option<f64>, top: f64) -> String {
    let Some(value) = value else { return "unknown".to_owned() };
    let decimals = (2.0 - top.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::layers::charts;
    use crate::fixtures::forecast;

    #[test]
    fn a_table_has_a_column_for_all_that_is_drawn() {
        let charts = charts(&forecast(), None);
        let memory = charts.iter().find(|chart| chart.key == "memory_bytes").expect("memory");
        let names: Vec<String> = columns(memory).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["together", "before", "A", "B", "at least", "at most", "added up"]);
        for (name, values) in columns(memory) {
            assert_eq!(values.len(), memory.time.len(), "{name}");
        }
    }

    #[test]
    fn values_have_the_digits_of_their_axis() {
        let cases = [
            (Some(1.5), 2.0, "1.50"),
            (Some(0.003), 2.0, "0.00"),
            (Some(123.4), 500.0, "123"),
            (None, 2.0, "unknown"),
        ];
        for (value, top, wanted) in cases {
            assert_eq!(written(value, top), wanted, "{value:?} of {top}");
        }
    }
}
