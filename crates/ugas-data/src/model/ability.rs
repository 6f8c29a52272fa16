//! Abilities and their tasks (§8.7, §10).

use ugas_core::ability::{Instancing, NetExecution, NetSecurity, TriggerOn};
use ugas_core::prediction::{Prediction, Randomness};
use ugas_core::targeting::{Affiliation, Confirmation, Origin};
use ugas_core::task::{Comparison, OnFail, Recipient, SpawnPlace, TaskOutcome};

use super::effect::TagQueryDoc;
use super::{AbilityTag, DataTag, EffectName, GrantedTag, MetadataDoc, Name, Tag};
use crate::decode::{
    Choice, Flag, Formula, Integer, NamedMap, NonNegative, Number, OneOrMany, ParameterValue, Raw, Text,
    Vector, choice, record,
};

/// Method by which targets are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetingMethod {
    /// Only the owner.
    SelfOnly,
    /// Target of the activation.
    ActivationTarget,
    /// Nearest controllers that pass the filters.
    Nearest,
    /// Sphere around the origin.
    Radius,
    /// Cone along the facing.
    Cone,
    /// Line along the facing.
    Line,
    /// Box around the origin, along the axes of the world.
    Box,
    /// Jumps from target to target.
    Chain,
}

choice! {
    Instancing { "PerActor" => Self::PerActor, "PerExecution" => Self::PerExecution, "None" => Self::None }
    TriggerOn { "Event" => Self::Event, "TagAdded" => Self::TagAdded, "TagPresent" => Self::TagPresent }
    NetExecution {
        "LocalPredicted" => Self::LocalPredicted,
        "LocalOnly" => Self::LocalOnly,
        "ServerOnly" => Self::ServerOnly,
        "ServerInitiated" => Self::ServerInitiated,
    }
    NetSecurity {
        "ByExecution" => Self::ByExecution,
        "ClientOrServer" => Self::ClientOrServer,
        "ServerOnlyExecution" => Self::ServerOnlyExecution,
        "ServerOnlyTermination" => Self::ServerOnlyTermination,
        "ServerOnly" => Self::ServerOnly,
    }
    Prediction {
        "Predict" => Self::Predict,
        "CosmeticOnly" => Self::CosmeticOnly,
        "Never" => Self::Never,
    }
    Randomness { "ServerOnly" => Self::ServerOnly, "Predicted" => Self::Predicted }
    TargetingMethod {
        "Self" => Self::SelfOnly,
        "ActivationTarget" => Self::ActivationTarget,
        "Nearest" => Self::Nearest,
        "Radius" => Self::Radius,
        "Cone" => Self::Cone,
        "Line" => Self::Line,
        "Box" => Self::Box,
        "Chain" => Self::Chain,
    }
    Affiliation {
        "Any" => Self::Any,
        "Allied" => Self::Allied,
        "OtherAllied" => Self::OtherAllied,
        "Hostile" => Self::Hostile,
        "Neutral" => Self::Neutral,
        "SelfOnly" => Self::SelfOnly,
        "ExcludeSelf" => Self::ExcludeSelf,
    }
    Origin {
        "Owner" => Self::Owner,
        "ActivationTarget" => Self::ActivationTarget,
        "TargetLocation" => Self::TargetLocation,
    }
    Confirmation {
        "Instant" => Self::Instant,
        "UserConfirmed" => Self::UserConfirmed,
        "Custom" => Self::Custom,
        "CustomMulti" => Self::CustomMulti,
    }
    Comparison {
        "LessThan" => Self::LessThan,
        "LessEqual" => Self::LessEqual,
        "Greater" => Self::Greater,
        "GreaterEqual" => Self::GreaterEqual,
    }
    SpawnPlace { "Owner" => Self::Owner, "Target" => Self::Target, "Location" => Self::Location }
    Recipient {
        "Owner" => Self::Owner,
        "Target" => Self::Target,
        "EventTarget" => Self::EventTarget,
        "EventInstigator" => Self::EventInstigator,
        "Activation" => Self::Activation,
    }
    OnFail { "Cancel" => Self::Cancel, "Continue" => Self::Continue }
    TaskOutcome {
        "Completed" => Self::Completed,
        "Interrupted" => Self::Interrupted,
        "Cancelled" => Self::Cancelled,
        "Failed" => Self::Failed,
    }
}

record! {
    /// The tags of an ability (§8.7).
    AbilityTagsDoc, "ability tags" {
        ability: list AbilityTag = "AbilityTags", "Tags that describe it.";
        blocked_by: list Tag = "BlockedByTags", "Tags that block activation.";
        block_abilities: list Tag = "BlockAbilitiesWithTags", "While it is active, abilities with these cannot be activated.";
        cancel_abilities: list Tag = "CancelAbilitiesWithTags", "On activation, active abilities with these are cancelled.";
        required: list Tag = "ActivationRequiredTags", "The owner must have all of these for activation.";
        blocked: list Tag = "ActivationBlockedTags", "The owner must have none of these for activation.";
        owned: list GrantedTag = "ActivationOwnedTags", "Granted while it is active.";
        source_required: list Tag = "SourceRequiredTags", "The source of a triggering event must have all of these.";
        source_blocked: list Tag = "SourceBlockedTags", "The source of a triggering event must have none of these.";
        target_required: list Tag = "TargetRequiredTags", "The target must have all of these.";
        target_blocked: list Tag = "TargetBlockedTags", "The target must have none of these.";
    }
}

record! {
    /// A step of an ability (§10).
    TaskDoc, "task" {
        kind: required Name = "Type", "Type of the task; see the list of tasks.";
        params: optional Raw = "Params", "Its parameters.";
        tick_interval: optional NonNegative = "TickInterval", "Seconds between ticks.";
        priority: optional Integer<-2147483648, 2147483647> = "Priority", "Rank under a tick budget.";
    }
}

