//! Properties of the mapper under random devices, tags and remappings.

use super::*;
use proptest::prelude::*;
use ugas_core::hash::StateHasher;
use ugas_core::input::{InputSignal, SavedMappings};

#[derive(Clone, Debug)]
enum Step {
    Device(usize, [f64; 3]),
    Tags(u8),
    Remap(usize, u32, usize),
    Unbind(usize, u32),
    Reset,
    Reload,
    LoseFocus,
    Wait,
}

const KEYS: [&str; 6] = ["A", "B", "C", "Ctrl", "Stick", "Other"];
const ACTIONS: [&str; 6] = ["Chord", "Double", "Hold", "Move", "Tap", "Use"];

fn mapper() -> InputMapper {
    let scheme = InputScheme::builder()
        .action(InputActionDef::digital("Chord"))
        .action(InputActionDef::digital("Double").fires(TriggerBehavior::OnDoubleTap).shared())
        .action(InputActionDef::digital("Hold").fires(TriggerBehavior::OnReleased))
        .action(InputActionDef::new("Move", ValueType::Axis2D))
        .action(InputActionDef::digital("Tap").fires(TriggerBehavior::OnTap))
        .action(InputActionDef::digital("Use"))
        .action_set(InputActionSetDef::new("Low", ACTIONS).blocked_by("T0"))
        .action_set(InputActionSetDef::new("High", ["Use", "Move"]).requires("T1").priority(1))
        .action_set(InputActionSetDef::new("Menu", ["Tap"]).requires("T2").priority(1).exclusive())
        .modifier(InputModifierDef::new(
            "Rest",
            InputModifierKind::DeadZone { shape: DeadZoneShape::Radial, inner: 0.2, outer: 0.9 },
        ))
        .mapping(
            InputMappingDef::new("Low")
                .bind(BindingDef::chord("Chord", [key("Ctrl"), key("A")]))
                .bind(BindingDef::new("Double", key("B")))
                .bind(BindingDef::new("Hold", key("A")).held_for(Span::millis(30)))
                .bind(BindingDef::new("Tap", key("A")))
                .bind(BindingDef::new("Use", key("C")).requires("T1"))
                .bind(BindingDef::new("Move", key("Stick")).through("Rest").held_for(Span::millis(20)))
                .bind(BindingDef::composite(
                    "Move",
                    CompositeInputs {
                        left: Some(key("A")),
                        right: Some(key("B")),
                        forward: Some(key("C")),
                        ..CompositeInputs::default()
                    },
                )),
        )
        .mapping(
            InputMappingDef::new("High")
                .bind(BindingDef::new("Use", key("B")).fixed())
                .bind(BindingDef::chord("Move", [key("Stick"), key("C")])),
        )
        .mapping(InputMappingDef::new("Menu").bind(BindingDef::new("Tap", key("B"))))
        .build();
    InputMapper::new(scheme.unwrap())
}

