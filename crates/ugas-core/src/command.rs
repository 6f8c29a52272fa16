//! Commands: everything that changes a simulation, as data that can be recorded, sent and replayed.
//!
//! Each command has a method on [`Simulation`](crate::simulation::Simulation) that does the same. A
//! simulation that executes the same commands in the same order goes through the same states.

mod construct;
mod execute;
mod interface;

pub use interface::Execute;

use crate::ability::{ActivationRefusal, GameplayEvent, Grant, GrantedSet};
use crate::character::{Character, CharacterReport, RestoreError, RestoreOptions};
use crate::codec::StateRecord;
use crate::effect::{EffectContext, EffectDef, EffectQuery, EffectSpec};
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use crate::id::{AbilityId, ActorId, AttributeSetId, EffectId, TagId};
use crate::input::{InputBufferConfig, InputId};
use crate::prediction::PredictionKey;
use crate::refusal::{Refusal, RefusalReason};
use crate::simulation::{
    ActivationRequest, Application, DefineEffectError, GrantSetError, PressOutcome, RegisterError, Spawn,
    SpawnError, Stacks,
};
use crate::tag::TagSet;
use crate::targeting::{Placement, TargetData, Team};
use crate::task::TaskOutcome;
use crate::time::Span;

/// A change to a simulation.
#[derive(Clone, PartialEq, Debug, StateRecord)]
#[non_exhaustive]
pub enum Command {
    /// [`Simulation::spawn_with`](crate::simulation::Simulation::spawn_with).
    Spawn(Spawn),
    /// [`Simulation::despawn`](crate::simulation::Simulation::despawn).
    Despawn(ControllerId),
    /// [`Simulation::set_owner`](crate::simulation::Simulation::set_owner).
    SetOwner {
        /// The controller to change.
        controller: ControllerId,
        /// The new owner; `None` for no owner.
        owner: Option<ActorId>,
    },
    /// [`Simulation::set_active`](crate::simulation::Simulation::set_active).
    #[state(tag = 48)]
    SetActive {
        /// The controller to change.
        controller: ControllerId,
        /// `false` makes it refuse activations, input, events and applications (K1).
        active: bool,
    },
    /// [`Simulation::set_avatar`](crate::simulation::Simulation::set_avatar).
    #[state(tag = 3)]
    SetAvatar {
        /// The controller to change.
        controller: ControllerId,
        /// The new avatar; `None` for no avatar.
        avatar: Option<ActorId>,
    },
    /// [`Simulation::register_set`](crate::simulation::Simulation::register_set).
    RegisterSet {
        /// The controller that gets the set.
        controller: ControllerId,
        /// The set to register.
        set: AttributeSetId,
    },
    /// [`Simulation::unregister_set`](crate::simulation::Simulation::unregister_set).
    UnregisterSet {
        /// The controller that loses the set.
        controller: ControllerId,
        /// The set to unregister.
        set: AttributeSetId,
    },
    /// [`Simulation::apply`](crate::simulation::Simulation::apply).
    Apply {
        /// The spec to apply.
        spec: Box<EffectSpec>,
        /// The controller to apply it to.
        target: ControllerId,
    },
    /// [`Simulation::spec`](crate::simulation::Simulation::spec) followed by [`Simulation::apply`](crate::simulation::Simulation::apply).
    ApplyEffect {
        /// The effect definition to apply.
        effect: EffectId,
        /// Level of the spec.
        level: f64,
        /// Source, causer and details of the application.
        context: EffectContext,
        /// Set-by-caller magnitudes by tag.
        magnitudes: Vec<(TagId, f64)>,
        /// The controller to apply it to.
        target: ControllerId,
    },
    /// [`Simulation::apply_to_all`](crate::simulation::Simulation::apply_to_all).
    #[state(tag = 63)]
    ApplyToAll {
        /// The effect definition to apply.
        effect: EffectId,
        /// Source of the application.
        source: Option<ControllerId>,
        /// The controllers to apply it to, in this order.
        targets: Vec<ControllerId>,
    },
    /// [`Simulation::execute_cue`](crate::simulation::Simulation::execute_cue).
    #[state(tag = 60)]
    ExecuteCue {
        /// Controller that it is shown on.
        controller: ControllerId,
        /// Tag of the cue.
        cue: TagId,
        /// Magnitude.
        magnitude: f64,
        /// Context that it is shown with.
        context: EffectContext,
    },
    /// [`Simulation::add_cue`](crate::simulation::Simulation::add_cue).
    AddCue {
        /// Controller that it is shown on.
        controller: ControllerId,
        /// Tag of the cue.
        cue: TagId,
        /// Context that it is shown with.
        context: EffectContext,
    },
    /// [`Simulation::remove_cue`](crate::simulation::Simulation::remove_cue).
    RemoveCue {
        /// Controller that it is shown on.
        controller: ControllerId,
        /// Tag of the cue.
        cue: TagId,
    },
    /// [`Simulation::remove`](crate::simulation::Simulation::remove).
    #[state(tag = 8)]
    Remove {
        /// The active effect to remove.
        active: ActiveEffectId,
        /// Number of stacks to remove.
        stacks: Stacks,
    },
    /// [`Simulation::remove_matching`](crate::simulation::Simulation::remove_matching).
    RemoveMatching {
        /// The controller to remove effects from.
        controller: ControllerId,
        /// The query that the removed effects match.
        query: EffectQuery,
        /// Number of stacks to remove from each.
        stacks: Stacks,
    },
    /// [`Simulation::set_duration`](crate::simulation::Simulation::set_duration).
    SetDuration {
        /// The active effect to change.
        active: ActiveEffectId,
        /// New duration, counted from the start of the effect; `None` is infinite.
        duration: Option<Span>,
    },
    /// [`Simulation::set_level`](crate::simulation::Simulation::set_level).
    SetLevel {
        /// The active effect to change.
        active: ActiveEffectId,
        /// The new level.
        level: f64,
    },
    /// [`Simulation::set_magnitude`](crate::simulation::Simulation::set_magnitude).
    SetMagnitude {
        /// The active effect to change.
        active: ActiveEffectId,
        /// The set-by-caller tag.
        tag: TagId,
        /// The new magnitude.
        value: f64,
    },
    /// [`Simulation::grant`](crate::simulation::Simulation::grant).
    Grant {
        /// The controller that gets the ability.
        controller: ControllerId,
        /// The ability definition to grant.
        ability: AbilityId,
        /// Level of the granted ability.
        level: u32,
    },
    /// [`Simulation::grant_with`](crate::simulation::Simulation::grant_with).
    GrantWith {
        /// The controller that gets the ability.
        controller: ControllerId,
        /// The ability and its level, input and parameters.
        grant: Box<Grant>,
    },
    /// [`Simulation::revoke`](crate::simulation::Simulation::revoke).
    Revoke(GrantedAbilityId),
    /// [`Simulation::revoke_on_end`](crate::simulation::Simulation::revoke_on_end).
    RevokeOnEnd(GrantedAbilityId),
    /// [`Simulation::set_ability_level`](crate::simulation::Simulation::set_ability_level).
    SetAbilityLevel {
        /// The granted ability to change.
        ability: GrantedAbilityId,
        /// The new level.
        level: u32,
    },
    /// [`Simulation::bind_input`](crate::simulation::Simulation::bind_input).
    BindInput {
        /// The granted ability to bind.
        ability: GrantedAbilityId,
        /// The input to bind it to; `None` unbinds it.
        input: Option<InputId>,
    },
    /// [`Simulation::set_parameter`](crate::simulation::Simulation::set_parameter).
    SetParameter {
        /// The granted ability to change.
        ability: GrantedAbilityId,
        /// Name of the parameter.
        name: String,
        /// The new value.
        value: f64,
    },
    /// [`Simulation::grant_set`](crate::simulation::Simulation::grant_set).
    GrantSet {
        /// The controller that gets the set.
        controller: ControllerId,
        /// Name of the ability set.
        set: String,
    },
    /// [`Simulation::revoke_set`](crate::simulation::Simulation::revoke_set).
    RevokeSet {
        /// The controller that loses the set.
        controller: ControllerId,
        /// The result of granting the set.
        granted: Box<GrantedSet>,
    },
    /// [`Simulation::activate_with`](crate::simulation::Simulation::activate_with).
    Activate {
        /// The granted ability to activate.
        ability: GrantedAbilityId,
        /// Targets, payload and options of the activation.
        request: Box<ActivationRequest>,
    },
    /// [`Simulation::activate_ability`](crate::simulation::Simulation::activate_ability).
    ActivateAbility {
        /// The controller whose ability is activated.
        controller: ControllerId,
        /// The ability definition; its first granted ability that can run is used.
        ability: AbilityId,
        /// Targets, payload and options of the activation.
        request: Box<ActivationRequest>,
    },
    /// [`Simulation::activate_by_tags`](crate::simulation::Simulation::activate_by_tags).
    ActivateByTags {
        /// The controller whose abilities are activated.
        controller: ControllerId,
        /// Tags that an ability must all have to be activated.
        tags: TagSet,
    },
    /// [`Simulation::commit`](crate::simulation::Simulation::commit).
    Commit(ActivationId),
    /// [`Simulation::cancel`](crate::simulation::Simulation::cancel).
    Cancel(ActivationId),
    /// [`Simulation::end`](crate::simulation::Simulation::end).
    End(ActivationId),
    /// [`Simulation::cancel_ability`](crate::simulation::Simulation::cancel_ability).
    CancelAbility(GrantedAbilityId),
    /// [`Simulation::cancel_by_tags`](crate::simulation::Simulation::cancel_by_tags).
    CancelByTags {
        /// The controller whose activations are cancelled.
        controller: ControllerId,
        /// Abilities with one of these tags are cancelled.
        with: TagSet,
        /// Abilities with one of these tags are not.
        without: TagSet,
    },
    /// [`Simulation::cancel_all`](crate::simulation::Simulation::cancel_all).
    CancelAll {
        /// The controller whose activations are cancelled.
        controller: ControllerId,
        /// A granted ability whose activations go on.
        except: Option<GrantedAbilityId>,
    },
    /// [`Simulation::send_event`](crate::simulation::Simulation::send_event).
    SendEvent {
        /// The controller that receives the event.
        controller: ControllerId,
        /// The event to send.
        event: GameplayEvent,
    },
    /// [`Simulation::press`](crate::simulation::Simulation::press).
    Press {
        /// Controller whose input is pressed.
        controller: ControllerId,
        /// Name of the input.
        input: InputId,
    },
    /// [`Simulation::press_at`](crate::simulation::Simulation::press_at).
    #[state(tag = 47)]
    PressAt {
        /// Controller whose input is pressed.
        controller: ControllerId,
        /// Name of the input.
        input: InputId,
        /// Targets of the abilities that the press activates.
        targets: TargetData,
    },
    /// [`Simulation::release`](crate::simulation::Simulation::release).
    #[state(tag = 33)]
    Release {
        /// Controller whose input is released.
        controller: ControllerId,
        /// Name of the input.
        input: InputId,
    },
    /// [`Simulation::confirm`](crate::simulation::Simulation::confirm).
    Confirm(ControllerId),
    /// [`Simulation::decline`](crate::simulation::Simulation::decline).
    Decline(ControllerId),
    /// [`Simulation::set_input_buffer`](crate::simulation::Simulation::set_input_buffer).
    SetInputBuffer {
        /// The controller to change.
        controller: ControllerId,
        /// How inputs are buffered from now on.
        config: InputBufferConfig,
    },
    /// [`Simulation::complete_task`](crate::simulation::Simulation::complete_task).
    CompleteTask {
        /// The task to complete.
        task: TaskId,
        /// Its result.
        outcome: TaskOutcome,
    },
    /// [`Simulation::provide_targets`](crate::simulation::Simulation::provide_targets).
    ProvideTargets {
        /// The task that waits for targets.
        task: TaskId,
        /// The targets.
        targets: TargetData,
    },
    /// [`Simulation::set_placement`](crate::simulation::Simulation::set_placement).
    SetPlacement {
        /// The controller to place.
        controller: ControllerId,
        /// Its position and orientation; `None` if it is nowhere.
        placement: Option<Placement>,
    },
    /// [`Simulation::set_team`](crate::simulation::Simulation::set_team).
    SetTeam {
        /// The controller to change.
        controller: ControllerId,
        /// Its team; `None` for no team.
        team: Option<Team>,
    },
    /// [`Simulation::define_effect`](crate::simulation::Simulation::define_effect).
    DefineEffect(Box<EffectDef>),
    /// [`Simulation::forget_effect`](crate::simulation::Simulation::forget_effect).
    ForgetEffect(EffectId),
    /// [`Simulation::restore_character`](crate::simulation::Simulation::restore_character).
    #[state(tag = 45)]
    RestoreCharacter {
        /// The character to restore.
        character: Box<Character>,
        /// Options of the restoration.
        options: Box<RestoreOptions>,
    },
    /// [`Simulation::advance`](crate::simulation::Simulation::advance).
    #[state(tag = 43)]
    Advance(Span),
    /// [`Simulation::batch`](crate::simulation::Simulation::batch) over these commands, none of which may be
    /// a batch.
    Batch(Vec<Self>),
    /// A command from a client, as its server executes it (§13.7): inside
    /// [`Simulation::predicting`](crate::simulation::Simulation::predicting), and with a range that the server
    /// has judged. Recorded this way, it replays as on the server.
    #[state(tag = 46)]
    FromClient {
        /// Prediction key of the command; `None` if the command carries its own.
        key: Option<PredictionKey>,
        /// The granted ability whose range the server has judged: [`Self::Activate`] of it is
        /// [in range](crate::simulation::ActivationRequest::in_range).
        reached: Option<GrantedAbilityId>,
        /// The requested command: neither a batch nor another `FromClient`.
        command: Box<Self>,
    },
}

