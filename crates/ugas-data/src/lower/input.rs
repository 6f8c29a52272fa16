//! Input documents (§11): the four kinds of the later drafts and draft 1's mapping become one scheme.

use std::collections::BTreeSet;

use ugas_core::input::{
    BindingDef, BindingSource, CompositeInputs, Device as CoreDevice, DeviceInput, InputActionDef,
    InputActionSetDef, InputBufferConfig, InputDefinitionError, InputDefinitionKind, InputId,
    InputMappingDef, InputModifierDef, InputModifierKind, InputProblem, InputScheme, InputSchemeBuilder,
    InputValue, KeyActionDef, KeyMappingDef, Platform, ResponseCurve,
};
use ugas_core::time::Span;

use super::magnitude::{Default as Absent, flag, number};
use super::{text, texts};
use crate::decode::{Integer, NonNegative, Unit};
use crate::diagnostics::{Sink, codes};
use crate::model::input::{
    BindingDoc, BufferWindow, CompositeInputsDoc, CurveType, Device, DeviceInputDoc, InputActionDoc,
    InputActionSetDoc, InputBufferDoc, InputMappingDoc, InputModifierDoc, InputModifierParamsDoc,
    InputModifierType, OldInputMappingDoc,
};
use crate::model::{Document, Model};
use crate::node::Node;

/// Name of the action set that draft 1's mapping becomes.
const OLD_SET: &str = "InputMapping";

/// Builder with all input documents. Documents that could not be decoded in full are left out.
pub(crate) fn scheme(documents: &[Document]) -> InputSchemeBuilder {
    let mut builder = InputScheme::builder();
    let mut old = KeyMappingDef::default();
    for document in documents.iter().filter(|document| document.is_clean) {
        builder = match &document.model {
            Model::InputAction(doc) => builder.action(action(doc)),
            Model::InputActionSet(doc) => builder.action_set(set(doc)),
            Model::InputMapping(doc) => builder.mapping(mapping(doc)),
            Model::InputModifier(doc) => match kind(doc) {
                Ok(kind) => builder.modifier(InputModifierDef { name: text(&doc.name), kind }),
                Err(_) => builder,
            },
            Model::OldInputMapping(doc) => {
                old.actions.extend(keys(doc));
                builder
            }
            _ => builder,
        };
    }
    if old.actions.is_empty() { builder } else { builder.key_mapping(OLD_SET, &old) }
}

/// Registers a modifier that changes nothing for every Custom modifier of the documents, so that a scheme can
/// be built without the host's code.
pub(crate) fn with_stand_ins(builder: InputSchemeBuilder, documents: &[Document]) -> InputSchemeBuilder {
    /// Modifier in place of one without registered native code.
    fn unchanged(value: InputValue) -> InputValue {
        value
    }
    let modifiers = documents.iter().filter_map(|document| match &document.model {
        Model::InputModifier(doc) => doc.params.as_ref()?.calculator.as_ref(),
        _ => None,
    });
    modifiers.fold(builder, |builder, name| builder.custom_modifier(&name.value, unchanged))
}

/// Input buffer of the pack: that of its settings, else that of the action set with the highest priority. The
/// text is the attribute of the owner that has the window in seconds, if it is not constant. `None` without
/// any buffer.
pub(super) fn buffer(documents: &[Document]) -> Option<(InputBufferConfig, Option<&str>)> {
    let globals = documents.iter().find_map(|document| match &document.model {
        Model::Pack(doc) => doc.globals.as_ref()?.input_buffer.as_ref(),
        _ => None,
    });
    let sets = documents.iter().filter_map(|document| match &document.model {
        Model::InputActionSet(doc) => Some((doc, doc.buffer.as_ref()?)),
        _ => None,
    });
    let of_set = || {
        let rank = |set: &InputActionSetDoc| (-i64::from(rank(&set.priority)), text(&set.name));
        sets.min_by_key(|(set, _)| rank(set)).map(|(_, buffer)| buffer)
    };
    let doc = globals.or_else(of_set)?;
    let attribute = match &doc.window {
        Some(BufferWindow::Attribute(name)) => Some(name.value.as_str()),
        _ => None,
    };
    Some((buffer_config(doc), attribute))
}

