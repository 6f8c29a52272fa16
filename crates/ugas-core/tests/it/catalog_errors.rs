//! Errors of definitions: every problem with its message, all reported at once (I9).

use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::controller::ControllerDef;
use ugas_core::curve::CurveDef;
use ugas_core::effect::calculation::{CalculationDef, OutputDef};
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{
    AdditionalEffectDef, EffectDef, ExecutionDef, ExecutionPolicy, ScopedModifierDef, ScopedTargetDef,
    StackingDef, TagQueryDef, TagQueryItemDef,
};
use ugas_core::modifier::{ModifierDef, Operation};

use crate::fixture::{buff, builder};

/// The errors of a catalog, line by line.
#[track_caller]
fn errors(builder: CatalogBuilder) -> Vec<String> {
    let errors = builder.build().expect_err("there is something wrong");
    errors.to_string().lines().map(str::to_owned).collect()
}

#[track_caller]
fn assert_error(builder: CatalogBuilder, expected: &str) {
    assert_eq!(errors(builder), [expected]);
}

fn effect(effect: EffectDef) -> CatalogBuilder {
    builder().effect(effect)
}

#[test]
fn unknown_names_come_with_the_nearest_known_one() {
    assert_error(
        effect(buff("GE", "Helth", Operation::Add, 1.0)),
        "effect `GE` at Modifiers[0].Attribute: there is no attribute `Helth`; did you mean `Health`?",
    );
    let mut linked = EffectDef::infinite("GE_Linked");
    linked.additional_effects.push(AdditionalEffectDef::new("GE_Linkde"));
    assert_error(
        effect(linked),
        "effect `GE_Linked` at AdditionalEffects[0].Effect: there is no effect `GE_Linkde`; did you mean `GE_Linked`?",
    );
    let mut granting = EffectDef::infinite("GE");
    granting.granted_abilities.push(ugas_core::effect::AbilityGrantDef::new("GA_Nothing"));
    assert_error(
        effect(granting),
        "effect `GE` at GrantedAbilities[0].AbilityClass: there is no ability `GA_Nothing`",
    );
    assert_error(
        builder().attribute_set(AttributeSetDef::new("Other").depends_on("Unti")),
        "attribute set `Other` at Dependencies[0]: there is no attribute set `Unti`; did you mean `Unit`?",
    );
    assert_error(
        builder().pre_change("Manna", |change| change.new),
        "attribute `Manna` at a hook: there is no attribute `Manna`; did you mean `Mana`?",
    );
}

#[test]
fn invalid_tag_names_are_rejected() {
    assert_error(
        effect(EffectDef::infinite("GE").granting("state.X")),
        "effect `GE` at GrantedTags[0]: tag name \"state.X\", byte 0: segment begins with 's'; begin it with an \
         upper-case ASCII letter",
    );
    assert_error(
        builder().tags(["State..X"]),
        "tag `State..X`: tag name \"State..X\", byte 6: empty segment; remove the extra dot",
    );
}

#[test]
fn empty_and_duplicate_names_are_rejected() {
    assert_error(effect(EffectDef::infinite("")), "effect ``: it has no name");
    assert_error(
        effect(EffectDef::infinite("GE")).effect(EffectDef::instant("GE")),
        "effect `GE`: there is another effect of this name",
    );
    assert_error(
        builder().attribute_set(
            AttributeSetDef::new("Other").with(AttributeDef::new("A", 1.0)).with(AttributeDef::new("A", 2.0)),
        ),
        "attribute `A` at set `Other`: there is another attribute of this name",
    );
    assert_error(
        builder().template(ControllerDef::new("Unit")),
        "controller template `Unit`: there is another controller template of this name",
    );
    assert_error(
        effect(EffectDef::infinite(Catalog::TAGS_EFFECT)),
        "effect `Internal.Tags`: there is another effect of this name",
    );
}

#[test]
fn v2_numbers_must_be_finite() {
    assert_error(
        effect(buff("GE", "Health", Operation::Add, f64::NAN)),
        "effect `GE` at Modifiers[0].Magnitude.Value: NaN is not a finite number",
    );
    let bad = AttributeDef::new("A", f64::INFINITY).max(f64::NEG_INFINITY);
    assert_eq!(
        errors(builder().attribute_set(AttributeSetDef::new("Other").with(bad))),
        [
            "attribute `A` at DefaultBaseValue: inf is not a finite number",
            "attribute `A` at Clamping.Max: -inf is not a finite number",
        ]
    );
}

