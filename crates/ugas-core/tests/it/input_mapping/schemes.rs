//! Errors of input definitions, all reported at once (I9).

use super::*;
use ugas_core::input::{InputProblem, InputSchemeErrors, Platform, ResponseCurve};

fn messages(errors: InputSchemeErrors) -> Vec<String> {
    errors.0.iter().map(ToString::to_string).collect()
}

#[test]
fn every_error_is_reported_with_its_path() {
    let mut late = InputActionDef::digital("IA_Jump");
    late.tap_threshold = Span::millis(-100);
    let errors = InputScheme::builder()
        .action(late)
        .action(InputActionDef::digital("IA_Fire"))
        .action(InputActionDef::digital("IA_Fire"))
        .action(InputActionDef::new("IA_Move", ValueType::Axis2D))
        .action_set(InputActionSetDef::new("Foot", ["IA_Jump", "IA_Mvoe", "IA_Move"]))
        .action_set(InputActionSetDef::new("Empty", []))
        .mapping(
            InputMappingDef::new("Foot")
                .bind(BindingDef::new("IA_Jmp", key("A")))
                .bind(BindingDef::new("IA_Fire", key("A")))
                .bind(BindingDef::chord("IA_Jump", [key("A"), key("A")]))
                .bind(BindingDef::chord("IA_Jump", []))
                .bind(BindingDef::new("IA_Jump", key("")).through("Rset"))
                .bind(BindingDef::chord("IA_Move", ["A", "B", "C"].map(key)))
                .bind(BindingDef::new("IA_Jump", key("J")))
                .bind(BindingDef::new("IA_Jump", key("J")).priority(2)),
        )
        .mapping(InputMappingDef::new("Fot"))
        .modifier(InputModifierDef::new("Rest", InputModifierKind::Normalize))
        .build()
        .unwrap_err();
    assert_eq!(
        messages(errors),
        [
            "input action `IA_Fire` at Name: there is another input action of this name",
            "input action `IA_Jump` at TapThreshold: a time must not be negative, found -0.1 s",
            "input action set `Foot` at Actions[1]: there is no input action `IA_Mvoe`; did you mean `IA_Move`?",
            "input action set `Empty` at Actions: the set has no actions",
            "input mapping `Foot` at Bindings[0].Action: there is no input action `IA_Jmp`; did you mean `IA_Jump`?",
            "input mapping `Foot` at Bindings[1].Action: the set `Foot` does not have the action `IA_Fire`: add it to the \
         set, or bind it in another mapping",
            "input mapping `Foot` at Bindings[2]: the binding uses `Keyboard/A` twice",
            "input mapping `Foot` at Bindings[3]: the binding has no inputs",
            "input mapping `Foot` at Bindings[4].Modifiers[0]: there is no input modifier `Rset`; did you mean `Rest`?",
            "input mapping `Foot` at Bindings[4]: the input has no name",
            "input mapping `Foot` at Bindings[5].Inputs: the action has 2 axes, but the binding 3 inputs for them",
            "input mapping `Foot` at Bindings[7]: the same inputs are already bound to `IA_Jump` in this set",
            "input mapping `Fot` at ActionSet: there is no input action set `Fot`; did you mean `Foot`?",
        ]
    );
}

#[test]
fn modifiers_are_checked() {
    let dead_zone = |inner, outer| InputModifierKind::DeadZone { shape: DeadZoneShape::Radial, inner, outer };
    let wrong = [
        dead_zone(0.5, 0.5),
        dead_zone(-0.1, 0.5),
        dead_zone(0.1, f64::NAN),
        InputModifierKind::Sensitivity { multiplier: f64::INFINITY, x: 1.0, y: 1.0 },
        InputModifierKind::ResponseCurve(ResponseCurve::Exponential(0.0)),
        InputModifierKind::ResponseCurve(ResponseCurve::Points(vec![(1.0, 1.0), (0.0, 0.0)])),
        InputModifierKind::AxisScale([1.0, f64::NAN, 1.0]),
        InputModifierKind::RadialScaling { max_radius: 0.0 },
        InputModifierKind::TriggerThreshold { press: 1.5 },
        InputModifierKind::Clamp { min: 1.0, max: -1.0 },
        InputModifierKind::Custom("Unheard".to_owned()),
    ];
    for kind in wrong {
        let errors = InputScheme::builder().modifier(InputModifierDef::new("M", kind.clone())).build();
        assert_eq!(errors.unwrap_err().0.len(), 1, "{kind:?}");
    }
}

#[test]
fn custom_modifiers_run_host_code() {
    let build = |registered: &str| {
        InputScheme::builder()
            .action(InputActionDef::new("Move", ValueType::Axis1D))
            .action_set(InputActionSetDef::new("Set", ["Move"]))
            .modifier(InputModifierDef::new("Mine", InputModifierKind::Custom("Halve".to_owned())))
            .custom_modifier(registered, |value| value.map(|axis| axis / 2.0))
            .mapping(InputMappingDef::new("Set").bind(BindingDef::new("Move", key("X")).through("Mine")))
            .build()
    };
    let InputProblem::Unknown { nearest, .. } = build("Halves").unwrap_err().0.remove(0).problem else {
        panic!("not the problem expected");
    };
    assert_eq!(nearest.as_deref(), Some("Halves"));
    let mut f = Fixture::on(build("Halve").unwrap());
    f.down(0, "X");
    assert_eq!(f.signals(), ["0 Move+", "0 Move!", "0 Move=[0.5, 0.0, 0.0]"]);
}

#[test]
fn a_scheme_has_the_mappings_of_its_platform_and_of_all() {
    let builder = InputScheme::builder()
        .action(InputActionDef::digital("Jump"))
        .action_set(InputActionSetDef::new("Set", ["Jump"]))
        .mapping(InputMappingDef::new("Set").bind(BindingDef::new("Jump", key("Any"))))
        .mapping(InputMappingDef::new("Set").platform(Platform::Pc).bind(BindingDef::new("Jump", key("Pc"))))
        .mapping(InputMappingDef::new("Set").platform(Platform::Vr).bind(BindingDef::new("Jump", key("Vr"))));
    let mapper = InputMapper::new(builder.platform(Platform::Vr).build().unwrap());
    let bound: Vec<_> = mapper.slots("Jump").filter_map(|slot| slot.input.cloned()).collect();
    assert_eq!(bound, [key("Any"), key("Vr")]);
}

#[test]
fn scheme_exposes_its_actions() {
    let f = three_sets();
    let scheme = f.mapper.scheme();
    let names: Vec<_> = scheme.actions().map(|action| scheme.action_name(action)).collect();
    assert_eq!(names, ["Look", "Use"]);
    assert_eq!(scheme.tags(), ["State.Dead", "State.Driving", "UI.Menu"]);
    assert_eq!(scheme.action_sets().collect::<Vec<_>>(), ["Car", "Menu", "Foot"]);
    let action = scheme.action("Use").unwrap();
    assert_eq!(scheme.trigger(action), Some(TriggerBehavior::OnPressed));
    assert_eq!(scheme.value_type(action), Some(ValueType::Digital));
}
