//! A deterministic, engine-agnostic gameplay ability system: tags, attributes, effects and abilities as plain
//! data.
//!
//! **Commands go in, a simulation of plain data advances, events come out.** The crate draws nothing, opens
//! no file and reads no clock: an engine, a server or a test calls it.
//!
//! A [`Catalog`] holds the definitions of a game; it is checked as a whole and then immutable. A
//! [`Simulation`] holds the state: controllers with attributes, tags, effects and granted abilities. Only
//! effects change attributes and tags (§3.1). Paragraph signs refer to the [UGAS
//! specification](https://github.com/jbltx/ugas), 1.0.0-draft.1; a letter with a number (`E3`, `M9`) is a
//! rule that this project decided where its sources are silent: `V` values and time, `M` modifiers, `B`
//! bounds, `T` tags, `E` effects, `A` abilities, `R` reloads, `P` characters; `I` is an invariant of
//! `ARCHITECTURE.md`.
//!
//! # Quick start
//!
//! ```
//! use ugas::prelude::*;
//!
//! fn main() -> Result<(), ugas::Error> {
//!     let catalog = Catalog::builder()
//!         .attribute_set(
//!             AttributeSetDef::new("Combat")
//!                 .with(AttributeDef::new("MaxHealth", 100.0).min(1.0))
//!                 .with(AttributeDef::new("Health", 100.0).min(0.0).max("MaxHealth")),
//!         )
//!         .effect(
//!             EffectDef::lasting("GE_Poison", 10.0)
//!                 .every(1.0)
//!                 .modify("Health", Operation::Add, -5.0)
//!                 .granting("State.Debuff.Poisoned"),
//!         )
//!         .template(ControllerDef::new("Wolf").with_set("Combat"))
//!         .build()?;
//!     let health = catalog.attribute("Health")?;
//!     let poison = catalog.effect("GE_Poison")?;
//!     let debuff = catalog.tag("State.Debuff")?;
//!
//!     let mut sim = Simulation::new(catalog, Config::seeded(7));
//!     let wolf = sim.spawn("Wolf")?;
//!     sim.apply_effect(poison, None, wolf)?;
//!     assert!(sim.has_tag(wolf, debuff)); // poisoned, hence debuffed
//!
//!     sim.advance(Span::seconds(3.5)); // ticks at 1, 2 and 3 s
//!     assert_eq!(sim.current(wolf, health), Some(85.0));
//!
//!     while let Some(event) = sim.poll_event() {
//!         println!("{}", event.describe(&sim)); // with names instead of ids
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # Overview
//!
//! | | |
//! |---|---|
//! | Definitions, by name | [`AttributeSetDef`], [`EffectDef`], [`CalculationDef`], [`CurveDef`], [`AbilityDef`], [`ControllerDef`]; collected by [`CatalogBuilder`] |
//! | The resolved definitions | [`Catalog`]: names to ids and back, and [`Catalog::hash`] to compare two machines |
//! | The state | [`Simulation`]; a [`Snapshot`] of it; [`Simulation::state_hash`] |
//! | One application | [`EffectSpec`] with its [`EffectContext`]; [`Application`] if it succeeded, [`Refusal`] if not |
//! | Events | [`Event`] and [`EventKind`]; [`Observers`] to subscribe; [`EventFilter`] to leave types out |
//! | Debugging a controller | [`Simulation::debug`]: a [`ControllerPage`] as data and as text |
//! | Explaining a value | [`Simulation::explain`]: an [`Explanation`] as data, and as a readable tree |
//! | Changes as data | [`Command`] and [`Simulation::execute`], to record, send and replay |
//! | Saving or moving one controller | [`Character`]: [`Simulation::character`], [`Simulation::restore_character`] with its [`CharacterReport`] |
//! | Hot reload | [`Simulation::reload`] with its [`ReloadReport`]; [`CatalogDiff`] |
//! | Names as types | [`AttributeName`], [`TagName`], [`EffectName`], [`AbilityName`] |
//! | Errors | each operation has its own; all of them convert into [`Error`] |
//! | Networking (§13) | `net`, with the feature of that name: an authoritative server, and clients that predict |
//! | Recordings | `replay`, with the feature of that name: record, seek, verify, compare, sync test |
//! | Rules from files | `data`, with the feature of that name: packs, diagnostics, scenarios |
//! | Everything else | [`core`], module by module |
//!
//! # The specification's interfaces
//!
//! Names follow the specification where it has one. What differs is the shape: controllers live in the simulation and
//! are named by handles, so a method of a controller there is a method of the simulation with a handle here.
//!
//! | § | Specification | Here |
//! |---|---|---|
//! | 4.2 | Owner and Avatar actor | [`Spawn::owner`], [`Spawn::avatar`], [`Spawn::actor`] for both, [`Simulation::set_owner`]; [`ActorId`] is the host's |
//! | 4.3 | Initialization sequence | [`Simulation::spawn`], [`Simulation::spawn_with`], from a [`ControllerDef`] |
//! | 4.3 | Possession handling | [`Simulation::set_avatar`], [`EventKind::AvatarChanged`] |
//! | 4.3 | Destruction cleanup | [`Simulation::despawn`] |
//! | 4.4 | `GetGameplayController` | [`Simulation::controller_of_owner`], [`Simulation::controller_of_avatar`] |
//! | 4.5 | `MakeEffectContext` | [`EffectContext::of`] |
//! | 4.5 | `MakeOutgoingSpec` | [`Simulation::spec`] |
//! | 4.5 | `ApplyGameplayEffectToSelf`, `…ToTarget` | [`Simulation::apply`]: the target is an argument, the source is in the context; [`Simulation::apply_effect`] for the plain case |
//! | 4.5 | `predictionKey` | [`EffectSpec::predicted`] |
//! | 4.5 | `RemoveActiveGameplayEffect` | [`Simulation::remove`] with [`Stacks`]; also [`Simulation::remove_matching`], [`Simulation::remove_from_source`] |
//! | 4.5 | `GrantAbility` | [`Simulation::grant`], [`Simulation::grant_with`] a [`Grant`], [`Simulation::revoke`] |
//! | 4.5 | `TryActivateAbility` | [`Simulation::activate`], [`Simulation::activate_on`], [`Simulation::activate_with`] |
//! | 5.1 | `Attribute`, `AttributeMetadata` | [`AttributeDef`], [`AttributeCategory`], [`AttributeReplication`] |
//! | 5.2 | `BaseValue`, `CurrentValue` | [`Simulation::base`], [`Simulation::current`]; all of a controller by [`Simulation::attributes`] |
//! | 5.3 | Modifier pipeline | [`ModifierDef`], [`Operation`]; [`ModifierDef::channel`] is the multiplier bucket; [`Simulation::evaluate`] for what-if, [`Simulation::explain`] for why |
//! | 5.4 | `Clamping` | [`AttributeDef::min`], [`AttributeDef::max`] with a number or a name ([`BoundDef`]) |
//! | 5.6 | `OnAttributeChanged`, `AttributeChangedEvent` | [`EventKind::AttributeChanged`] in the stream, [`AttributeChange`] for observers |
//! | 5.6 | `RegisterAttributeChangeObserver` | [`Observers::on_attribute_changed`] |
//! | 5.6 | `UnregisterAttributeChangeObserver` | [`Observers::unregister`] |
//! | 6.2 | `RegisterAttributeSet` | [`Simulation::register_set`], or [`ControllerDef::with_set`] from the start |
//! | 6.2 | `UnregisterAttributeSet` | [`Simulation::unregister_set`] |
//! | 6.2 | `GetAttributeSet` | [`Simulation::attribute_sets`], [`Catalog::attributes_of`] |
//! | 6.4 | `Dependencies`, `DerivedFrom` | [`AttributeSetDef::depends_on`], [`AttributeDef::derived`] |
//! | 7.1 | Tag names | [`TagRegistry`]; [`CatalogBuilder::tags`] |
//! | 7.2 | `TagContainer` | [`TagContainer`] by [`Simulation::tags`]; `AddTag`, `RemoveTag` and `Clear` are not public, as the specification asks |
//! | 7.2 | `OnTagChanged` | [`EventKind::TagAdded`], [`EventKind::TagRemoved`] |
//! | 7.2 | `IsEmpty`, `Count` | [`TagContainer::is_empty`], [`TagContainer::len`] |
//! | 7.3 | `MatchesTag`, `MatchesTagExact`, `GetTagCount` | [`Simulation::has_tag`] or [`TagContainer::matches`], [`TagContainer::matches_exact`], [`TagContainer::count`] |
//! | 7.3 | `HasAny`, `HasAll`, `HasNone` | [`TagContainer::has_any`], [`TagContainer::has_all`], [`TagContainer::has_none`]; nested: [`TagQuery`] |
//! | 8.1 | `GameplayAbility` | [`AbilityDef`] with its [`TaskDef`]s in the place of `ActivateAbility` |
//! | 8.1 | `AbilitySpec` | [`GrantedAbility`]; `IsActive` and `ActiveOwnedTagsHandle` are of its [`Activation`] |
//! | 8.2 | Lifecycle | [`AbilityState`] by [`Simulation::ability_state`], and the ability events |
//! | 8.3 | `CanActivateAbility` | [`Simulation::is_ready`]; with all reasons [`Simulation::can_activate`]: [`ActivationRefusal`] |
//! | 8.4 | `CommitAbility` | a `Commit` task, or [`Simulation::commit`] |
//! | 8.5 | Costs and cooldowns | [`AbilityDef::cost`], [`AbilityDef::cooldown`], [`Simulation::ability_cooldown`] |
//! | 8.6 | `CancelAbility`, `EndAbility` | [`Simulation::cancel_ability`], [`Simulation::cancel`], [`Simulation::end`] |
//! | 9.1 | `GameplayEffect` | [`EffectDef`] |
//! | 9.2 | `DurationPolicy` | [`EffectDef::instant`], [`EffectDef::lasting`], [`EffectDef::infinite`] |
//! | 9.3 | `PeriodicSettings` | [`EffectDef::every`], [`EffectDef::executing_on_application`] |
//! | 9.4.2 | `MagnitudeDefinition` | [`MagnitudeDef`]: a number or curve, an attribute, a calculation, set by the caller, an expression |
//! | 9.4.2 | `SetByCallerMagnitude` | [`EffectSpec::with_magnitude`] |
//! | 9.5 | `ExecutionCalculation`, `AttributeCapture` | [`CalculationDef`] of expressions or [`Calculation`] in Rust ([`CatalogBuilder::native`]); [`CaptureDef`] |
//! | 9.5 | `CaptureTime` | [`CaptureTime`] |
//! | 9.6 | `ExecutionPolicy` | [`ExecutionPolicy`]; Unreal's stacking is [`StackingDef`] |
//! | 9.7 | Tag grants, `GameplayCues` | [`EffectDef::granting`], [`EffectDef::cue`] and the cue events |
//! | 9.8 | `AbilityGrant` | [`AbilityGrantDef`] |
//! | 9.9 | `EffectSpec`, `EffectSpecHandle` | [`EffectSpec`], a plain value |
//! | 9.9 | `DurationOverride`, `PeriodOverride` | [`EffectSpec::with_duration`], [`EffectSpec::with_period`] |
//! | 9.9 | `EffectContext`, `HitResult` | [`EffectContext`], [`HitResult`]; data of your own by [`ContextPayload`] |
//! | 9.9 | `ActiveEffectHandle` | [`ActiveEffectId`]; [`Application`] instead of `bPassedFiltersAndWasExecuted` |
//! | 9.6 | `OnEffectApplied`, `OnEffectRemoved` | [`EventKind::EffectApplied`], [`EventKind::EffectRemoved`] |
//! | 10.2 | Task lifecycle | [`RunningTask`] by [`Simulation::task`]; there is nothing between instantiation and activation |
//! | 10.3 | Predefined tasks | [`TaskDef`], [`WaitDef`], [`ActionDef`] |
//! | 10.4 | Custom tasks | [`CustomTask`], [`CatalogBuilder::custom_task`] |
//! | 11.1 | Hardware, action, input id | [`input::InputMapper`], fed by the host with device events and tags |
//! | 11.2 | `InputMapping` | [`input::KeyMappingDef`]; the later drafts' documents: [`input::InputActionDef`], [`input::InputActionSetDef`], [`input::InputMappingDef`], [`input::InputModifierDef`] |
//! | 11.3 | `TryActivateAbilityByInputID` | [`Simulation::press`], [`Simulation::release`] |
//! | 11.3 | `InputBufferConfig` | [`input::InputBufferConfig`], [`input::InputBuffer`] |
//! | 11.4 | `GetInputIDForAction`, `RemapAction`, `ResetToDefaults` | [`input::InputMapper::input_id_of`], [`input::InputMapper::remap`], [`input::InputMapper::reset_to_defaults`] |
//! | 11.4 | `SaveMappings`, `LoadMappings` | [`input::InputMapper::save`], [`input::InputMapper::load`]: [`input::SavedMappings`] as data or text, kept by the host |
//! | 12.3 | `GameplayCueBurst`, `GameplayCueLooping` | [`CueClassDef::burst`], [`CueClassDef::looping`]; `OnExecute`, `OnAdd` and `OnRemove` are methods of [`CueHandler`] |
//! | 12.3 | `CueContext` | [`CueContext`] |
//! | 12.4 | `GameplayCueManager`, `HandleCueNotify` | [`CueManager`], [`CueManager::handle`] |
//! | 12.4 | `CueRegistry` | [`CueManager::register`] |
//! | 12.5 | Headless mode | [`CueManager::headless`] |
//! | 15.4 | `OnBeforeEffectApplied` | [`CatalogBuilder::before_apply`] to decide, [`EventKind::BeforeEffectApplied`] with [`Config::audit`] to record |

