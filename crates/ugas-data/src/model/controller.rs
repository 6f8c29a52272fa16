//! Controllers (§4): templates, and saved characters in the specification's form.

use ugas_core::controller::ReplicationMode;

use super::saved::{SavedAbilityDoc, SavedDoc, SavedEffectDoc};
use super::{
    AbilityName, ActionSetName, AttributeName, DataTag, EffectName, GrantedTag, InputName, MetadataDoc, Name,
    SetName, Tag,
};
use crate::decode::{
    AtLeastOne, Choice, Definitions, Field, Flag, Integer, NamedMap, NonNegative, Number, Raw, Text, choice,
    record,
};
use crate::diagnostics::{Sink, codes};
use crate::node::{Node, Value};
use crate::source::Spanned;

/// Duration policy of an active effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActivePolicy {
    /// Ends when its duration is over.
    HasDuration,
    /// Lasts until it is removed.
    Infinite,
}

choice! {
    ReplicationMode {
        "Minimal" => Self::Minimal,
        "Mixed" => Self::Mixed,
        "Full" => Self::Full,
        "None" => Self::None,
    }
    ActivePolicy { "HasDuration" => Self::HasDuration, "Infinite" => Self::Infinite }
}

/// Remaining seconds of an active effect; -1 is the duration of the definition (K1).
#[derive(Clone, PartialEq, Debug)]
pub struct RemainingTime(pub Spanned<f64>);

impl Field for RemainingTime {
    /// Decodes seconds from 0, or exactly -1. Other negative numbers are reported, and the result is then
    /// `None`.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let Number(seconds) = Number::decode(node, sink)?;
        if seconds.value < 0.0 && seconds.value != -1.0 {
            sink.push(codes::value_range::negative_remaining_time(seconds.span, seconds.value));
            return None;
        }
        Some(Self(seconds))
    }

    fn encode(&self) -> Value {
        Value::Number(self.0.value)
    }

    fn schema(_: &mut Definitions) -> serde_json::Value {
        serde_json::json!({ "type": "number", "minimum": -1 })
    }
}

record! {
    /// An actor of the host.
    HostActorDoc, "actor" {
        id: optional Text = "ActorID", "Identifier of the actor.";
        kind: optional Text = "ActorType", "Type of the actor.";
    }
}

record! {
    /// The value of one attribute.
    AttributeValueDoc, "attribute value" {
        name: required AttributeName = "Name", "The attribute.";
        base: optional Number = "BaseValue", "Its base value.";
        current: optional Number = "CurrentValue", "Its current value, which is derived and not loaded.";
    }
}

record! {
    /// A registered attribute set.
    ControllerSetDoc, "registered attribute set" {
        name: required SetName = "Name", "The set.";
        attributes: list AttributeValueDoc = "Attributes", "Values that differ from the set's defaults.";
    }
}

record! {
    /// An ability that the controller has.
    ControllerAbilityDoc, "granted ability" {
        ability: required AbilityName = "AbilityClass", "The ability.";
        level: optional Integer<1, 4294967295> = "Level", "Its level (default: 1).";
        input: optional InputName = "InputID", "Input that it is bound to.";
        dynamic_tags: list Tag = "DynamicTags", "Tags that describe the granted ability besides its AbilityTags; they count as source tags of its effects.";
        handle: optional Text = "Handle", "Handle of a saved ability.";
        is_active: optional Flag = "bIsActive", "Whether it was active when saved.";
        saved: optional SavedAbilityDoc = "Saved", "Further state of a saved ability.";
    }
}

record! {
    /// The period of a saved effect.
    PeriodicStateDoc, "periodic state" {
        elapsed: optional NonNegative = "PeriodElapsed", "Seconds since the last execution.";
        count: optional Integer<0, 4294967295> = "ExecutionCount", "Executions so far.";
    }
}

record! {
    /// An effect that is on the controller.
    ControllerEffectDoc, "active effect" {
        handle: required Text = "Handle", "Identifier of the active effect.";
        effect: required EffectName = "EffectClass", "The effect.";
        duration: optional RemainingTime = "Duration", "Remaining seconds; -1 or absent is the duration of the definition.";
        policy: optional Choice<ActivePolicy> = "DurationPolicy", "Whether it has a duration.";
        remaining: optional RemainingTime = "RemainingDuration", "Remaining seconds; -1 or absent is the duration of the definition.";
        stacks: optional Integer<1, 4294967295> = "Stacks", "Stacks (default: 1).";
        start_time: optional Number = "StartTime", "When it was applied.";
        level: optional Integer<1, 4294967295> = "Level", "Its level (default: 1).";
        instigator: optional Text = "InstigatorGC", "The controller that caused it.";
        source_ability: optional AbilityName = "SourceAbility", "The ability that applied it.";
        periodic: optional PeriodicStateDoc = "PeriodicState", "State of its period.";
        captured: optional NamedMap<AttributeName, Raw> = "CapturedAttributes", "Captured attribute values.";
        set_by_caller: optional NamedMap<DataTag, Number> = "SetByCallerMagnitudes", "SetByCaller numbers.";
        saved: optional SavedEffectDoc = "Saved", "Further state of a saved effect.";
    }
}

record! {
    /// A gameplay controller, used as a template under its name.
    ControllerDoc, "gameplay controller" {
        name: optional Name = "Name", "Name of the template (default: the owner's ActorID, else the file's name).";
        owner: required HostActorDoc = "OwnerActor", "The actor that owns it.";
        avatar: optional HostActorDoc = "AvatarActor", "The actor that represents it in the world.";
        sets: required AtLeastOne<ControllerSetDoc> = "AttributeSets", "Registered attribute sets.";
        abilities: list ControllerAbilityDoc = "GrantedAbilities", "Abilities that it has.";
        effects: list ControllerEffectDoc = "ActiveEffects", "Effects that are on it.";
        tags: list GrantedTag = "OwnedTags", "Tags that it has.";
        replication: optional Choice<ReplicationMode> = "ReplicationMode", "How it is replicated (default: Mixed).";
        is_active: optional Flag = "bIsActive", "Whether it is active (default: true).";
        action_sets: list ActionSetName = "ActiveActionSets", "Input action sets that are active.";
        saved: optional SavedDoc = "Saved", "Further state of a saved character.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}
