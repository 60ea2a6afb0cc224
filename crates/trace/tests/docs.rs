//! Each format has a page in the documentation, fixtures, and is in the list.

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use cotrace_trace::Format;

#[test]
fn each_format_has_a_page_and_a_fixture() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats");
    let fixtures: BTreeSet<String> = common::fixtures().into_iter().map(|fixture| fixture.format).collect();
    let list = std::fs::read_to_string(pages.join("README.md")).unwrap_or_default();
    let mut missing = Vec::new();
    for format in Format::ALL {
        let name = format.name();
        let page = std::fs::read_to_string(pages.join(format!("{name}.md"))).unwrap_or_default();
        for section in ["## Record", "## What is read", "## What is left out"] {
            if !page.contains(section) {
                missing.push(format!("docs/formats/{name}.md: {section}"));
            }
        }
        if !list.contains(&format!("({name}.md)")) {
            missing.push(format!("docs/formats/README.md: {name}"));
        }
        if !fixtures.contains(name) {
            missing.push(format!("tests/fixtures/{name}"));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