#[test]
fn invalid_expressions_are_reported() {
    let with = |text: &str| {
        effect(EffectDef::infinite("GE").modify("Health", Operation::Add, MagnitudeDef::expression(text)))
    };
    assert_error(
        with("Source.Helth * 2"),
        "effect `GE` at Modifiers[0].Magnitude.Expression: in the expression `Source.Helth * 2`: unknown attribute \
         `Helth`; did you mean `Health`?",
    );
    assert_error(
        with("2 *"),
        "effect `GE` at Modifiers[0].Magnitude.Expression: in the expression `2 *`: the expression ends where a \
         value should follow",
    );
    assert_error(
        with("1 / 0"),
        "effect `GE` at Modifiers[0].Magnitude.Expression: in the expression `1 / 0`: this can never be computed: \
         division by zero",
    );
}

#[test]
fn curves_need_points_in_order() {
    let curve = |points| builder().curve(CurveDef { name: "C".into(), points, ..CurveDef::default() });
    assert_error(curve(vec![]), "curve `C`: curve `C` has no points; give it at least one");
    assert_error(
        curve(vec![(1.0, 1.0), (1.0, 2.0)]),
        "curve `C`: point 1 of curve `C` does not lie after the point before it; sort the points by x, and use each x once",
    );
    assert_error(curve(vec![(1.0, f64::NAN)]), "curve `C`: point 0 of curve `C` is not finite");
}

#[test]
fn m1_there_are_ten_layers() {
    let layer =
        |layer| EffectDef::infinite("GE").with(ModifierDef::new("Health", Operation::Add, 1.0).layer(layer));
    assert!(effect(layer(9)).build().is_ok());
    assert_error(
        effect(layer(10)),
        "effect `GE` at Modifiers[0].EvaluationChannel: there are evaluation layers 0 to 9, not 10",
    );
}

#[test]
fn empty_magnitude_is_rejected() {
    let empty = MagnitudeDef::Scalable { value: None, curve: None, curve_input: None };
    assert_error(
        effect(EffectDef::infinite("GE").modify("Health", Operation::Add, empty)),
        "effect `GE` at Modifiers[0].Magnitude: the magnitude has neither a value nor a curve",
    );
}

#[test]
fn periods_must_be_positive_and_not_on_instant_effects() {
    for seconds in [0.0, -1.0, 0.000_000_1] {
        assert_error(
            effect(EffectDef::infinite("GE").every(seconds)),
            "effect `GE` at Period.Period: the period must be longer than 0 s",
        );
    }
    assert_error(
        effect(EffectDef::instant("GE").every(1.0)),
        "effect `GE` at Period: an instant effect cannot have a period: give it a duration or make it infinite",
    );
}

#[test]
fn e5_stacking_excludes_other_policies_and_instant_effects() {
    for policy in [ExecutionPolicy::RunInSequence, ExecutionPolicy::RunInMerge] {
        assert_error(
            effect(EffectDef::infinite("GE").policy(policy).stacking(StackingDef::by_target(1))),
            "effect `GE` at Stacking: stacking cannot be combined with RunInSequence or RunInMerge: use one or the \
             other",
        );
    }
    assert_error(
        effect(EffectDef::instant("GE").stacking(StackingDef::by_target(1))),
        "effect `GE` at Stacking: an instant effect cannot stack: give it a duration or make it infinite",
    );
}

fn one_set(attributes: impl IntoIterator<Item = AttributeDef>) -> CatalogBuilder {
    Catalog::builder()
        .attribute_set(attributes.into_iter().fold(AttributeSetDef::new("S"), AttributeSetDef::with))
}

#[test]
fn b2_cycle_of_bounds_and_derived_attributes_is_reported() {
    assert_error(
        one_set([AttributeDef::new("A", 1.0).max("A")]),
        "attribute `A`: attributes depend on themselves: A -> A",
    );
    assert_error(
        one_set([
            AttributeDef::derived("A", "B + 1"),
            AttributeDef::new("B", 1.0).max("C"),
            AttributeDef::derived("C", "A * 2"),
            AttributeDef::derived("D", "A"), // merely hangs on it
        ]),
        "attribute `A`: attributes depend on themselves: A -> B -> C -> A",
    );
}

