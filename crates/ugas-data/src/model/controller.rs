//! Controllers (§4): saved ones in the specification's form, used as templates.

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

/// Policies that an active effect can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActivePolicy {
    /// It ends by itself.
    HasDuration,
    /// It stays until it is removed.
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

/// Seconds that an active effect has left; -1 is the duration of the definition (K1).
#[derive(Clone, PartialEq, Debug)]
pub struct TimeLeft(pub Spanned<f64>);

impl Field for TimeLeft {
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let Number(seconds) = Number::decode(node, sink)?;
        if seconds.value < 0.0 && seconds.value != -1.0 {
            sink.push(codes::ug132::negative(seconds.span, seconds.value));
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
        saved: optional SavedAbilityDoc = "Saved", "What else a saved character knows of it.";
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
        duration: optional TimeLeft = "Duration", "Seconds left; -1 or absent is the duration of the definition.";
        policy: optional Choice<ActivePolicy> = "DurationPolicy", "How long it lives.";
        remaining: optional TimeLeft = "RemainingDuration", "Seconds left; -1 or absent is the duration of the definition.";
        stacks: optional Integer<1, 4294967295> = "Stacks", "Stacks (default: 1).";
        start_time: optional Number = "StartTime", "When it was applied.";
        level: optional Integer<1, 4294967295> = "Level", "Its level (default: 1).";
        instigator: optional Text = "InstigatorGC", "The controller that caused it.";
        source_ability: optional AbilityName = "SourceAbility", "The ability that applied it.";
        periodic: optional PeriodicStateDoc = "PeriodicState", "Where its period stands.";
        captured: optional NamedMap<AttributeName, Raw> = "CapturedAttributes", "Frozen readings.";
        set_by_caller: optional NamedMap<DataTag, Number> = "SetByCallerMagnitudes", "Numbers that the caller gave.";
        saved: optional SavedEffectDoc = "Saved", "What else a saved character knows of it.";
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
        saved: optional SavedDoc = "Saved", "What else a saved character knows.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}
