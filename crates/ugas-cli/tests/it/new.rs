//! `ugas new`: a newcomer's path.

use crate::{empty_folder, ugas};

#[test]
fn a_new_pack_passes_check_and_run() {
    let folder = empty_folder("new").join("game");
    let folder = folder.to_str().unwrap();
    assert_eq!(ugas(["new", folder]).status, 0);
    let check = ugas(["check", folder, "--deny-warnings"]);
    assert_eq!(check.status, 0, "{}", check.stdout);
    let run = ugas(["run", folder]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert_eq!(ugas(["new", folder]).status, 2, "nothing is overwritten");
}