#[test]
fn b2_cycle_of_live_magnitudes_is_reported() {
    let follow =
        |attribute: &str, magnitude| EffectDef::infinite("GE").modify(attribute, Operation::Add, magnitude);
    assert_error(
        effect(follow("Attack", MagnitudeDef::attribute(CaptureFrom::Target, "Attack", 0.1))),
        "effect `GE` at Modifiers: it depends on itself: Attack -> Attack",
    );
    // Health is bounded by MaxHealth, which would follow Health.
    assert_error(
        effect(follow("MaxHealth", MagnitudeDef::expression("Target.Health * 0.1"))),
        "effect `GE` at Modifiers: it depends on itself: Health -> MaxHealth -> Health",
    );
    // Frozen, of the source, of the base, or instant: no cycle.
    let fine = [
        follow("Attack", MagnitudeDef::attribute(CaptureFrom::Target, "Attack", 0.1).frozen()),
        follow("Attack", MagnitudeDef::attribute(CaptureFrom::Source, "Attack", 0.1)),
        EffectDef::instant("GE").modify("Attack", Operation::Add, MagnitudeDef::expression("Target.Attack")),
        EffectDef::infinite("GE").every(1.0).modify(
            "Attack",
            Operation::Add,
            MagnitudeDef::expression("Target.Attack"),
        ),
    ];
    for fine in fine {
        assert_eq!(effect(fine).build().map(|_| ()), Ok(()));
    }
}

#[test]
fn section_6_4_template_with_conflicting_sets_is_rejected() {
    let sets = || {
        Catalog::builder()
            .attribute_set(AttributeSetDef::new("A").with(AttributeDef::new("X", 1.0)))
            .attribute_set(AttributeSetDef::new("B").with(AttributeDef::new("X", 2.0)))
            .attribute_set(
                AttributeSetDef::new("C").depends_on("A").with(AttributeDef::new("Y", 1.0).max("X")),
            )
    };
    assert_error(
        sets().template(ControllerDef::new("T").with_set("C")),
        "controller template `T` at AttributeSets: attribute set `C` needs the set `A`, which is not registered",
    );
    assert_error(
        sets().template(ControllerDef::new("T").with_set("A").with_set("B")),
        "controller template `T` at AttributeSets: attribute `X` is in both `A` and `B`: a controller can have only \
         one of them",
    );
    assert_error(
        sets().template(ControllerDef::new("T").with_set("A").with_base("Y", 1.0)),
        "controller template `T` at Base.Y: none of the template's attribute sets has `Y`: it is in `C`, which the template does not have",
    );
}

fn calculation(outputs: bool, result: bool) -> CalculationDef {
    let output = OutputDef {
        attribute: "Health".into(),
        operation: Operation::Add,
        magnitude: "-1".into(),
        to: Default::default(),
    };
    CalculationDef {
        name: "Calc".into(),
        outputs: outputs.then_some(output).into_iter().collect(),
        result: result.then(|| "1".into()),
        ..CalculationDef::default()
    }
}

#[test]
fn calculation_without_the_needed_result_is_rejected() {
    assert_error(
        builder().calculation(calculation(false, false)),
        "calculation `Calc`: it has neither outputs nor a result",
    );
    assert_error(
        builder().calculation(calculation(false, true)).effect(EffectDef::instant("GE").executing("Calc")),
        "effect `GE` at Executions[0].CalculatorClass: the calculation `Calc` has no outputs, which is needed here",
    );
    let as_magnitude =
        EffectDef::infinite("GE").modify("Health", Operation::Add, MagnitudeDef::calculation("Calc"));
    assert_error(
        builder().calculation(calculation(true, false)).effect(as_magnitude.clone()),
        "effect `GE` at Modifiers[0].Magnitude.CalculatorClass: the calculation `Calc` has no result, which is \
         needed here",
    );
    let required = EffectDef { requirement: Some("Calc".into()), ..EffectDef::instant("GE") };
    assert_error(
        builder().calculation(calculation(true, false)).effect(required),
        "effect `GE` at ApplicationRequirement: the calculation `Calc` has no result, which is needed here",
    );
    assert!(builder().calculation(calculation(true, true)).effect(as_magnitude).build().is_ok());
}

#[test]
fn variables_must_be_known_to_a_native_calculation() {
    let mut execution = EffectDef::instant("GE");
    execution.executions.push(ExecutionDef {
        calculation: "Calc".into(),
        modifiers: vec![ScopedModifierDef {
            target: ScopedTargetDef::Variable("Crit".into()),
            operation: Operation::Add,
            magnitude: 1.0.into(),
        }],
    });
    let native = ugas_core::effect::calculation::native(vec![], |_| Ok(0.0));
    assert_error(
        effect(execution).native("Calc", native),
        "effect `GE` at Executions[0].Modifiers[0].Variable: the calculation `Calc` has no variable `Crit`",
    );
}

