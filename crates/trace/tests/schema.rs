//! The JSON Schema of the canonical trace agrees with what is written and with what is read.

mod common;

use boon::{Compiler, SchemaIndex, Schemas};
use common::{Numbers, fixtures};
use cotrace_trace::canonical::{read_json, write_json};
use cotrace_trace::{Capacity, Column, JobSpan, Metric, Resource, Trace};
use serde_json::{Value, json};

struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    fn load() -> Schema {
        let text = include_str!("../../../docs/schema/cotrace-trace-1.schema.json");
        let schema: Value = serde_json::from_str(text).unwrap();
        let mut compiler = Compiler::new();
        compiler.add_resource("trace.json", schema).unwrap();
        let mut schemas = Schemas::new();
        let index = compiler.compile("trace.json", &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
        Schema { schemas, index }
    }

    fn problem(&self, document: &Value) -> Option<String> {
        self.schemas.validate(document, self.index).err().map(|error| error.to_string())
    }
}

fn written(trace: &Trace) -> Value {
    let mut out = Vec::new();
    write_json(trace, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// A trace with every metric, of the node and of jobs with awkward names.
fn generated(seed: u64) -> Trace {
    let mut numbers = Numbers(seed);
    let rows = 1 + (numbers.next() * 20.0) as usize;
    let time_seconds = (1..=rows).map(|row| row as f64 * (0.1 + numbers.next() / 1e3)).collect();
    let mut trace = Trace { name: "a name".into(), time_seconds, ..Trace::default() };
    trace.time_seconds.sort_by(f64::total_cmp);
    if numbers.next() < 0.5 {
        let memory_bytes = Some(numbers.next() * 1e12 + 1.0);
        trace.capacity = Capacity { cores: Some(0.5), memory_bytes, ..Capacity::default() };
        trace.assumed = [Resource::Cpu, Resource::Memory, Resource::Disk, Resource::Network].into();
        trace.step_assumed = true;
    }
    let mut values = || {
        let value = |_| if numbers.next() < 0.2 { f64::NAN } else { (numbers.next() - 0.1) * 1e20 };
        (0..rows).map(value).collect::<Vec<f64>>()
    };
    for &metric in Metric::ALL {
        trace.columns.insert(Column::node(metric), values());
        for name in ["sort", "x.cpu_cores", "a\n\"b\" näh", "."] {
            trace.columns.insert(Column::job(name, metric), values());
        }
    }
    for (name, end_seconds) in [("sort", Some(3.5)), ("a\n\"b\" näh", None)] {
        trace.jobs.push(JobSpan { name: name.into(), start_seconds: Some(-0.5), end_seconds });
    }
    trace
}

#[test]
fn what_is_written_fits_the_schema() {
    let schema = Schema::load();
    let mut documents: Vec<(String, Value)> =
        (0..30).map(|seed| (format!("generated {seed}"), written(&generated(seed)))).collect();
    for fixture in fixtures() {
        documents.push((fixture.name.clone(), written(&fixture.read_as_unknown())));
        if fixture.format == "cotrace-json" {
            documents.push((fixture.name.clone(), serde_json::from_slice(&fixture.bytes).unwrap()));
        }
    }
    let wrong: Vec<String> = documents
        .iter()
        .filter_map(|(what, document)| Some(format!("{what}: {}", schema.problem(document)?)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn broken_documents_fit_neither_the_schema_nor_the_reader() {
    let schema = Schema::load();
    let good = json!({
        "cotrace_trace": 1,
        "name": "sort",
        "node": {"cores": 2.0, "memory_bytes": 1e9},
        "assumed": ["cpu", "step"],
        "jobs": [{"name": "sort", "start_seconds": 0.0, "end_seconds": 2.0}],
        "time_seconds": [1.0, 2.0],
        "columns": {"cpu_cores": [1.75, null]},
    });
    // A place, and what is put there; nothing: it is taken away.
    let cases = [
        ("/cotrace_trace", None),
        ("/cotrace_trace", Some(json!(0))),
        ("/cotrace_trace", Some(json!(2))),
        ("/cotrace_trace", Some(json!("1"))),
        ("/name", Some(json!(7))),
        ("/node/cores", Some(json!(0))),
        ("/node/cores", Some(json!("2"))),
        ("/node/memory_bytes", Some(json!(-1.0))),
        ("/node", Some(json!("2 cores"))),
        ("/assumed", Some(json!(["weather"]))),
        ("/assumed", Some(json!("cpu"))),
        ("/jobs", Some(json!({}))),
        ("/jobs/0/name", None),
        ("/jobs/0/name", Some(json!(""))),
        ("/jobs/0/end_seconds", Some(json!(1e31))),
        ("/time_seconds", None),
        ("/time_seconds", Some(json!([]))),
        ("/time_seconds/0", Some(json!(null))),
        ("/time_seconds/0", Some(json!(-1.0))),
        ("/time_seconds/1", Some(json!(1e12))),
        ("/columns", None),
        ("/columns", Some(json!({}))),
        ("/columns", Some(json!({"cpu": [1.0, 1.0]}))),
        ("/columns", Some(json!({"job..cpu_cores": [1.0, 1.0]}))),
        ("/columns/cpu_cores", Some(json!(1.0))),
        ("/columns/cpu_cores/0", Some(json!("1"))),
        ("/columns/cpu_cores/0", Some(json!(1e31))),
    ];
    let read = |document: &Value| read_json("x", document.to_string().as_bytes());
    assert_eq!(schema.problem(&good), None);
    assert!(read(&good).is_ok());
    let mut wrong = Vec::new();
    for (place, put) in cases {
        let mut document = good.clone();
        let (parent, key) = place.rsplit_once('/').unwrap();
        match (document.pointer_mut(parent).unwrap(), &put) {
            (Value::Object(object), Some(value)) => {
                object.insert(key.to_owned(), value.clone());
            }
            (Value::Object(object), None) => {
                object.remove(key).unwrap();
            }
            (Value::Array(array), Some(value)) => array[key.parse::<usize>().unwrap()] = value.clone(),
            _ => panic!("{place}"),
        }
        if schema.problem(&document).is_none() {
            wrong.push(format!("{place} {put:?} fits the schema"));
        }
        if read(&document).is_ok() {
            wrong.push(format!("{place} {put:?} was read"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
