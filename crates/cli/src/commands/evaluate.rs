//! `cotrace evaluate --data DIR`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use cotrace_forecast::Baseline;
use cotrace_train::{DataSet, Figures, MeasuredPair, Predictor, evaluate};

use crate::failure::Failure;
use crate::load::{self, Model};
use crate::table::layout;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The data set's folder
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The model, as for forecast
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let data = DataSet::read(&args.data).map_err(Failure::input)?;
    let model = Model::open(args.model.as_deref())?;
    let pairs = unseen(&data, &model)?;
    let mut predictors: Vec<&dyn Predictor> = vec![&Baseline::ClippedSum, &Baseline::ConservedSum];
    if let Model::Network(forecaster) = &model {
        predictors.insert(0, forecaster.as_ref());
    }
    let figures: Vec<(String, Figures)> = predictors
        .iter()
        .map(|predictor| (predictor.name(), Figures::of(&evaluate(*predictor, &pairs))))
        .collect();
    if args.json {
        let value = serde_json::json!({
            "data": data.manifest.name,
            "pairs": pairs.iter().map(MeasuredPair::label).collect::<Vec<_>>(),
            "figures": figures,
        });
        let text =
            serde_json::to_string_pretty(&value).map_err(|error| Failure::Undone(error.to_string()))?;
        load::print(&format!("{text}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = vec![
        ["", "footprint per step, %", "per tenth, %", "slowdown, points", "finish, %"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for (name, figures) in &figures {
        let spreads = [
            figures.footprint_step_percent,
            figures.footprint_tenths_percent,
            figures.slowdown_points,
            figures.finish_percent,
        ];
        rows.push(
            std::iter::once(name.clone())
                .chain(spreads.iter().map(|spread| format!("{:.1} ± {:.1}", spread.mean, spread.deviation)))
                .collect(),
        );
    }
    load::print(&format!(
        "{} co-runs of {} that the model has not seen; mean absolute errors ± standard deviation:\n\n{}",
        pairs.len(),
        data.manifest.name,
        layout(&rows)
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// The pairs that training did not see: those that the card lists as held out, or all of another data set.
fn unseen<'a>(data: &'a DataSet, model: &Model) -> Result<Vec<MeasuredPair<'a>>, Failure> {
    let pairs = data.pairs();
    let Model::Network(forecaster) = model else {
        return Ok(pairs);
    };
    let card = forecaster.card();
    if card.get("data").and_then(|name| name.as_str()) != Some(data.manifest.name.as_str()) {
        return Ok(pairs);
    }
    let held: BTreeSet<[String; 2]> = card
        .get("held_out_pairs")
        .and_then(|pairs| serde_json::from_value(pairs.clone()).ok())
        .unwrap_or_default();
    let unseen: Vec<_> = pairs
        .into_iter()
        .filter(|pair| {
            let mut names = [pair.run.jobs[0].name.clone(), pair.run.jobs[1].name.clone()];
            names.sort();
            held.contains(&names)
        })
        .collect();
    if unseen.is_empty() {
        return Err(Failure::Input(
            "the model was trained on every pair of this data set: nothing here can judge it".to_owned(),
        ));
    }
    Ok(unseen)
}