fn perform(mapper: &mut InputMapper, now: Time, step: &Step) {
    match step {
        Step::Device(at, value) => mapper.device_event(now, &key(KEYS[*at]), *value),
        Step::Tags(bits) => {
            mapper.tags(now, |tag| (0..8).any(|bit| bits >> bit & 1 == 1 && tag == format!("T{bit}")))
        }
        Step::LoseFocus => mapper.release_all(now),
        Step::Wait => mapper.advance(now),
        remapping => {
            mapper.advance(now);
            match remapping {
                Step::Remap(action, slot, at) => drop(mapper.remap(ACTIONS[*action], *slot, key(KEYS[*at]))),
                Step::Unbind(action, slot) => drop(mapper.unbind(ACTIONS[*action], *slot)),
                Step::Reload => {
                    let saved = SavedMappings::parse(&mapper.save().to_text()).unwrap();
                    assert_eq!(mapper.load(&saved), []);
                }
                _ => mapper.reset_to_defaults(),
            }
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let number = || prop_oneof![4 => Just(0.0), 4 => Just(1.0), 2 => -1.5..1.5f64, 1 => any::<f64>()];
    let step = prop_oneof![
        12 => (0..KEYS.len(), prop::array::uniform3(number())).prop_map(|(at, value)| Step::Device(at, value)),
        2 => (0u8..8).prop_map(Step::Tags),
        1 => (0..ACTIONS.len(), 0u32..4, 0..KEYS.len()).prop_map(|(action, slot, at)| Step::Remap(action, slot, at)),
        1 => (0..ACTIONS.len(), 0u32..4).prop_map(|(action, slot)| Step::Unbind(action, slot)),
        1 => prop_oneof![Just(Step::Reset), Just(Step::Reload), Just(Step::LoseFocus), Just(Step::Wait)],
    ];
    prop::collection::vec((0u64..40_000, step), 0..60)
}

fn drain(mapper: &mut InputMapper) -> Vec<InputSignal> {
    core::iter::from_fn(|| mapper.poll()).collect()
}

proptest! {
    #[test]
    fn every_press_has_exactly_one_release(steps in steps()) {
        let mut mapper = mapper();
        let mut now = Time::ZERO;
        for (micros, step) in &steps {
            now += Span::from_micros(*micros as i64);
            perform(&mut mapper, now, step);
        }
        mapper.release_all(now);
        let mut pressed = [None; ACTIONS.len()];
        let mut last = Time::ZERO;
        for signal in drain(&mut mapper) {
            prop_assert!(last <= signal.time, "signals come in the order of time");
            last = signal.time;
            let since = &mut pressed[signal.action.index() as usize];
            match signal.kind {
                InputSignalKind::Pressed => prop_assert_eq!(since.replace(signal.time), None),
                InputSignalKind::Released { held, .. } => {
                    prop_assert_eq!(since.take().map(|since| signal.time.since(since)), Some(held));
                }
                InputSignalKind::Triggered => prop_assert!(since.is_some()),
                InputSignalKind::Value(value) => {
                    prop_assert!(since.is_some() && value.iter().all(|axis| axis.is_finite()));
                }
            }
        }
        prop_assert_eq!(pressed, [None; ACTIONS.len()]);
        prop_assert!(mapper.scheme().clone().actions().all(|action| mapper.value(action) == [0.0; 3]));
    }

    #[test]
    fn signals_do_not_depend_on_step_size(steps in steps(), stride in 1u64..20_000) {
        let (mut rare, mut often) = (mapper(), mapper());
        let mut now = Time::ZERO;
        for (micros, step) in &steps {
            let next = now + Span::from_micros(*micros as i64);
            while now < next {
                now = (now + Span::from_micros(stride as i64)).min(next);
                often.advance(now);
            }
            perform(&mut rare, next, step);
            perform(&mut often, next, step);
        }
        prop_assert_eq!(StateHasher::of(&rare), StateHasher::of(&often));
        prop_assert_eq!(drain(&mut rare), drain(&mut often));
    }

    #[test]
    fn copied_mapper_continues_identically(steps in steps(), at in 0usize..60) {
        let mut original = mapper();
        let mut copy = original.clone();
        let mut now = Time::ZERO;
        for (index, (micros, step)) in steps.iter().enumerate() {
            now += Span::from_micros(*micros as i64);
            perform(&mut original, now, step);
            if index <= at {
                copy = original.clone();
            } else {
                perform(&mut copy, now, step);
            }
        }
        prop_assert_eq!(StateHasher::of(&original), StateHasher::of(&copy));
    }

    #[test]
    fn parsing_saved_mappings_never_panics(text in "(ugas-input-mappings 1\n)?([A-Za-z]{0,3} [0-9]{0,3} (Keyboard|Custom|unbound)?[ \\\\u{}0-9a-f]{0,8}\n){0,4}.{0,20}") {
        if let Ok(saved) = SavedMappings::parse(&text) {
            prop_assert_eq!(SavedMappings::parse(&saved.to_text()), Ok(saved.clone()));
            mapper().load(&saved);
        }
    }
}
