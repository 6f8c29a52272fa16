//! What a saved character knows and the specification's form has no place for: the `Saved` blocks of a controller.

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

/// Who caused a saved effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstigatorWord {
    /// Nobody.
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
    /// How inputs that come too early are kept (§11.3).
    SavedBufferDoc, "input buffer" {
        enabled: required Flag = "Enabled", "Whether inputs are kept.";
        window: required NonNegative = "BufferWindow", "Seconds that one is kept.";
        size: required Count = "MaxBufferSize", "How many are kept.";
    }
}

record! {
    /// What else a saved character knows.
    SavedDoc, "saved character" {
        template: optional Label = "Template", "The template that it was spawned from.";
        team: optional Label = "Team", "On whose side it is.";
        position: optional Vector<3> = "Position", "Where it is.";
        facing: optional Vector<3> = "Facing", "Where it looks.";
        buffer: optional SavedBufferDoc = "InputBuffer", "How inputs that come too early are kept.";
        own_tags: list List<GrantedTag> = "OwnTags", "Tags of OwnedTags that are its own, one list for each time that some were given.";
        rolls: optional NamedMap<EffectName, Count> = "EffectRolls", "How often each effect that rolls dice was applied.";
        runs: optional NamedMap<AbilityName, Count> = "AbilityRuns", "How often each ability was activated.";
    }
}

record! {
    /// What else a saved character knows of an ability.
    SavedAbilityDoc, "saved ability" {
        order: optional Count = "Order", "Its place among effects and abilities, in the order in which they came.";
        level: optional Count = "Level", "Its level, if Level cannot be it.";
        source_object: optional ActorNumber = "SourceObject", "What it comes from.";
        tags: list Tag = "Tags", "Tags that describe it besides.";
        parameters: optional NamedMap<Label, Number> = "Parameters", "Parameters that are not those of its definition.";
        used_charges: optional Count = "UsedCharges", "Charges that are used.";
        recharge: optional Number = "RechargeIn", "Seconds until the next charge.";
        active_runs: optional Count = "ActiveRuns", "Runs of it that were under way and are not saved.";
        removal: optional Choice<AbilityRemoval> = "RemovalPolicy", "How it goes with the effect that granted it.";
    }
}

record! {
    /// A hit (§9.9).
    SavedHitDoc, "hit" {
        location: required Vector<3> = "Location", "Point of impact.";
        normal: required Vector<3> = "Normal", "Surface normal.";
        distance: required Number = "Distance", "Distance travelled.";
        actor: optional ActorNumber = "Actor", "What was hit.";
        part: required Count = "Part", "Which part of it.";
    }
}

record! {
    /// Data of the host's own.
    SavedPayloadDoc, "payload" {
        kind: required Label = "Kind", "What it is.";
        bytes: required Hex = "Bytes", "Its bytes.";
    }
}

record! {
    /// What an effect last knew of its instigator (M5).
    SavedSourceDoc, "remembered instigator" {
        tags: list Tag = "Tags", "Its tags.";
        attributes: list AttributeValueDoc = "Attributes", "Its attributes that the effect reads.";
    }
}

record! {
    /// A frozen reading (E8).
    SavedCaptureDoc, "captured value" {
        attribute: required AttributeName = "Attribute", "The attribute.";
        from: required Choice<CaptureFrom> = "Source", "Whose it is.";
        reading: optional Choice<Reading> = "AttributeCalculation", "Which of its numbers (default: Current).";
        up_to_channel: optional Integer<0, 255> = "UpToChannel", "The last layer, with UpToChannel.";
        source_tag_filter: list Tag = "SourceTagFilter", "Only modifiers of effects with these counted.";
        target_tag_filter: list Tag = "TargetTagFilter", "Only modifiers on targets with these counted.";
        value: optional Number = "Value", "What was read; nothing, if there was nothing.";
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
    /// What else a saved character knows of an effect.
    SavedEffectDoc, "saved effect" {
        order: optional Count = "Order", "Its place among effects and abilities, in the order in which they came.";
        recency: optional Count = "Recency", "Its place among effects by their latest application.";
        level: optional Number = "Level", "Its level, if Level cannot be it.";
        status: optional Choice<EffectStatus> = "Status", "Whether it runs or waits for its turn (default: Running).";
        inhibited: optional Flag = "Inhibited", "Whether its ongoing requirements fail (default: false).";
        total: optional Number = "TotalDuration", "Seconds that it lasts in all.";
        period: optional Number = "Period", "Seconds between its executions.";
        instigator: optional Choice<InstigatorWord> = "Instigator", "Who InstigatorGC is.";
        instigator_owner: optional ActorNumber = "InstigatorOwner", "The actor that owns the instigator.";
        remembered: optional SavedSourceDoc = "Remembered", "What it last knew of its instigator.";
        source_ability_order: optional Count = "SourceAbilityOrder", "Order of the character's own ability that applied it.";
        causer: optional ActorNumber = "Causer", "The actor that physically caused it.";
        source_object: optional ActorNumber = "SourceObject", "The object it originated from.";
        hit: optional SavedHitDoc = "Hit", "The hit that led to it.";
        origin: optional Vector<3> = "Origin", "World location.";
        payload: optional SavedPayloadDoc = "Payload", "Data of the host's own.";
        captures: list SavedCaptureDoc = "Captures", "All frozen readings; CapturedAttributes has the plain ones.";
        magnitudes: list SavedMagnitudeDoc = "Magnitudes", "Evaluated magnitude of each modifier.";
        own_duration: optional Number = "OwnDuration", "A duration that the caller gave, in seconds.";
        own_period: optional Number = "OwnPeriod", "A period that the caller gave, in seconds.";
        granted_tags: list GrantedTag = "GrantedTags", "Tags that it grants besides.";
        asset_tags: list Tag = "AssetTags", "Tags that describe it besides.";
        context_tags: list Tag = "ContextTags", "Context tags of its application.";
        ability_tags: list Tag = "AbilityTags", "Tags of the ability that it comes from.";
        stream: optional Hex = "Stream", "Key of its dice.";
        rules: optional Hex = "Rules", "Hash of the definition that gave its numbers.";
        definition: optional Hex = "Definition", "Its definition as bytes, if it was created at run time.";
        abilities: list ControllerAbilityDoc = "GrantedAbilities", "Abilities that it granted.";
    }
}