record! {
    /// Trigger that activates an ability automatically (A7).
    TriggerDoc, "trigger" {
        tag: required Tag = "Tag", "The tag of the event, or the tag that is watched.";
        on: optional Choice<TriggerOn> = "On", "Condition on the tag (default: Event).";
    }
}

record! {
    /// Uses that recharge.
    ChargesDoc, "charges" {
        max: required Integer<1, 4294967295> = "Max", "Most charges.";
        recharge: required NonNegative = "Recharge", "Seconds for one charge.";
    }
}

record! {
    /// Validation that an activation waits for (later drafts, §8.8).
    AsyncValidationDoc, "asynchronous validation" {
        required: optional Flag = "Required", "Whether activation waits for it.";
        kind: optional Text = "Kind", "Kind of the validation.";
        timeout: optional Number = "TimeoutMs", "Milliseconds until it fails.";
        predicted: optional Flag = "Predicted", "Whether the client continues meanwhile.";
    }
}

record! {
    /// Selection of targets.
    TargetingDoc, "targeting" {
        method: optional Choice<TargetingMethod> = "Method", "Method by which targets are found (default: by the measure that is given, else ActivationTarget).";
        range: optional NonNegative = "Range", "Largest distance; without it, no limit.";
        radius: optional NonNegative = "Radius", "Radius of an area, another name for Range; of a Chain, the largest distance of one jump.";
        half_angle: optional NonNegative = "HalfAngleDeg", "Half the opening angle of a Cone.";
        width: optional NonNegative = "Width", "Width of a Line.";
        half_extents: optional Vector<3> = "HalfExtents", "From the middle of a Box to its faces.";
        jumps: optional Integer<0, 65535> = "Jumps", "Number of jumps of a Chain: at most this many targets after the first.";
        repeat: optional Flag = "Repeat", "Whether a Chain may return to an earlier target (default: false).";
        origin: optional Choice<Origin> = "Origin", "Where the area begins (default: Owner).";
        require_tags: list Tag = "RequireTags", "Targets must have all of these.";
        exclude_tags: list Tag = "ExcludeTags", "Targets must have none of these.";
        query: optional TagQueryDoc = "Filter", "Tag query that must hold for a target.";
        affiliation: optional Choice<Affiliation> = "Affiliation", "Team relation of targets to the owner (default: Any).";
        count: optional Integer<0, 4294967295> = "Count", "Most targets; 0 is no limit.";
        line_of_sight: optional Flag = "RequireLineOfSight", "Whether the host must confirm a line of sight (default: false).";
        allow_unseen: optional Flag = "AllowUnseen", "Whether a player may name targets that it does not see, in a networked game (default: false).";
        filter: optional Name = "CustomFilter", "A filter in native code, by its name.";
        persistent: optional Flag = "Persistent", "Whether the last targets are kept while there are no new ones (default: false).";
    }
}

record! {
    /// A gameplay ability (§8.7).
    AbilityDoc, "gameplay ability" {
        name: required Name = "Name", "Unique name of the ability.";
        tags: optional AbilityTagsDoc = "Tags", "Its tags.";
        cost: optional EffectName = "Cost", "Effect that is paid on commit.";
        cooldown: optional EffectName = "Cooldown", "Effect whose tags block it for a while.";
        tasks: list TaskDoc = "Tasks", "Tasks that it runs, in order.";
        max_range: optional NonNegative = "MaxRange", "Largest distance of the target; 0 or absent is no limit.";
        async_validation: optional AsyncValidationDoc = "AsyncValidation", "An answer that activation waits for.";
        instancing: optional Choice<Instancing> = "Instancing", "How many activations there can be at once (default: PerActor).";
        retrigger: optional Flag = "Retrigger", "Whether activating it while active restarts it (default: false).";
        activate_on_grant: optional Flag = "ActivateOnGrant", "Whether it is activated when granted (default: false).";
        survives_death: optional Flag = "SurvivesDeath", "Whether it continues when its owner dies (default: false).";
        requires_avatar: optional Flag = "RequiresAvatar", "Whether its owner needs an avatar (default: false).";
        triggers: list TriggerDoc = "Triggers", "Events and tags that activate it automatically.";
        charges: optional ChargesDoc = "Charges", "Uses that recharge.";
        net_execution: optional Choice<NetExecution> = "NetExecution", "Where it runs.";
        net_security: optional Choice<NetSecurity> = "NetSecurity", "Which side may activate and end it.";
        prediction: optional Choice<Prediction> = "Prediction", "How far a client predicts it before the server confirms (default: as far as it has the information).";
        randomness: optional Choice<Randomness> = "Randomness", "Which side draws the random numbers of its tasks (default: ServerOnly).";
        allowed_effects: list EffectName = "AllowedEffects", "Effects that it may apply beside those its tasks name.";
        targeting: optional TargetingDoc = "Targeting", "Limits for the target of an activation, and default targeting of its tasks.";
        ignore_targets: optional OneOrMany<Tag> = "IgnoreTargetsWithTag", "Its tasks and its targeting spare targets with one of these tags.";
        set_by_caller: optional NamedMap<DataTag, Formula> = "SetByCaller", "SetByCaller numbers for every effect that it applies, its cost and cooldown included.";
        parameters: optional NamedMap<Name, ParameterValue> = "Parameters", "Parameters: numbers and booleans that each grant begins with, tags (a text that is a tag of the pack) for `ParamTag`, and texts for the host.";
        cooldown_tags: list GrantedTag = "CooldownTags", "Tags that its cooldown grants beside those of the effect.";
        description: optional Text = "Description", "Text for people.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}
