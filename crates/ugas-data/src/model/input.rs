//! Input documents of the later drafts (§11), and draft 1's mapping.

use serde_json::{Value as Json, json};
use ugas_core::input::{DeadZoneShape, Platform, TriggerBehavior, ValueType};

use super::{
    ActionSetName, AttributeName, CalculationName, InputModifierName, InputName, MetadataDoc, Name, Tag,
};
use crate::decode::{
    AtLeastOne, Choice, Definitions, Field, Flag, Integer, NonNegative, Number, Text, Unit, Visitor, choice,
    record,
};
use crate::diagnostics::Sink;
use crate::node::{Node, Value};

/// A kind of device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// A keyboard.
    Keyboard,
    /// A mouse.
    Mouse,
    /// A gamepad.
    Gamepad,
    /// A touch screen.
    Touch,
    /// A motion sensor.
    Gyro,
    /// Anything else.
    Custom,
}

/// Type of an input modifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputModifierType {
    /// Ignores small values.
    DeadZone,
    /// Scales the value.
    Sensitivity,
    /// Maps the value through a curve.
    ResponseCurve,
    /// Inverts axes.
    AxisInvert,
    /// Scales each axis by its own factor.
    AxisScale,
    /// Reorders the axes.
    AxisSwizzle,
    /// Scales by distance from the centre.
    RadialScaling,
    /// Normalises the length to 1.
    Normalize,
    /// Turns an axis into a press.
    TriggerThreshold,
    /// Clamps the value to a range.
    Clamp,
    /// Native code of the host.
    Custom,
}

/// Shape of a response curve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CurveType {
    /// Straight line.
    Linear,
    /// Power of the input.
    Exponential,
    /// Smooth step.
    SCurve,
    /// Custom points.
    Custom,
}

choice! {
    ValueType {
        "Digital" => Self::Digital,
        "Axis1D" => Self::Axis1D,
        "Axis2D" => Self::Axis2D,
        "Axis3D" => Self::Axis3D,
    }
    TriggerBehavior {
        "OnPressed" => Self::OnPressed,
        "OnReleased" => Self::OnReleased,
        "WhileHeld" => Self::WhileHeld,
        "OnTap" => Self::OnTap,
        "OnDoubleTap" => Self::OnDoubleTap,
    }
    Platform { "PC" => Self::Pc, "Console" => Self::Console, "Mobile" => Self::Mobile, "VR" => Self::Vr }
    Device {
        "Keyboard" => Self::Keyboard,
        "Mouse" => Self::Mouse,
        "Gamepad" => Self::Gamepad,
        "Touch" => Self::Touch,
        "Gyro" => Self::Gyro,
        "Custom" => Self::Custom,
    }
    InputModifierType {
        "DeadZone" => Self::DeadZone,
        "Sensitivity" => Self::Sensitivity,
        "ResponseCurve" => Self::ResponseCurve,
        "AxisInvert" => Self::AxisInvert,
        "AxisScale" => Self::AxisScale,
        "AxisSwizzle" => Self::AxisSwizzle,
        "RadialScaling" => Self::RadialScaling,
        "Normalize" => Self::Normalize,
        "TriggerThreshold" => Self::TriggerThreshold,
        "Clamp" => Self::Clamp,
        "Custom" => Self::Custom,
    }
    DeadZoneShape { "Axial" => Self::Axial, "Radial" => Self::Radial }
    CurveType {
        "Linear" => Self::Linear,
        "Exponential" => Self::Exponential,
        "SCurve" => Self::SCurve,
        "Custom" => Self::Custom,
    }
}

record! {
    /// Tags of an input action.
    ActionTagsDoc, "action tags" {
        action_tags: list Tag = "ActionTags", "Tags that describe it.";
    }
}