/// The result of a command.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The command succeeded and returns nothing.
    Done,
    /// A controller was spawned.
    Spawned(ControllerId),
    /// An effect was applied.
    Applied(Application),
    /// Number of targets that an effect was applied to.
    AppliedToAll(u32),
    /// Number of effects that were removed or lost stacks.
    Removed(u32),
    /// An ability was granted.
    Granted(GrantedAbilityId),
    /// An ability set was granted.
    GrantedSet(Box<GrantedSet>),
    /// An ability was activated.
    Activated(ActivationId),
    /// These abilities were activated.
    ActivatedAll(Vec<ActivationId>),
    /// Number of activations that were cancelled.
    Cancelled(u32),
    /// The result of an input press.
    Pressed(Box<PressOutcome>),
    /// There was nothing to do: the activation, the task or the held input was already gone.
    Nothing,
    /// An effect was created.
    Defined(EffectId),
    /// A character was restored.
    Restored {
        /// The new controller.
        controller: ControllerId,
        /// Report of the parts that were restored, changed or left out.
        report: Box<CharacterReport>,
    },
    /// The results of the commands of a batch, in order.
    Batch(Vec<Result<Self, CommandError>>),
}

/// Why a command had no effect.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// A controller could not be spawned.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// An attribute set could not be registered or unregistered.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// An application was refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Something does not exist, or a limit is reached.
    #[error(transparent)]
    Reason(#[from] RefusalReason),
    /// An ability could not be activated or committed.
    #[error(transparent)]
    Activation(Box<ActivationRefusal>),
    /// An ability set could not be granted.
    #[error(transparent)]
    GrantSet(#[from] GrantSetError),
    /// An effect could not be created.
    #[error(transparent)]
    Define(#[from] DefineEffectError),
    /// A character could not be restored.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// A value was asked of the outcome of another command.
    #[error("the outcome is that of another command: ask for the value that the executed command returns")]
    UnexpectedOutcome,
    /// A batch inside a batch.
    #[error("a batch cannot contain a batch: put its commands into the outer one")]
    NestedBatch,
    /// A client's command contains a batch or another client's command.
    #[error("a command from a client must be a single command: send the commands of a batch one by one")]
    NotSingle,
}

impl From<ActivationRefusal> for CommandError {
    fn from(refusal: ActivationRefusal) -> Self {
        Self::Activation(Box::new(refusal))
    }
}