/// Reports errors of the input documents as a whole: builds the scheme for every platform that a mapping
/// names. Each error is reported once; unknown names are left to the checks.
pub(crate) fn check(documents: &[Document], sink: &mut Sink) {
    for document in documents {
        if let Model::InputModifier(doc) = &document.model
            && document.is_clean
            && let Err((field, message)) = kind(doc)
        {
            let node = document.node.at_path(&format!("Params.{field}"));
            sink.push(codes::ability::invalid_input(node.head(), &message));
        }
    }
    let builder = with_stand_ins(scheme(documents), documents);
    let mut platforms: Vec<Platform> = documents.iter().filter_map(platform).collect();
    platforms.sort_unstable();
    platforms.dedup();
    if platforms.is_empty() {
        platforms.push(Platform::Pc);
    }
    let mut reported = BTreeSet::new();
    for platform in platforms {
        let Err(errors) = builder.clone().platform(platform).build() else { continue };
        for error in errors.0 {
            let is_checked = matches!(
                error.problem,
                InputProblem::Unknown { .. }
                    | InputProblem::Duplicate(_)
                    | InputProblem::EmptyName
                    | InputProblem::EmptySet
                    | InputProblem::NotInSet { .. }
            );
            if !is_checked && reported.insert(error.to_string()) {
                let span = node_of(documents, &error, platform).map(Node::head).unwrap_or_default();
                sink.push(codes::ability::invalid_input(span, &error.problem.to_string()));
            }
        }
    }
}

/// Platform of an input mapping; `None` for other documents and for a mapping of every platform.
fn platform(document: &Document) -> Option<Platform> {
    match &document.model {
        Model::InputMapping(doc) => doc.platform.as_ref().map(|platform| platform.0.value),
        _ => None,
    }
}

/// Node that an error refers to. If a set has several mappings on the platform, it is the first that has the
/// path.
fn node_of<'a>(documents: &'a [Document], error: &InputDefinitionError, on: Platform) -> Option<&'a Node> {
    let is_it = |document: &&Document| {
        let name = match (&document.model, error.kind) {
            (Model::InputAction(doc), InputDefinitionKind::Action) => doc.name.as_deref(),
            (Model::InputActionSet(doc), InputDefinitionKind::ActionSet) => doc.name.as_deref(),
            (Model::InputModifier(doc), InputDefinitionKind::Modifier) => doc.name.as_deref(),
            (Model::InputMapping(doc), InputDefinitionKind::Mapping) => doc.action_set.as_deref(),
            (Model::OldInputMapping(_), InputDefinitionKind::Mapping) => return error.name == OLD_SET,
            _ => None,
        };
        name.is_some_and(|name| name.value == error.name)
            && platform(document).is_none_or(|platform| platform == on)
    };
    let mut nodes = documents.iter().filter(is_it).map(|document| {
        let path = match error.kind {
            InputDefinitionKind::Modifier => format!("Params.{}", error.path),
            _ => error.path.clone(),
        };
        (document, document.node.at_path(&path))
    });
    let first = nodes.next()?;
    let (_, node) = if first.1 == &first.0.node { nodes.next().unwrap_or(first) } else { first };
    Some(node)
}

/// Input action definition; missing fields get the defaults of a digital action.
fn action(doc: &InputActionDoc) -> InputActionDef {
    let defaults = InputActionDef::digital(&text(&doc.name));
    let seconds = |seconds: &Option<NonNegative>, default: Span| {
        seconds.as_ref().map_or(default, |seconds| Span::seconds(seconds.0.value))
    };
    InputActionDef {
        value_type: doc.value_type.as_ref().map_or(defaults.value_type, |kind| kind.0.value),
        trigger: doc.trigger.as_ref().map(|trigger| trigger.0.value).unwrap_or_default(),
        tap_threshold: seconds(&doc.tap_threshold, defaults.tap_threshold),
        double_tap_window: seconds(&doc.double_tap_window, defaults.double_tap_window),
        consume: flag(&doc.consume, Absent::True),
        tags: doc.tags.as_ref().map(|tags| texts(&tags.action_tags)).unwrap_or_default(),
        ..defaults
    }
}