record! {
    /// An input action.
    InputActionDoc, "input action" {
        name: required Name = "Name", "Unique name of the action, which abilities are bound to.";
        value_type: required Choice<ValueType> = "ValueType", "Type of its value.";
        trigger: optional Choice<TriggerBehavior> = "TriggerBehavior", "When it fires (default: OnPressed).";
        tap_threshold: optional NonNegative = "TapThreshold", "Longest tap in seconds (default: 0.2).";
        double_tap_window: optional NonNegative = "DoubleTapWindow", "Longest time between two taps in seconds (default: 0.3).";
        consume: optional Flag = "ConsumeInput", "Whether the input is hidden from other actions (default: true).";
        tags: optional ActionTagsDoc = "Tags", "Its tags.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}

record! {
    /// When an action set is active.
    ActivationTagsDoc, "activation tags" {
        required: list Tag = "RequiredTags", "All must be there.";
        blocked: list Tag = "BlockedTags", "None may be there.";
    }
}

/// Time for which an input is buffered: seconds, or an attribute of the owner.
#[derive(Clone, PartialEq, Debug)]
pub enum BufferWindow {
    /// Seconds.
    Seconds(NonNegative),
    /// The current value of this attribute, in seconds.
    Attribute(AttributeName),
}

impl Field for BufferWindow {
    /// Decodes a text as the name of an attribute, anything else as seconds from 0.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        match node.value {
            Value::Text(_) => AttributeName::decode(node, sink).map(Self::Attribute),
            _ => NonNegative::decode(node, sink).map(Self::Seconds),
        }
    }

    fn encode(&self) -> Value {
        match self {
            Self::Seconds(seconds) => seconds.encode(),
            Self::Attribute(name) => name.encode(),
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "anyOf": [NonNegative::schema(definitions), AttributeName::schema(definitions)] })
    }

    fn visit<'a>(&'a self, visitor: &mut dyn Visitor<'a>) {
        if let Self::Attribute(name) = self {
            name.visit(visitor);
        }
    }
}

record! {
    /// Buffer for early inputs.
    InputBufferDoc, "input buffer" {
        enabled: optional Flag = "Enabled", "Whether early inputs are buffered (default: false).";
        window: optional BufferWindow = "BufferWindow", "Seconds that an input is kept (default: 0.15), or the attribute of the owner with the seconds.";
        size: optional Integer<1, 4294967295> = "MaxBufferSize", "Most buffered inputs (default: 3).";
    }
}