mod error;
pub mod names;
mod observers;

pub use error::Error;
pub use names::{AbilityName, AttributeName, EffectName, Key, Name, TagName};
pub use observers::{AttributeChange, Filter, ObserverId, Observers};

/// The core, module by module: for items that are not re-exported at the root of this crate.
pub use ugas_core as core;
/// Plain data as bytes.
pub use ugas_core::codec;
/// Input devices, actions and remapping (§11).
pub use ugas_core::input;
/// Packs of YAML and JSON files, their diagnostics, and scenarios that run them.
#[cfg(feature = "data")]
pub use ugas_data as data;
/// Netcode without sockets: server, client, prediction and the wire format (§13).
#[cfg(feature = "net")]
pub use ugas_net as net;
/// Simulated networks: a server and its clients in one process, for tests.
#[cfg(feature = "netsim")]
pub use ugas_netsim as netsim;
/// Recordings: written while a game runs, played to any moment, verified and compared; and the sync test.
#[cfg(feature = "replay")]
pub use ugas_replay as replay;

pub use ugas_core::ability::{
    AbilityDef, AbilitySetDef, AbilityState, Activation, ActivationParty, ActivationReason,
    ActivationRefusal, ChargesDef, EndReason, EventDetails, GameplayEvent, Grant, GrantedAbility, GrantedSet,
    Instancing, NetExecution, NetSecurity, ParameterDef, ParameterFault, ParameterKind, TriggerDef,
    TriggerOn,
};