/// Priority of a set or binding; 0 if it has none.
fn rank(priority: &Option<Integer<-2147483648, 2147483647>>) -> i32 {
    priority.as_ref().and_then(|priority| i32::try_from(priority.0.value).ok()).unwrap_or_default()
}

/// Action set definition with its activation tags and buffer.
fn set(doc: &InputActionSetDoc) -> InputActionSetDef {
    let activation = doc.activation.clone().unwrap_or_default();
    let actions = doc.actions.iter().flat_map(|actions| actions.iter());
    InputActionSetDef {
        priority: rank(&doc.priority),
        required_tags: texts(&activation.required),
        blocked_tags: texts(&activation.blocked),
        exclusive: flag(&doc.exclusive, Absent::False),
        buffer: doc.buffer.as_ref().map(buffer_config).unwrap_or_default(),
        ..InputActionSetDef::new(&text(&doc.name), actions.map(|action| action.value.as_str()))
    }
}

/// Buffer settings of a document. With an attribute as its window, inputs are kept without a time limit until
/// they are retried.
fn buffer_config(doc: &InputBufferDoc) -> InputBufferConfig {
    let defaults = InputBufferConfig::default();
    InputBufferConfig {
        enabled: flag(&doc.enabled, Absent::False),
        window: match &doc.window {
            Some(BufferWindow::Seconds(seconds)) => Span::seconds(seconds.0.value),
            // The attribute is read when a buffered input is retried; until then it is kept.
            Some(BufferWindow::Attribute(_)) => Span::MAX,
            None => defaults.window,
        },
        size: super::ability::count(&doc.size, defaults.size),
    }
}

/// Mapping definition of one action set on one platform, or on every platform.
fn mapping(doc: &InputMappingDoc) -> InputMappingDef {
    let bindings = doc.bindings.iter().flat_map(|bindings| bindings.iter());
    InputMappingDef {
        platform: doc.platform.as_ref().map(|platform| platform.0.value),
        bindings: bindings.map(binding).collect(),
        ..InputMappingDef::new(&text(&doc.action_set))
    }
}

/// Binding definition. `CompositeInputs` win over `Inputs`.
fn binding(doc: &BindingDoc) -> BindingDef {
    let source = match &doc.composite {
        Some(composite) => BindingSource::Composite(Box::new(self::composite(composite))),
        None => {
            let inputs = doc.inputs.iter().flat_map(|inputs| inputs.iter());
            BindingSource::Inputs(inputs.map(device_input).collect())
        }
    };
    BindingDef {
        action: text(&doc.action),
        source,
        modifiers: texts(&doc.modifiers),
        priority: rank(&doc.priority),
        hold_threshold: doc
            .hold_threshold
            .as_ref()
            .map_or(Span::ZERO, |seconds| Span::seconds(seconds.0.value)),
        rebindable: flag(&doc.rebindable, Absent::True),
        required_tags: doc.tags.as_ref().map(|tags| texts(&tags.required)).unwrap_or_default(),
    }
}

/// Composite inputs: one control for each direction that is bound.
fn composite(doc: &CompositeInputsDoc) -> CompositeInputs {
    let input = |input: &Option<DeviceInputDoc>| input.as_ref().map(device_input);
    CompositeInputs {
        up: input(&doc.up),
        down: input(&doc.down),
        left: input(&doc.left),
        right: input(&doc.right),
        forward: input(&doc.forward),
        backward: input(&doc.backward),
    }
}

/// Control of a device; a custom device without a name is called `Custom`.
fn device_input(doc: &DeviceInputDoc) -> DeviceInput {
    let control = doc.input.as_ref().map_or("", |input| &input.0.value);
    let device = match doc.device.as_ref().map_or(Device::Keyboard, |device| device.0.value) {
        Device::Keyboard => CoreDevice::Keyboard,
        Device::Mouse => CoreDevice::Mouse,
        Device::Gamepad => CoreDevice::Gamepad,
        Device::Touch => CoreDevice::Touch,
        Device::Gyro => CoreDevice::Gyro,
        Device::Custom => {
            CoreDevice::Custom(doc.custom_name.as_ref().map_or("Custom", |name| &name.0.value).into())
        }
    };
    DeviceInput::new(device, control)
}