record! {
    /// A set of actions that are active together.
    InputActionSetDoc, "input action set" {
        name: required Name = "Name", "Unique name of the set.";
        actions: required AtLeastOne<InputName> = "Actions", "Its actions.";
        priority: optional Integer<-2147483648, 2147483647> = "Priority", "Rank among sets (default: 0).";
        activation: optional ActivationTagsDoc = "ActivationTags", "When it is active.";
        exclusive: optional Flag = "Exclusive", "Whether it deactivates other sets (default: false).";
        buffer: optional InputBufferDoc = "InputBuffer", "Buffer for early inputs.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}

record! {
    /// A control of a device.
    DeviceInputDoc, "device input" {
        device: required Choice<Device> = "Device", "The device.";
        input: required Text = "Input", "The control, such as Key.1.";
        custom_name: optional Text = "CustomDeviceName", "Name of a custom device.";
    }
}

record! {
    /// Controls that make up an axis.
    CompositeInputsDoc, "composite inputs" {
        up: optional DeviceInputDoc = "Up", "Upwards.";
        down: optional DeviceInputDoc = "Down", "Downwards.";
        left: optional DeviceInputDoc = "Left", "To the left.";
        right: optional DeviceInputDoc = "Right", "To the right.";
        forward: optional DeviceInputDoc = "Forward", "Ahead.";
        backward: optional DeviceInputDoc = "Backward", "Back.";
    }
}

record! {
    /// Tags of a binding.
    BindingTagsDoc, "binding tags" {
        required: list Tag = "RequiredTags", "All must be there.";
    }
}

record! {
    /// Binding of controls to an action.
    BindingDoc, "binding" {
        action: required InputName = "Action", "The action.";
        inputs: optional AtLeastOne<DeviceInputDoc> = "Inputs", "The controls.";
        composite: optional CompositeInputsDoc = "CompositeInputs", "Controls that make up an axis.";
        modifiers: list InputModifierName = "Modifiers", "Modifiers of the value, in order.";
        priority: optional Integer<-2147483648, 2147483647> = "Priority", "Rank among bindings (default: 0).";
        hold_threshold: optional NonNegative = "HoldThreshold", "Seconds that it must be held.";
        rebindable: optional Flag = "bIsRebindable", "Whether a player may change it (default: true).";
        tags: optional BindingTagsDoc = "Tags", "When it works.";
    }
}

record! {
    /// Mapping of controls to the actions of a set.
    InputMappingDoc, "input mapping" {
        name: optional Name = "Name", "Name of the mapping.";
        action_set: required ActionSetName = "ActionSet", "The set it is for.";
        platform: optional Choice<Platform> = "Platform", "Platform that it is for.";
        bindings: required AtLeastOne<BindingDoc> = "Bindings", "The bindings.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}

record! {
    /// A key of draft 1's mapping.
    OldKeyDoc, "key binding" {
        key: required Text = "Key", "The key.";
    }
}

record! {
    /// An action of draft 1's mapping.
    OldActionDoc, "mapped action" {
        action: required Name = "Action", "Name of the action.";
        input: optional Name = "InputID", "Id that abilities are bound to.";
        keys: list OldKeyDoc = "KeyBindings", "Its keys.";
    }
}

record! {
    /// An input mapping as draft 1 prints it (§11.2).
    OldInputMappingDoc, "input mapping" {
        actions: required AtLeastOne<OldActionDoc> = "Actions", "The actions with their keys.";
    }
}

record! {
    /// A point of a response curve.
    CurvePointDoc, "curve point" {
        input: required Number = "In", "Input value.";
        output: required Number = "Out", "Output value.";
    }
}

record! {
    /// Parameters of an input modifier.
    InputModifierParamsDoc, "input modifier parameters" {
        inner: optional Unit = "InnerThreshold", "Values below it are 0.";
        outer: optional Unit = "OuterThreshold", "Values above it are 1.";
        shape: optional Choice<DeadZoneShape> = "DeadZoneShape", "Shape of the dead zone.";
        multiplier: optional Number = "Multiplier", "Factor.";
        multiplier_x: optional Number = "MultiplierX", "Factor of the x axis.";
        multiplier_y: optional Number = "MultiplierY", "Factor of the y axis.";
        curve_type: optional Choice<CurveType> = "CurveType", "Shape of the curve.";
        exponent: optional Number = "Exponent", "Power of the curve.";
        points: list CurvePointDoc = "CurvePoints", "Points of the curve.";
        invert_x: optional Flag = "InvertX", "Inverts the x axis.";
        invert_y: optional Flag = "InvertY", "Inverts the y axis.";
        scale_x: optional Number = "ScaleX", "Scale of the x axis.";
        scale_y: optional Number = "ScaleY", "Scale of the y axis.";
        scale_z: optional Number = "ScaleZ", "Scale of the z axis.";
        swizzle: optional Text = "SwizzleOrder", "New order of the axes.";
        max_radius: optional Number = "MaxRadius", "Largest length.";
        press: optional Unit = "PressThreshold", "Value from which an axis counts as pressed (default: 0.5).";
        min: optional Number = "Min", "Smallest value.";
        max: optional Number = "Max", "Largest value.";
        calculator: optional CalculationName = "CalculatorClass", "Code of the host.";
    }
}

record! {
    /// An input modifier.
    InputModifierDoc, "input modifier" {
        name: required Name = "Name", "Unique name of the modifier.";
        kind: required Choice<InputModifierType> = "Type", "What it does.";
        configurable: optional Flag = "UserConfigurable", "Whether a player may change it (default: false).";
        params: optional InputModifierParamsDoc = "Params", "Its parameters.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}
