//! `Saved` blocks of a controller: state of a saved character that the specification's form has no field for.

use ugas_core::effect::magnitude::CaptureFrom;
use ugas_core::effect::{AbilityRemoval, EffectStatus};

use super::controller::{AttributeValueDoc, ControllerAbilityDoc};
use super::magnitude::Reading;
use super::{AbilityName, AttributeName, EffectName, GrantedTag, Tag};
use crate::decode::{
    ActorNumber, Choice, Flag, Hex, Integer, Label, List, NamedMap, NonNegative, Number, Vector, choice,
    record,
};

/// A count.
pub type Count = Integer<0, 4294967295>;

/// Instigator of a saved effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstigatorWord {
    /// No instigator.
    Nobody,
    /// The character itself.
    Itself,
    /// Another controller.
    Other,
}

choice! {
    InstigatorWord { "Nobody" => Self::Nobody, "Itself" => Self::Itself, "Other" => Self::Other }
    EffectStatus { "Running" => Self::Running, "Queued" => Self::Queued }
}

record! {
    /// Buffer for early inputs (§11.3).
    SavedBufferDoc, "input buffer" {
        enabled: required Flag = "Enabled", "Whether inputs are kept.";
        window: required NonNegative = "BufferWindow", "Seconds that an input is kept.";
        size: required Count = "MaxBufferSize", "Most buffered inputs.";
    }
}

record! {
    /// Further state of a saved character.
    SavedDoc, "saved character" {
        template: optional Label = "Template", "The template that it was spawned from.";
        team: optional Label = "Team", "Team of the character.";
        position: optional Vector<3> = "Position", "Position.";
        facing: optional Vector<3> = "Facing", "Facing direction.";
        buffer: optional SavedBufferDoc = "InputBuffer", "Buffer for early inputs.";
        own_tags: list List<GrantedTag> = "OwnTags", "Tags of OwnedTags that are its own, one list for each time that some were given.";
        rolls: optional NamedMap<EffectName, Count> = "EffectRolls", "How often each effect that rolls dice was applied.";
        runs: optional NamedMap<AbilityName, Count> = "AbilityRuns", "How often each ability was activated.";
    }
}

record! {
    /// Further state of a saved ability.
    SavedAbilityDoc, "saved ability" {
        order: optional Count = "Order", "Position among effects and abilities in the order in which they were added.";
        level: optional Count = "Level", "Its level, if Level cannot be it.";
        source_object: optional ActorNumber = "SourceObject", "Object that it comes from.";
        tags: list Tag = "Tags", "Tags that describe it besides.";
        parameters: optional NamedMap<Label, Number> = "Parameters", "Parameters that are not those of its definition.";
        used_charges: optional Count = "UsedCharges", "Charges that are used.";
        recharge: optional Number = "RechargeIn", "Seconds until the next charge.";
        active_runs: optional Count = "ActiveRuns", "Number of activations that were running and are not saved.";
        removal: optional Choice<AbilityRemoval> = "RemovalPolicy", "How it is removed with the effect that granted it.";
    }
}

record! {
    /// A hit (§9.9).
    SavedHitDoc, "hit" {
        location: required Vector<3> = "Location", "Point of impact.";
        normal: required Vector<3> = "Normal", "Surface normal.";
        distance: required Number = "Distance", "Distance travelled.";
        actor: optional ActorNumber = "Actor", "Actor that was hit.";
        part: required Count = "Part", "Part of the actor.";
    }
}

record! {
    /// Payload of the host.
    SavedPayloadDoc, "payload" {
        kind: required Label = "Kind", "Type of the payload.";
        bytes: required Hex = "Bytes", "Its bytes.";
    }
}

record! {
    /// Last known state of the instigator (M5).
    SavedSourceDoc, "remembered instigator" {
        tags: list Tag = "Tags", "Its tags.";
        attributes: list AttributeValueDoc = "Attributes", "Its attributes that the effect reads.";
    }
}

record! {
    /// Captured attribute value (E8).
    SavedCaptureDoc, "captured value" {
        attribute: required AttributeName = "Attribute", "The attribute.";
        from: required Choice<CaptureFrom> = "Source", "Controller whose attribute was read.";
        reading: optional Choice<Reading> = "AttributeCalculation", "Which value of the attribute was read (default: Current).";
        up_to_channel: optional Integer<0, 255> = "UpToChannel", "The last layer, with UpToChannel.";
        source_tag_filter: list Tag = "SourceTagFilter", "Only modifiers of effects with these counted.";
        target_tag_filter: list Tag = "TargetTagFilter", "Only modifiers on targets with these counted.";
        value: optional Number = "Value", "Captured value; absent if there was none.";
    }
}

record! {
    /// The magnitude of a modifier.
    SavedMagnitudeDoc, "evaluated magnitude" {
        attribute: required AttributeName = "Attribute", "The attribute that it changes.";
        value: required Number = "Value", "By how much, before stacks.";
    }
}

record! {
    /// Further state of a saved effect.
    SavedEffectDoc, "saved effect" {
        order: optional Count = "Order", "Position among effects and abilities in the order in which they were added.";
        recency: optional Count = "Recency", "Its place among effects by their latest application.";
        level: optional Number = "Level", "Its level, if Level cannot be it.";
        status: optional Choice<EffectStatus> = "Status", "Whether it runs or waits for its turn (default: Running).";
        inhibited: optional Flag = "Inhibited", "Whether its ongoing requirements fail (default: false).";
        total: optional Number = "TotalDuration", "Total duration in seconds.";
        period: optional Number = "Period", "Seconds between its executions.";
        instigator: optional Choice<InstigatorWord> = "Instigator", "Whether InstigatorGC is nobody, the character itself, or another controller.";
        instigator_owner: optional ActorNumber = "InstigatorOwner", "The actor that owns the instigator.";
        remembered: optional SavedSourceDoc = "Remembered", "Last known state of its instigator.";
        source_ability_order: optional Count = "SourceAbilityOrder", "Order of the character's own ability that applied it.";
        causer: optional ActorNumber = "Causer", "The actor that physically caused it.";
        source_object: optional ActorNumber = "SourceObject", "The object it originated from.";
        hit: optional SavedHitDoc = "Hit", "The hit that led to it.";
        origin: optional Vector<3> = "Origin", "World location.";
        payload: optional SavedPayloadDoc = "Payload", "Payload of the host.";
        captures: list SavedCaptureDoc = "Captures", "All captured values; CapturedAttributes has the plain ones.";
        magnitudes: list SavedMagnitudeDoc = "Magnitudes", "Evaluated magnitude of each modifier.";
        own_duration: optional Number = "OwnDuration", "A duration that the caller gave, in seconds.";
        own_period: optional Number = "OwnPeriod", "A period that the caller gave, in seconds.";
        granted_tags: list GrantedTag = "GrantedTags", "Tags that it grants besides.";
        asset_tags: list Tag = "AssetTags", "Tags that describe it besides.";
        context_tags: list Tag = "ContextTags", "Context tags of its application.";
        ability_tags: list Tag = "AbilityTags", "Tags of the ability that it comes from.";
        stream: optional Hex = "Stream", "Key of its random stream.";
        rules: optional Hex = "Rules", "Hash of the definition that gave its numbers.";
        definition: optional Hex = "Definition", "Its definition as bytes, if it was created at run time.";
        abilities: list ControllerAbilityDoc = "GrantedAbilities", "Abilities that it granted.";
    }
}