/// Actions with their keys of draft 1's mapping. Keys without a name are left out.
fn keys(doc: &OldInputMappingDoc) -> impl Iterator<Item = KeyActionDef> + '_ {
    doc.actions.iter().flat_map(|actions| actions.iter()).map(|action| KeyActionDef {
        action: text(&action.action),
        input: action.input.as_ref().map(|input| InputId::new(&input.value)),
        keys: action.keys.iter().filter_map(|key| Some(key.key.as_ref()?.0.value.clone())).collect(),
    })
}

/// Kind of an input modifier; or the name of an invalid parameter with the reason.
fn kind(doc: &InputModifierDoc) -> Result<InputModifierKind, (&'static str, String)> {
    let nothing = InputModifierParamsDoc::default();
    let params = doc.params.as_ref().unwrap_or(&nothing);
    let unit = |unit: &Option<Unit>, default: f64| unit.as_ref().map_or(default, |unit| unit.0.value);
    let wanted = doc.kind.as_ref().map_or(InputModifierType::Normalize, |kind| kind.0.value);
    Ok(match wanted {
        InputModifierType::DeadZone => InputModifierKind::DeadZone {
            shape: params
                .shape
                .as_ref()
                .map_or(ugas_core::input::DeadZoneShape::Axial, |shape| shape.0.value),
            inner: unit(&params.inner, 0.0),
            outer: unit(&params.outer, 1.0),
        },
        InputModifierType::Sensitivity => InputModifierKind::Sensitivity {
            multiplier: number(&params.multiplier, 1.0),
            x: number(&params.multiplier_x, 1.0),
            y: number(&params.multiplier_y, 1.0),
        },
        InputModifierType::ResponseCurve => InputModifierKind::ResponseCurve(curve(params)),
        InputModifierType::AxisInvert => InputModifierKind::AxisInvert([
            flag(&params.invert_x, Absent::False),
            flag(&params.invert_y, Absent::False),
            false,
        ]),
        InputModifierType::AxisScale => InputModifierKind::AxisScale([
            number(&params.scale_x, 1.0),
            number(&params.scale_y, 1.0),
            number(&params.scale_z, 1.0),
        ]),
        InputModifierType::AxisSwizzle => {
            let order = params.swizzle.as_ref().map_or("XYZ", |order| &order.0.value);
            let order = order.parse().map_err(|error| ("SwizzleOrder", format!("{error}")))?;
            InputModifierKind::AxisSwizzle(order)
        }
        InputModifierType::RadialScaling => {
            InputModifierKind::RadialScaling { max_radius: number(&params.max_radius, 1.0) }
        }
        InputModifierType::Normalize => InputModifierKind::Normalize,
        InputModifierType::TriggerThreshold => {
            InputModifierKind::TriggerThreshold { press: unit(&params.press, 0.5) }
        }
        InputModifierType::Clamp => {
            InputModifierKind::Clamp { min: number(&params.min, -1.0), max: number(&params.max, 1.0) }
        }
        InputModifierType::Custom => match &params.calculator {
            Some(name) => InputModifierKind::Custom(name.value.clone()),
            None => return Err(("CalculatorClass", "a Custom modifier needs `CalculatorClass`".to_owned())),
        },
    })
}

/// Response curve of a modifier; a custom curve has the points of the document.
fn curve(params: &InputModifierParamsDoc) -> ResponseCurve {
    match params.curve_type.as_ref().map_or(CurveType::Linear, |curve| curve.0.value) {
        CurveType::Linear => ResponseCurve::Linear,
        CurveType::Exponential => ResponseCurve::Exponential(number(&params.exponent, 2.0)),
        CurveType::SCurve => ResponseCurve::SCurve,
        CurveType::Custom => ResponseCurve::Points(
            params
                .points
                .iter()
                .map(|point| (number(&point.input, 0.0), number(&point.output, 0.0)))
                .collect(),
        ),
    }
}