pub use ugas_core::attribute::{
    AttributeCategory, AttributeDef, AttributeReplication, AttributeSetDef, BoundDef, Evaluation, Metadata,
    OnBoundChange,
};
pub use ugas_core::catalog::{
    Catalog, CatalogBuilder, CatalogErrors, DefinitionError, DefinitionKind, Definitions, PreChange,
    QualifierTerm, RebuildError, UnknownName,
};
pub use ugas_core::character::{
    Character, CharacterAbility, CharacterAttribute, CharacterEffect, CharacterEntry, CharacterOutcome,
    CharacterReport, CharacterSet, Instigator, InstigatorKey, Lifetime, Orphans, RestoreError,
    RestoreOptions,
};
pub use ugas_core::command::{Command, CommandError, Execute, Outcome};
pub use ugas_core::controller::{Controller, ControllerDef, ReplicationMode};
pub use ugas_core::cue::{
    CueClassDef, CueClassId, CueConfig, CueContext, CueCounts, CueHandler, CueKind, CueManager, CueSink,
    CueTrigger, Headless, Loading, PlayId, Playback,
};
pub use ugas_core::curve::{CurveDef, Interpolation};
pub use ugas_core::debug::ControllerPage;
pub use ugas_core::effect::calculation::{
    Calculation, CalculationDef, CalculationError, CaptureDef, ContextTagDef, OutputDef, OutputTo, native,
};
pub use ugas_core::effect::magnitude::{
    AttributeCalculation, AttributeMagnitudeDef, CaptureFrom, CaptureTime, MagnitudeDef,
};
pub use ugas_core::effect::{
    AbilityGrantDef, AbilityRemoval, ActiveEffect, AdditionalEffectDef, AdditionalTo, ContextPayload,
    ContextTags, DurationDef, DurationRefresh, Effect, EffectContext, EffectDef, EffectQuery, EffectSpec,
    EffectStatus, ExecutionDef, ExecutionPolicy, ExpirationEffectsDef, HitResult, PeriodDef, PeriodReset,
    PeriodicInhibition, ScopedModifierDef, ScopedTargetDef, StackExpiration, StackingDef, StackingType,
    TagQueryDef, TagQueryItemDef, Vector3,
};
pub use ugas_core::event::{
    Category, Cause, CueDetails, CueParameters, Event, EventFilter, EventKind, EventRef, EventType,
    OneShotKey, OneShotSubject, RemovalReason, RollbackChange, RollbackEvents,
};
pub use ugas_core::explain::{
    BoundExplanation, ClampExplanation, Explanation, LayerExplanation, Reason, Term,
};
pub use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
pub use ugas_core::id::{
    AbilityId, ActorId, AttributeId, AttributeSetId, CalculationId, ChannelId, CurveId, EffectId, TagId,
    TemplateId,
};
pub use ugas_core::modifier::{ModifierDef, Operation, TagRequirementDef};
pub use ugas_core::prediction::{Knowledge, Prediction, PredictionKey, Randomness};
pub use ugas_core::refusal::{Limit, Party, Refusal, RefusalReason};
pub use ugas_core::reload::{
    CatalogDiff, Change, DefinitionChange, ReloadEntry, ReloadError, ReloadOutcome, ReloadPlace,
    ReloadReport, Renumbering,
};
pub use ugas_core::simulation::{
    ActivationRequest, AggregatorSnapshot, Application, AttributeValue, CalculationContext, Config,
    DefineEffectError, EmbeddedRulesError, EvaluationParameters, ForeignSnapshot, GrantSetError,
    MigrationError, PostExecute, PressOutcome, ReadError, RegisterError, Role, Simulation, Snapshot, Spawn,
    SpawnError, Stacks,
};
pub use ugas_core::tag::{TagContainer, TagQuery, TagRegistry, TagSet};
pub use ugas_core::targeting::{
    Affiliation, Attitude, Confirmation, ContainedEffectDef, EffectContainerDef, HalfAngle, Origin,
    Placement, Shape, Space, Target, TargetData, TargetPreview, Targeting, TargetingDef, Team,
};
pub use ugas_core::task::{
    ActionDef, ApplyDef, CommitDef, Comparison, ContainerUseDef, CueTaskDef, CustomTask, EffectFilterDef,
    HostValue, NumberDef, OnFail, Recipient, RemoveDef, Routine, RunningTask, SendEventDef, Subject,
    TaskContext, TaskDef, TaskOutcome, TaskProgress, WaitDef,
};
pub use ugas_core::time::{Span, Time};

