use super::*;

const GOOD: &str = r#"
name = "trial"
sample_seconds = 1
solo_repeats = 2
seed = 5

[[job]]
name = "sort"
kind = "io"
framework = "coreutils"
description = "Sorts"
command = "sort {work}/in > {scratch}/out"
env = { LC_ALL = "C" }
setup = "make-input {work}/in"
prepare = ["rm", "-f", "{scratch}/out"]
warm_up = true
limit_seconds = 60
working_set_bytes = 64e6
requires = ["sort"]
phases = ["read", "write"]
seconds = 17

[[job]]
name = "zip-2"
kind = "cpu"
framework = "native"
command = ["7z", "a", "x.7z"]

[[job]]
name = "sort-large"
size_of = "sort"
kind = "io"
framework = "coreutils"
command = "sort"

[pairs]
which = [["sort", "zip-2"]]
self_pairs = true
offsets = [0, 2.5]
late = { share = 0.5, from = 0.3 }
repeated = { pairs = 2, times = 4 }

[triples]
count = 3

[sizes]
solos = 4
partners = 1

[[cut]]
name = "one-core"
cores = 1
jobs = ["sort", "zip-2"]

[[cut]]
name = "half-memory"
memory = 0.5
jobs = ["sort"]
self_pairs = true

[calibration]
every = 7
framework = "native"
command = "calibrate"
"#;

fn parse(text: &str) -> Result<Plan, CollectError> {
    Plan::parse(text, "plan.toml", PathBuf::from("/plans"))
}

#[test]
fn a_plan_is_read_in_full() {
    let plan = parse(GOOD).expect("a good plan");
    assert_eq!((plan.name.as_str(), plan.sample_seconds, plan.solo_repeats, plan.seed), ("trial", 1.0, 2, 5));
    let expected = PlanJob {
        name: "sort".to_owned(),
        kind: "io".to_owned(),
        framework: "coreutils".to_owned(),
        description: "Sorts".to_owned(),
        phases: vec!["read".to_owned(), "write".to_owned()],
        size_of: None,
        seconds: Some(17.0),
        command: JobCommand::Shell("sort {work}/in > {scratch}/out".to_owned()),
        env: [("LC_ALL".to_owned(), "C".to_owned())].into(),
        setup: Some(JobCommand::Shell("make-input {work}/in".to_owned())),
        prepare: Some(JobCommand::Argv(vec!["rm".to_owned(), "-f".to_owned(), "{scratch}/out".to_owned()])),
        warm_up: true,
        limit_seconds: 60.0,
        working_set_bytes: Some(64e6),
        requires: vec!["sort".to_owned()],
    };
    assert_eq!(plan.jobs[0], expected);
    assert_eq!(plan.jobs[1].command.display(), "7z a x.7z");
    let pairs = Pairs {
        which: Which::List(vec![("sort".to_owned(), "zip-2".to_owned())]),
        self_pairs: true,
        offsets: vec![0.0, 2.5],
        late: Some(Late { share: 0.5, from: 0.3, to: 0.75 }),
        repeated: Some(Repeated { pairs: 2, times: 4 }),
    };
    assert_eq!(plan.pairs, pairs);
    assert_eq!(plan.jobs[2].size_of.as_deref(), Some("sort"));
    assert_eq!((plan.triples, plan.sizes), (3, Sizes { solos: 4, partners: 1 }));
    assert_eq!(
        plan.cuts,
        [
            PlanCut {
                name: "one-core".to_owned(),
                cores: Some(1),
                memory: None,
                jobs: vec!["sort".to_owned(), "zip-2".to_owned()],
                self_pairs: false,
            },
            PlanCut {
                name: "half-memory".to_owned(),
                cores: None,
                memory: Some(0.5),
                jobs: vec!["sort".to_owned()],
                self_pairs: true,
            },
        ]
    );
    assert_eq!(plan.calibration, Some(PlanCalibration { job: 3, every: 7 }));
    assert_eq!((plan.jobs[3].name.as_str(), plan.jobs[3].kind.as_str()), ("calibration", "calibration"));
}

#[test]
fn defaults_are_modest() {
    let plan = parse(
        "name = \"t\"\n[[job]]\nname = \"a\"\nkind = \"cpu\"\nframework = \"native\"\ncommand = \"true\"\n",
    )
    .expect("a short plan");
    assert_eq!((plan.sample_seconds, plan.solo_repeats), (0.5, 3));
    assert_eq!(plan.pairs.which, Which::List(Vec::new()), "no [pairs], no co-runs");
    assert_eq!((plan.jobs[0].limit_seconds, plan.jobs[0].working_set_bytes), (3600.0, None));
}