#[test]
fn t4_queries_may_not_be_nested_without_end() {
    let mut query =
        TagQueryDef { all: vec![TagQueryItemDef::Tag("State.X".into())], ..TagQueryDef::default() };
    for _ in 0..70 {
        query = TagQueryDef { all: vec![TagQueryItemDef::Query(query)], ..TagQueryDef::default() };
    }
    let deep = EffectDef { application_query: query, ..EffectDef::infinite("GE") };
    let errors = errors(effect(deep));
    assert_eq!(errors.len(), 1);
    assert!(errors[0].ends_with(": the tag query is nested too deeply"), "{errors:?}");
}

#[test]
fn b2_a_derived_attribute_reads_only_its_own_controller() {
    let derived = |text: &str| one_set([AttributeDef::derived("A", text), AttributeDef::new("B", 1.0)]);
    assert_error(
        derived("rand()"),
        "attribute `A` at DerivedFrom.Expression: `rand()` is not available here: a derived attribute must be a \
         function of its inputs",
    );
    for (text, what) in [
        ("Source.B", "those of a source or target"),
        ("Level", "a level"),
        ("Stacks", "a stack count"),
        ("SetByCaller(\"Data.X\")", "set-by-caller magnitudes"),
        ("Param(\"X\")", "parameters"),
        ("HasTag(\"State.X\")", "tags"),
    ] {
        assert_error(
            derived(text),
            &format!(
                "attribute `A` at DerivedFrom.Expression: a derived attribute reads attributes of its own controller \
                 only, not {what}"
            ),
        );
    }
}

#[test]
fn every_error_is_reported_not_just_the_first() {
    let bad = EffectDef::instant("GE_Bad")
        .every(-1.0)
        .modify("Helth", Operation::Add, f64::NAN)
        .with(ModifierDef::new("Mana", Operation::Add, MagnitudeDef::expression("1 +")).layer(12));
    let found = errors(
        effect(bad)
            .effect(EffectDef::infinite("GE_Other").granting("x"))
            .effect(EffectDef::infinite("GE_Other"))
            .curve(CurveDef { name: "C".into(), ..CurveDef::default() }),
    );
    assert_eq!(found.len(), 9, "{found:#?}");
}

#[test]
fn templates_are_checked_even_if_something_else_is_wrong() {
    let found = errors(
        effect(EffectDef::infinite("GE").granting("x"))
            .attribute_set(AttributeSetDef::new("Needy").depends_on("Unit"))
            .template(ControllerDef::new("T").with_set("Needy")),
    );
    assert_eq!(found.len(), 2, "{found:#?}");
}

#[test]
fn a_catalog_without_attributes_reports_instead_of_panicking() {
    let live = MagnitudeDef::expression("if(Target.HasTag(\"State.X\"), 1, 2)");
    let found =
        errors(Catalog::builder().effect(EffectDef::infinite("GE").modify("X", Operation::Add, live)));
    assert_eq!(found, ["effect `GE` at Modifiers[0].Attribute: there is no attribute `X`"]);
    assert!(Catalog::builder().build().is_ok());
}

#[test]
fn failed_lookup_suggests_the_nearest_name() {
    let catalog = builder().build().unwrap();
    assert_eq!(
        catalog.attribute("Helth").unwrap_err().to_string(),
        "there is no attribute `Helth` in the catalog; did you mean `Health`?"
    );
    assert_eq!(catalog.effect("GE_X").unwrap_err().to_string(), "there is no effect `GE_X` in the catalog");
}

#[test]
fn name_comparisons_for_suggestions_are_limited() {
    // 30,000 times 30,000 comparisons would take minutes: that the test ends is part of what it shows.
    let many = 0..30_000;
    let known = many.clone().fold(AttributeSetDef::new("Known"), |set, at| {
        set.with(AttributeDef::new(format!("Known{at:05}"), 0.0))
    });
    let wrong = many.fold(Catalog::builder().attribute_set(known), |builder, at| {
        let name = format!("GE_{at:05}");
        builder.effect(EffectDef::instant(name).modify(format!("Knovn{at:05}"), Operation::Add, 1.0))
    });
    let found = errors(wrong);
    assert_eq!(found.len(), 30_000);
    assert!(found[0].contains("did you mean `Known00000`?"), "{}", found[0]);
    assert!(!found[29_999].contains("did you mean"), "{}", found[29_999]);
}
