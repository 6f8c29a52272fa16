//! `ugas conformance`.

use crate::{keys, ugas};

#[test]
fn suite_passes_and_lists_uncovered_clauses() {
    let json = ugas(["conformance", "--format", "json"]).json();
    assert_eq!(keys(&json), ["clauses", "covered", "failed", "passed", "uncovered"]);
    assert_eq!(json["failed"], 0);
    assert!(json["passed"].as_u64().unwrap() > 300);
    let uncovered = json["uncovered"].as_array().unwrap();
    let clauses = json["clauses"].as_u64().unwrap();
    assert_eq!(clauses - json["covered"].as_u64().unwrap(), uncovered.len() as u64);

    let text = ugas(["conformance"]);
    assert_eq!(text.status, 0);
    for clause in uncovered {
        assert!(text.stdout.contains(&format!("not covered: {}:", clause.as_str().unwrap())), "{clause}");
    }
}