/// Items that most programs use: `use ugas::prelude::*;`.
///
/// Listed one by one, so that nothing is exported by accident. The error type is not included: write
/// `ugas::Error`.
pub mod prelude {
    pub use crate::{
        AbilityDef, AbilityGrantDef, ActionDef, ActivationId, ActivationRefusal, ActivationRequest,
        ActiveEffectId, ActorId, Application, AttributeCategory, AttributeDef, AttributeId, AttributeSetDef,
        Catalog, CatalogBuilder, Command, Comparison, Config, ControllerDef, ControllerId, CurveDef,
        EffectContext, EffectDef, EffectId, EffectQuery, EffectSpec, Event, EventKind, Execute,
        ExecutionPolicy, GameplayEvent, Grant, GrantedAbilityId, MagnitudeDef, ModifierDef, Operation,
        Refusal, RefusalReason, Simulation, Snapshot, Span, Spawn, StackingDef, Stacks, TagId, TagQuery,
        TargetData, TaskDef, TaskOutcome, TriggerOn, WaitDef,
    };
}

/// Compiles and runs the snippets of the manual as doctests.
#[cfg(doctest)]
mod manual {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/book/programmers/controllers.md")]
    struct Controllers;
    #[doc = include_str!("../../../docs/book/programmers/attributes.md")]
    struct Attributes;
    #[doc = include_str!("../../../docs/book/programmers/tags.md")]
    struct Tags;
    #[doc = include_str!("../../../docs/book/programmers/effects.md")]
    struct Effects;
    #[doc = include_str!("../../../docs/book/programmers/stacking.md")]
    struct Stacking;
    #[doc = include_str!("../../../docs/book/programmers/calculations.md")]
    struct Calculations;
    #[doc = include_str!("../../../docs/book/programmers/events.md")]
    struct Events;
    #[doc = include_str!("../../../docs/book/programmers/determinism.md")]
    struct Determinism;
    #[doc = include_str!("../../../docs/book/programmers/explain.md")]
    struct Explain;
    #[doc = include_str!("../../../docs/book/programmers/input.md")]
    struct Input;
    #[doc = include_str!("../../../docs/book/programmers/cues.md")]
    struct Cues;
    #[doc = include_str!("../../../docs/book/programmers/abilities.md")]
    struct Abilities;
    #[doc = include_str!("../../../docs/book/programmers/hot-reload.md")]
    struct HotReload;
    #[cfg(feature = "data")]
    #[doc = include_str!("../../../docs/book/programmers/names.md")]
    struct TypedNames;
    #[cfg(feature = "data")]
    #[doc = include_str!("../../../docs/book/designers/packs.md")]
    struct Packs;
    #[cfg(feature = "data")]
    #[doc = include_str!("../../../docs/book/designers/scenarios.md")]
    struct Scenarios;
    #[doc = include_str!("../../../docs/book/designers/command-line.md")]
    struct CommandLine;
    #[doc = include_str!("../../../docs/book/designers/abilities.md")]
    struct AbilitiesInPacks;
    #[doc = include_str!("../../../docs/book/designers/tour.md")]
    struct Tour;
    #[cfg(feature = "replay")]
    #[doc = include_str!("../../../docs/book/programmers/saving.md")]
    struct Saving;
    #[doc = include_str!("../../../docs/book/programmers/characters.md")]
    struct Characters;
    #[doc = include_str!("../../../docs/book/programmers/guarantees.md")]
    struct Guarantees;
    #[doc = include_str!("../../../docs/book/networking/prediction.md")]
    struct Prediction;
    #[cfg(feature = "net")]
    #[doc = include_str!("../../../docs/book/networking/overview.md")]
    struct Networking;
    #[doc = include_str!("../../../docs/book/networking/contract.md")]
    struct NetworkContract;
    #[doc = include_str!("../../../docs/book/networking/serve-and-connect.md")]
    struct ServeAndConnect;
    #[cfg(feature = "net")]
    #[doc = include_str!("../../../docs/book/networking/resume.md")]
    struct Reconnecting;
    #[doc = include_str!("../../../docs/book/networking/operation.md")]
    struct OperatingAServer;
    #[doc = include_str!("../../../docs/book/tools/inspector.md")]
    struct Inspector;
    #[doc = include_str!("../../../docs/book/tools/c.md")]
    struct CInterface;
}
