//! Explanations: every cause of UEM, "Why This Matters for Debugging", as data and as text.

use std::sync::Arc;

use ugas_core::attribute::{AttributeDef, AttributeSetDef, Evaluation};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::{EffectContext, EffectDef, PredictionKey, StackingDef};
use ugas_core::explain::{Explanation, Reason};
use ugas_core::handle::ControllerId;
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::refusal::Party;
use ugas_core::simulation::{Config, EvaluationParameters, Simulation};

struct Scene {
    catalog: Arc<Catalog>,
    sim: Simulation,
    hero: ControllerId,
}

fn scene(effects: impl IntoIterator<Item = EffectDef>) -> Scene {
    let combat = AttributeSetDef::new("Combat")
        .with(AttributeDef::new("Power", 100.0).min(0.0).max("MaxPower"))
        .with(AttributeDef::new("MaxPower", 200.0))
        .with(AttributeDef::new("Slow", 100.0).evaluation(Evaluation::MostNegativeOnly));
    let mut builder = Catalog::builder()
        .attribute_set(combat)
        .declare_attribute("Mana")
        .tags(["State.Frozen", "State.Calm"])
        .template(ControllerDef::new("Hero").with_set("Combat"));
    for effect in effects {
        builder = builder.effect(effect);
    }
    let catalog = builder.build().unwrap();
    let mut sim = Simulation::new(catalog.clone(), Config::default());
    let hero = sim.spawn("Hero").unwrap();
    Scene { catalog, sim, hero }
}

impl Scene {
    fn apply(&mut self, effect: &str) -> ugas_core::handle::ActiveEffectId {
        let effect = self.catalog.effect(effect).unwrap();
        self.sim.apply_effect(effect, Some(self.hero), self.hero).unwrap().active().unwrap()
    }

    fn explain(&self, attribute: &str) -> Explanation {
        self.sim.explain(self.hero, self.catalog.attribute(attribute).unwrap()).unwrap()
    }

    fn explain_with(&self, attribute: &str, parameters: &EvaluationParameters) -> Explanation {
        self.sim.explain_with(self.hero, self.catalog.attribute(attribute).unwrap(), parameters).unwrap()
    }
}

/// Effect names of the terms with whether they count, and why not.
fn verdicts(explanation: &Explanation) -> Vec<(&str, bool, Option<&Reason>)> {
    let terms = explanation.layers.iter().flat_map(|layer| &layer.terms);
    terms.map(|term| (term.effect_name.as_str(), term.qualifies, term.reason.as_ref())).collect()
}

#[test]
fn the_terms_of_a_layer_come_in_application_order_with_stacks_and_channels() {
    let mut scene = scene([
        EffectDef::infinite("GE_Rage")
            .modify("Power", Operation::Add, 10.0)
            .stacking(StackingDef::by_target(3)),
        EffectDef::infinite("GE_Gear")
            .with(ModifierDef::new("Power", Operation::Multiply, 0.25).channel("Gear")),
    ]);
    scene.apply("GE_Rage");
    scene.apply("GE_Gear");
    scene.apply("GE_Rage");
    // (100 + 2 × 10) × 1.25 = 150, below the 200 of MaxPower.
    assert_eq!(
        scene.explain("Power").to_string(),
        "Power of controller0v1 at 0s: 150\n\
         ├─ base 100\n\
         ├─ layer 0: 100 -> 150\n\
         │  ├─ Add +10 x2 stacks by GE_Rage from controller0v1\n\
         │  └─ Multiply +0.25 [Gear] by GE_Gear from controller0v1\n\
         └─ clamp min 0 max 200 (MaxPower): not reached"
    );
}

#[test]
fn the_clamp_says_that_it_was_applied() {
    let mut scene = scene([EffectDef::infinite("GE_Huge").modify("Power", Operation::Add, 500.0)]);
    scene.apply("GE_Huge");
    let explanation = scene.explain("Power");
    assert_eq!((explanation.layers[0].output, explanation.current), (600.0, 200.0));
    assert!(explanation.clamp.applied);
}

#[test]
fn uem_tag_filtering_names_the_tag_and_whose_it_is() {
    let mut scene = scene([
        EffectDef::infinite("GE_Ice")
            .with(ModifierDef::new("Power", Operation::Add, 1.0).while_target_has("State.Frozen")),
        EffectDef::infinite("GE_Calm").granting("State.Calm"),
        EffectDef::infinite("GE_Fury")
            .with(ModifierDef::new("Power", Operation::Add, 1.0).while_source_lacks("State.Calm")),
    ]);
    scene.apply("GE_Ice");
    scene.apply("GE_Calm");
    scene.apply("GE_Fury");
    let frozen = Reason::MissingTag { party: Party::Target, tag: "State.Frozen".to_owned() };
    let calm = Reason::BlockedTag { party: Party::Source, tag: "State.Calm".to_owned() };
    assert_eq!(
        verdicts(&scene.explain("Power")),
        [("GE_Ice", false, Some(&frozen)), ("GE_Fury", false, Some(&calm))]
    );
}

