//! `ugas new`.

use crate::{empty_folder, ugas};

#[test]
fn new_pack_passes_check_and_run() {
    let folder = empty_folder("new").join("game");
    let folder = folder.to_str().unwrap();
    assert_eq!(ugas(["new", folder]).status, 0);
    let check = ugas(["check", folder, "--deny-warnings"]);
    assert_eq!(check.status, 0, "{}", check.stdout);
    let run = ugas(["run", folder]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    // The next steps of the README.
    let (scenario, plot) = (format!("{folder}/scenarios/luck.yaml"), format!("{folder}/game.svg"));
    assert_eq!(ugas(["run", folder, "--plot", &plot]).status, 0);
    let json = ugas(["sweep", &scenario, "--runs", "300", "--format", "json"]).json();
    let health = &json["combinations"][0]["measures"]["wolf.Health"];
    // Of 300 hits at least one costs 5 and one 15, almost certainly, and none is outside, as the scenario expects.
    assert_eq!((health["min"].as_f64(), health["max"].as_f64()), (Some(85.0), Some(95.0)));
    assert_eq!(json["failed"], 0);
    assert_eq!(ugas(["new", folder]).status, 2, "nothing is overwritten");
}