#[test]
fn errors_name_the_job_and_the_key() {
    // What is replaced in the good plan, by what, and what the error says.
    let cases = [
        ("name = \"trial\"", "", "plan.toml: key \"name\": is missing"),
        ("name = \"trial\"", "name = \"My plan\"", "key \"name\": \"My plan\" must be small letters"),
        (
            "sample_seconds = 1",
            "sample_seconds = 0",
            "key \"sample_seconds\": must be from 0.05 to 60, not 0",
        ),
        (
            "sample_seconds = 1",
            "sample_seconds = \"1 s\"",
            "key \"sample_seconds\": must be a number, not string",
        ),
        ("sample_seconds = 1", "sample_seconds = nan", "key \"sample_seconds\": must be a number"),
        (
            "solo_repeats = 2",
            "solo_repeats = -1",
            "key \"solo_repeats\": must be a whole number from 0 to 1000, not -1",
        ),
        ("seed = 5", "sead = 5", "key \"sead\": is not known here; known are name,"),
        ("seed = 5", "seed = ", "plan.toml: line 5, column"),
        ("name = \"sort\"\n", "", "job 1, key \"name\": is missing"),
        ("name = \"sort\"\n", "name = \"a.b\"\n", "job 1, key \"name\": \"a.b\" must be"),
        ("name = \"zip-2\"", "name = \"sort\"", "job \"sort\", key \"name\": is used by an earlier job"),
        ("kind = \"io\"", "", "job \"sort\", key \"kind\": is missing"),
        ("framework = \"native\"", "framework = \"\"", "job \"zip-2\", key \"framework\": is empty"),
        ("command = [\"7z\", \"a\", \"x.7z\"]", "", "job \"zip-2\", key \"command\": is missing"),
        (
            "command = [\"7z\", \"a\", \"x.7z\"]",
            "command = []",
            "job \"zip-2\", key \"command\": must be a shell line",
        ),
        (
            "command = [\"7z\", \"a\", \"x.7z\"]",
            "command = [7]",
            "job \"zip-2\", key \"command\": must be a shell line",
        ),
        (
            "env = { LC_ALL = \"C\" }",
            "env = { N = 2 }",
            "job \"sort\", key \"env.N\": must be a text in quotes, not 2",
        ),
        ("env = { LC_ALL = \"C\" }", "env = 3", "job \"sort\", key \"env\": must be a table"),
        ("warm_up = true", "warm_up = 1", "job \"sort\", key \"warm_up\": must be true or false, not 1"),
        (
            "limit_seconds = 60",
            "limit_seconds = 0",
            "job \"sort\", key \"limit_seconds\": must be more than 0",
        ),
        (
            "working_set_bytes = 64e6",
            "working_set_bytes = -1",
            "job \"sort\", key \"working_set_bytes\": must not be negative",
        ),
        (
            "requires = [\"sort\"]",
            "requires = \"sort\"",
            "job \"sort\", key \"requires\": must be a list of texts",
        ),
        (
            "warm_up = true",
            "timeout = 9",
            "job \"sort\", key \"timeout\": is not known here; known are name, kind,",
        ),
        (
            "which = [[\"sort\", \"zip-2\"]]",
            "which = [[\"sort\", \"zop\"]]",
            "[pairs], key \"which\": there is no job \"zop\"",
        ),
        (
            "which = [[\"sort\", \"zip-2\"]]",
            "which = [[\"sort\"]]",
            "[pairs], key \"which\": [\"sort\"] is not a pair",
        ),
        (
            "which = [[\"sort\", \"zip-2\"]]",
            "which = \"some\"",
            "[pairs], key \"which\": must be \"all\" or a list",
        ),
        ("offsets = [0, 2.5]", "offsets = [-1]", "[pairs], key \"offsets\": must be a list of seconds"),
        ("offsets = [0, 2.5]", "offsets = []", "[pairs], key \"offsets\": must be a list of seconds"),
        ("self_pairs = true", "selves = true", "[pairs], key \"selves\": is not known here"),
        ("share = 0.5", "share = 50", "[pairs], late, key \"share\": must be a share from 0 to 1, not 50"),
        ("from = 0.3", "from = 0.9", "[pairs], late, key \"from\": must not be above \"to\""),
        ("times = 4", "time = 4", "[pairs], repeated, key \"time\": is not known here; known are pairs"),
        ("count = 3", "count = -3", "[triples], key \"count\": must be a whole number"),
        ("partners = 1", "partners = 1.5", "[sizes], key \"partners\": must be a whole number"),
        ("size_of = \"sort\"", "size_of = \"sart\"", "job \"sort-large\", key \"size_of\": there is no job"),
        ("seconds = 17", "seconds = 0", "job \"sort\", key \"seconds\": must be more than 0"),
        ("cores = 1", "cores = 0", "cut 1, key \"cores\": must be at least 1"),
        ("cores = 1\n", "", "cut 1, key \"cores\": is missing, and so is \"memory\""),
        ("memory = 0.5", "memory = 2", "cut 2, key \"memory\": must be a share of the node's memory"),
        ("jobs = [\"sort\"]", "jobs = [\"sorts\"]", "cut 2, key \"jobs\": there is no job \"sorts\""),
        ("command = \"calibrate\"", "", "job \"calibration\", key \"command\": is missing"),
    ];
    let mut wrong = Vec::new();
    for (from, to, expected) in cases {
        assert!(GOOD.contains(from), "the good plan has no {from:?}");
        match parse(&GOOD.replacen(from, to, 1)) {
            Ok(_) => wrong.push(format!("{to:?} for {from:?}: no error")),
            Err(error) if !error.to_string().contains(expected) => {
                wrong.push(format!("{to:?} for {from:?}: {error}, expected {expected}"));
            }
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_plan_without_jobs_is_refused() {
    for text in ["name = \"t\"\n", "name = \"t\"\njob = []\n", "name = \"t\"\njob = 3\n"] {
        let error = parse(text).expect_err(text);
        assert!(error.to_string().contains("key \"job\": is missing"), "{text:?}: {error}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = Plan::read(Path::new("/nowhere/plan.toml")).expect_err("no such file");
    assert!(error.to_string().starts_with("cannot read /nowhere/plan.toml: "), "{error}");
}
