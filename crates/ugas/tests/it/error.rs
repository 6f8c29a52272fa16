//! Every error of the core converts into `ugas::Error` and keeps its message.

use ugas::prelude::*;
use ugas::{CurveDef, Error};

fn simulation() -> Result<(Simulation, ControllerId), Error> {
    let mut poison = EffectDef::lasting("GE_Poison", 5.0).modify("Health", Operation::Add, -5.0);
    poison.application_required_tags.push("State.Alive".into());
    let catalog = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
        .effect(poison)
        .template(ControllerDef::new("Wolf").with_set("Combat"))
        .build()?;
    let mut sim = Simulation::new(catalog, Config::default());
    let wolf = sim.spawn("Wolf")?;
    Ok((sim, wolf))
}

#[test]
fn catalog_error_lists_all_problems() {
    let build = || -> Result<(), Error> {
        Catalog::builder()
            .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
            .effect(EffectDef::instant("GE_A").modify("Heath", Operation::Add, 1.0))
            .effect(EffectDef::instant("GE_B").every(1.0))
            .build()?;
        Ok(())
    };
    let text = build().unwrap_err().to_string();
    assert!(text.contains("effect `GE_A`") && text.contains("did you mean `Health`?"), "{text}");
    assert!(text.contains("effect `GE_B`"), "{text}");
}

#[test]
fn unknown_names_suggest_a_known_one() {
    let (mut sim, _) = simulation().unwrap();
    let attribute: Error = sim.catalog().attribute("Helth").unwrap_err().into();
    assert_eq!(attribute.to_string(), "there is no attribute `Helth` in the catalog; did you mean `Health`?");
    let template: Error = sim.spawn("Wolve").unwrap_err().into();
    assert!(template.to_string().contains("`Wolve`"), "{template}");
    assert_eq!(template.refusal_code(), None);
}

#[test]
fn refusals_keep_their_code_and_describe_names() {
    let (mut sim, wolf) = simulation().unwrap();
    let poison = sim.catalog().effect("GE_Poison").unwrap();
    let error: Error = sim.apply_effect(poison, None, wolf).unwrap_err().into();
    assert_eq!(error.refusal_code(), Some("ApplicationRequirements"));
    assert_eq!(error.describe(&sim), "`GE_Poison` was refused: the target lacks `State.Alive`");

    sim.despawn(wolf).unwrap();
    let error: Error = sim.despawn(wolf).unwrap_err().into();
    assert_eq!(error.refusal_code(), Some("UnknownController"));
}

#[test]
fn other_operation_errors_convert() {
    let (mut sim, wolf) = simulation().unwrap();
    let combat = sim.catalog().attribute_set("Combat").unwrap();
    let errors: [Error; 4] = [
        sim.register_set(wolf, combat).unwrap_err().into(),
        sim.define_effect(EffectDef::instant("GE_Poison")).unwrap_err().into(),
        ugas::core::curve::Curve::new(&CurveDef::default()).unwrap_err().into(),
        sim.execute(Command::RegisterSet { controller: wolf, set: combat }).unwrap_err().into(),
    ];
    assert!(errors[0].to_string().contains("`Combat`"));
    assert!(errors[1].to_string().contains("`GE_Poison`"));
    // A command reports the same error as the method.
    assert_eq!(errors[3], errors[0]);
    for error in &errors {
        assert_eq!(format!("{error:?}"), error.to_string(), "a failing `main` prints the readable text");
    }
}
