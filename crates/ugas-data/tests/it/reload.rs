//! Hot reload from files on a disk.

use std::fs;
use std::path::PathBuf;

use ugas_core::simulation::{Config, Simulation};
use ugas_core::time::Span;
use ugas_data::Loader;
use ugas_data::reload::ReloadPackError;

const PACK: &str = "
$schema: x/schemas/attribute_set.json
Name: Combat
Attributes: [ { Name: Health, DefaultBaseValue: 100, Clamping: { Min: 0 } } ]
---
$schema: x/schemas/gameplay_effect.json
Name: GE_Poison
DurationPolicy: HasDuration
Duration: { Type: ScalableFloat, Value: 10 }
Period: { Period: 1, ExecuteOnApplication: false }
Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -5 } } ]
";

/// Temporary folder of a test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn write(&self, text: &str) {
        fs::write(self.0.join("rules.yaml"), text).unwrap();
    }

    fn loader(&self) -> Loader {
        Loader::new().path(&self.0).as_set()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_changed_file_reaches_the_running_game_and_a_broken_one_does_not() {
    let folder = Folder::new("reload");
    folder.write(PACK);
    let catalog = folder.loader().load().unwrap_or_else(|error| panic!("{error}")).catalog;
    let mut sim = Simulation::new(catalog.clone(), Config::seeded(1));
    let def = ugas_core::controller::ControllerDef::default().with_set("Combat");
    let wolf = sim.spawn_with(ugas_core::simulation::Spawn::def(def)).unwrap();
    sim.apply_effect(catalog.effect("GE_Poison").unwrap(), None, wolf).unwrap();
    sim.advance(Span::seconds(2.0));
    let hash = sim.state_hash();

    folder.write(&PACK.replace("Attribute: Health", "Attribute: Helth"));
    let error = folder.loader().reload(&mut sim).unwrap_err();
    let ReloadPackError::Load(error) = error else { panic!("{error}") };
    assert!(error.report.diagnostics.iter().any(|found| found.code == "UG021"), "{error}");
    assert_eq!((sim.state_hash(), sim.catalog().hash()), (hash, catalog.hash()));

    folder.write(&PACK.replace("Value: -5", "Value: -20"));
    let reloaded = folder.loader().reload(&mut sim).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(reloaded.report.to_string(), "effect `GE_Poison` changed\n");
    sim.advance(Span::seconds(1.0));
    // Two ticks of 5, one of 20.
    let health = sim.catalog().attribute("Health").unwrap();
    assert_eq!(sim.current(wolf, health), Some(70.0));
}