#[test]
fn uem_wrong_channel_is_a_layer_that_is_not_evaluated_or_hidden_by_a_later_override() {
    let mut scene = scene([
        EffectDef::infinite("GE_Early").modify("Power", Operation::Add, 5.0),
        EffectDef::infinite("GE_Late").with(ModifierDef::new("Power", Operation::Override, 7.0).layer(2)),
    ]);
    scene.apply("GE_Early");
    scene.apply("GE_Late");
    let hidden = Reason::HiddenByLayer { layer: 2, effect: "GE_Late".to_owned() };
    assert_eq!(
        verdicts(&scene.explain("Power")),
        [("GE_Early", true, Some(&hidden)), ("GE_Late", true, None)]
    );
    let first_layer = EvaluationParameters { up_to_layer: 0, ..EvaluationParameters::default() };
    let explanation = scene.explain_with("Power", &first_layer);
    assert_eq!(
        verdicts(&explanation),
        [("GE_Early", true, None), ("GE_Late", false, Some(&Reason::LayerNotEvaluated))]
    );
    assert_eq!(explanation.current, 105.0);
}

#[test]
fn uem_stale_evaluation_is_a_value_read_inside_a_batch() {
    let mut scene = scene([EffectDef::infinite("GE_Buff").modify("Power", Operation::Add, 5.0)]);
    let (effect, hero) = (scene.catalog.effect("GE_Buff").unwrap(), scene.hero);
    let power = scene.catalog.attribute("Power").unwrap();
    scene.sim.batch(|sim| {
        sim.apply_effect(effect, None, hero).unwrap();
        let explanation = sim.explain(hero, power).unwrap();
        assert!(explanation.stale);
        assert_eq!(explanation.current, 100.0);
    });
    let explanation = scene.explain("Power");
    assert!(!explanation.stale);
    assert_eq!(explanation.current, 105.0);
}

#[test]
fn uem_prediction_filtering_and_ignored_handles_are_named() {
    let mut scene = scene([EffectDef::infinite("GE_Buff").modify("Power", Operation::Add, 5.0)]);
    let effect = scene.catalog.effect("GE_Buff").unwrap();
    let plain = scene.apply("GE_Buff");
    let spec = scene.sim.spec(effect, 1.0, EffectContext::of(scene.hero)).unwrap();
    scene.sim.apply(&spec.predicted(PredictionKey(9)), scene.hero).unwrap();
    let confirmed_only = EvaluationParameters { include_predicted: false, ..EvaluationParameters::default() };
    let explanation = scene.explain_with("Power", &confirmed_only);
    assert_eq!(
        verdicts(&explanation),
        [("GE_Buff", true, None), ("GE_Buff", false, Some(&Reason::PredictedOnly))]
    );
    assert_eq!(explanation.current, 105.0);
    let ignoring =
        EvaluationParameters { ignored_effects: [plain].into_iter().collect(), ..Default::default() };
    let explanation = scene.explain_with("Power", &ignoring);
    assert_eq!(verdicts(&explanation)[0], ("GE_Buff", false, Some(&Reason::IgnoredEffect)));
    assert_eq!(explanation.current, 105.0);
}

#[test]
fn uem_custom_qualifier_is_named_whether_built_in_or_native() {
    let mut scene = scene([
        EffectDef::infinite("GE_Mud").modify("Slow", Operation::Add, -10.0),
        EffectDef::infinite("GE_Tar").modify("Slow", Operation::Add, -30.0),
        EffectDef::infinite("GE_Boots").modify("Slow", Operation::Add, 5.0),
    ]);
    for effect in ["GE_Mud", "GE_Tar", "GE_Boots"] {
        scene.apply(effect);
    }
    let explanation = scene.explain("Slow");
    assert_eq!(
        verdicts(&explanation),
        [("GE_Mud", false, Some(&Reason::NotMostNegative)), ("GE_Tar", true, None), ("GE_Boots", true, None)]
    );
    // 100 − 30 + 5.
    assert_eq!(explanation.current, 75.0);
}

#[test]
fn m4_winning_and_losing_overrides_are_distinguished() {
    let mut scene = scene([
        EffectDef::infinite("GE_Freeze").priority(10).modify("Power", Operation::Override, 0.0),
        EffectDef::infinite("GE_Slow").priority(5).modify("Power", Operation::Override, 50.0),
        EffectDef::infinite("GE_Buff").modify("Power", Operation::Add, 5.0),
    ]);
    for effect in ["GE_Freeze", "GE_Slow", "GE_Buff"] {
        scene.apply(effect);
    }
    let lost = Reason::OverrideLost { effect: "GE_Freeze".to_owned() };
    let replaced = Reason::Overridden { effect: "GE_Freeze".to_owned() };
    assert_eq!(
        verdicts(&scene.explain("Power")),
        [("GE_Freeze", true, None), ("GE_Slow", false, Some(&lost)), ("GE_Buff", false, Some(&replaced))]
    );
}

#[test]
fn m6_an_inert_modifier_shows_where_it_waits() {
    let mut scene = scene([EffectDef::infinite("GE_Wisdom").modify("Mana", Operation::Add, 5.0)]);
    scene.apply("GE_Wisdom");
    let explanation = scene.explain("Mana");
    assert!(!explanation.present);
    assert_eq!(verdicts(&explanation), [("GE_Wisdom", false, Some(&Reason::MissingAttribute))]);
    assert_eq!(
        explanation.to_string(),
        "Mana of controller0v1 at 0s: it has no such attribute\n\
         └─ not counted: Add +5 by GE_Wisdom from controller0v1 (inert: the attribute is missing)"
    );
}

#[test]
fn unknown_controller_has_no_explanation() {
    let mut scene = scene([]);
    scene.sim.despawn(scene.hero).unwrap();
    assert!(scene.sim.explain(scene.hero, scene.catalog.attribute("Power").unwrap()).is_none());
}
