//! Commands: everything that changes a simulation, as data that can be recorded, sent and replayed.
//!
//! Each command has a method on [`Simulation`](crate::simulation::Simulation) that does the same; a simulation fed the same commands in the same order
//! goes through the same states.

mod execute;

use crate::ability::{ActivationRefusal, GameplayEvent, Grant, GrantedSet};
use crate::character::{Character, CharacterReport, RestoreError, RestoreOptions};
use crate::codec::plain_enum;
use crate::effect::{EffectContext, EffectDef, EffectQuery, EffectSpec};
use crate::handle::{AbilityHandle, ActivationId, ActiveEffectId, ControllerId, TaskId};
use crate::id::{AbilityId, ActorId, AttributeSetId, EffectId, TagId};
use crate::input::{InputBufferConfig, InputId};
use crate::prediction::PredictionKey;
use crate::refusal::{Refusal, RefusalReason};
use crate::simulation::{
    ActivationRequest, Application, DefineEffectError, GrantSetError, Pressed, RegisterError, Spawn,
    SpawnError, Stacks,
};
use crate::tag::TagSet;
use crate::targeting::{Placement, TargetData, Team};
use crate::task::TaskOutcome;
use crate::time::Span;

/// A change to a simulation.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Command {
    /// [`Simulation::spawn_with`](crate::simulation::Simulation::spawn_with).
    Spawn(Spawn),
    /// [`Simulation::despawn`](crate::simulation::Simulation::despawn).
    Despawn(ControllerId),
    /// [`Simulation::set_owner`](crate::simulation::Simulation::set_owner).
    SetOwner {
        /// Whose.
        controller: ControllerId,
        /// The new one.
        owner: Option<ActorId>,
    },
    /// [`Simulation::set_active`](crate::simulation::Simulation::set_active).
    SetActive {
        /// The controller.
        controller: ControllerId,
        /// Whether it takes part from now on.
        active: bool,
    },
    /// [`Simulation::set_avatar`](crate::simulation::Simulation::set_avatar).
    SetAvatar {
        /// Whose.
        controller: ControllerId,
        /// The new one.
        avatar: Option<ActorId>,
    },
    /// [`Simulation::register_set`](crate::simulation::Simulation::register_set).
    RegisterSet {
        /// With whom.
        controller: ControllerId,
        /// Which set.
        set: AttributeSetId,
    },
    /// [`Simulation::unregister_set`](crate::simulation::Simulation::unregister_set).
    UnregisterSet {
        /// From whom.
        controller: ControllerId,
        /// Which set.
        set: AttributeSetId,
    },
    /// [`Simulation::apply`](crate::simulation::Simulation::apply).
    Apply {
        /// What.
        spec: Box<EffectSpec>,
        /// To whom.
        target: ControllerId,
    },
    /// [`Simulation::spec`](crate::simulation::Simulation::spec) followed by [`Simulation::apply`](crate::simulation::Simulation::apply).
    ApplyEffect {
        /// What.
        effect: EffectId,
        /// At what level.
        level: f64,
        /// Caused by whom and what.
        context: EffectContext,
        /// Numbers provided by the caller.
        magnitudes: Vec<(TagId, f64)>,
        /// To whom.
        target: ControllerId,
    },
    /// [`Simulation::execute_cue`](crate::simulation::Simulation::execute_cue).
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
    Remove {
        /// What.
        active: ActiveEffectId,
        /// How much of it.
        stacks: Stacks,
    },
    /// [`Simulation::remove_matching`](crate::simulation::Simulation::remove_matching).
    RemoveMatching {
        /// From whom.
        controller: ControllerId,
        /// What.
        query: EffectQuery,
        /// How much of each.
        stacks: Stacks,
    },
    /// [`Simulation::set_duration`](crate::simulation::Simulation::set_duration).
    SetDuration {
        /// Of what.
        active: ActiveEffectId,
        /// From its start; `None` is for ever.
        duration: Option<Span>,
    },
    /// [`Simulation::set_level`](crate::simulation::Simulation::set_level).
    SetLevel {
        /// Of what.
        active: ActiveEffectId,
        /// The new one.
        level: f64,
    },
    /// [`Simulation::set_magnitude`](crate::simulation::Simulation::set_magnitude).
    SetMagnitude {
        /// Of what.
        active: ActiveEffectId,
        /// Under which tag.
        tag: TagId,
        /// The new one.
        value: f64,
    },
    /// [`Simulation::grant`](crate::simulation::Simulation::grant).
    Grant {
        /// To whom.
        controller: ControllerId,
        /// Which ability.
        ability: AbilityId,
        /// At what level.
        level: u32,
    },
    /// [`Simulation::grant_with`](crate::simulation::Simulation::grant_with).
    GrantWith {
        /// To whom.
        controller: ControllerId,
        /// What, and how.
        grant: Box<Grant>,
    },
    /// [`Simulation::revoke`](crate::simulation::Simulation::revoke).
    Revoke(AbilityHandle),
    /// [`Simulation::revoke_on_end`](crate::simulation::Simulation::revoke_on_end).
    RevokeOnEnd(AbilityHandle),
    /// [`Simulation::set_ability_level`](crate::simulation::Simulation::set_ability_level).
    SetAbilityLevel {
        /// Of what.
        ability: AbilityHandle,
        /// The new one.
        level: u32,
    },
    /// [`Simulation::bind_input`](crate::simulation::Simulation::bind_input).
    BindInput {
        /// What.
        ability: AbilityHandle,
        /// To what; `None` is to nothing.
        input: Option<InputId>,
    },
    /// [`Simulation::set_parameter`](crate::simulation::Simulation::set_parameter).
    SetParameter {
        /// Of what.
        ability: AbilityHandle,
        /// Which.
        name: String,
        /// The new one.
        value: f64,
    },
    /// [`Simulation::grant_set`](crate::simulation::Simulation::grant_set).
    GrantSet {
        /// To whom.
        controller: ControllerId,
        /// The name of the ability set.
        set: String,
    },
    /// [`Simulation::revoke_set`](crate::simulation::Simulation::revoke_set).
    RevokeSet {
        /// From whom.
        controller: ControllerId,
        /// What the set gave.
        granted: Box<GrantedSet>,
    },
    /// [`Simulation::activate_with`](crate::simulation::Simulation::activate_with).
    Activate {
        /// What.
        ability: AbilityHandle,
        /// With what.
        request: Box<ActivationRequest>,
    },
    /// [`Simulation::activate_ability`](crate::simulation::Simulation::activate_ability).
    ActivateAbility {
        /// Whose.
        controller: ControllerId,
        /// Which.
        ability: AbilityId,
        /// With what.
        request: Box<ActivationRequest>,
    },
    /// [`Simulation::activate_by_tags`](crate::simulation::Simulation::activate_by_tags).
    ActivateByTags {
        /// Whose.
        controller: ControllerId,
        /// Those that have all of these.
        tags: TagSet,
    },
    /// [`Simulation::commit`](crate::simulation::Simulation::commit).
    Commit(ActivationId),
    /// [`Simulation::cancel`](crate::simulation::Simulation::cancel).
    Cancel(ActivationId),
    /// [`Simulation::end`](crate::simulation::Simulation::end).
    End(ActivationId),
    /// [`Simulation::cancel_ability`](crate::simulation::Simulation::cancel_ability).
    CancelAbility(AbilityHandle),
    /// [`Simulation::cancel_by_tags`](crate::simulation::Simulation::cancel_by_tags).
    CancelByTags {
        /// Whose.
        controller: ControllerId,
        /// Those that have one of these.
        with: TagSet,
        /// But for those that have one of these.
        without: TagSet,
    },
    /// [`Simulation::cancel_all`](crate::simulation::Simulation::cancel_all).
    CancelAll {
        /// Whose.
        controller: ControllerId,
        /// But for this one.
        except: Option<AbilityHandle>,
    },
    /// [`Simulation::send_event`](crate::simulation::Simulation::send_event).
    SendEvent {
        /// To whom.
        controller: ControllerId,
        /// What.
        event: GameplayEvent,
    },
    /// [`Simulation::press`](crate::simulation::Simulation::press).
    Press {
        /// Who.
        controller: ControllerId,
        /// Which input.
        input: InputId,
    },
    /// [`Simulation::press_at`](crate::simulation::Simulation::press_at).
    PressAt {
        /// Controller whose input is pressed.
        controller: ControllerId,
        /// Name of the input.
        input: InputId,
        /// Targets of the abilities that the press activates.
        targets: TargetData,
    },
    /// [`Simulation::release`](crate::simulation::Simulation::release).
    Release {
        /// Who.
        controller: ControllerId,
        /// Which input.
        input: InputId,
    },
    /// [`Simulation::confirm`](crate::simulation::Simulation::confirm).
    Confirm(ControllerId),
    /// [`Simulation::decline`](crate::simulation::Simulation::decline).
    Decline(ControllerId),
    /// [`Simulation::set_input_buffer`](crate::simulation::Simulation::set_input_buffer).
    SetInputBuffer {
        /// Whose.
        controller: ControllerId,
        /// How inputs are kept.
        config: InputBufferConfig,
    },
    /// [`Simulation::complete_task`](crate::simulation::Simulation::complete_task).
    CompleteTask {
        /// Which.
        task: TaskId,
        /// How it went.
        outcome: TaskOutcome,
    },
    /// [`Simulation::provide_targets`](crate::simulation::Simulation::provide_targets).
    ProvideTargets {
        /// For what.
        task: TaskId,
        /// The targets.
        targets: TargetData,
    },
    /// [`Simulation::set_placement`](crate::simulation::Simulation::set_placement).
    SetPlacement {
        /// Whose.
        controller: ControllerId,
        /// Where it is; `None` is nowhere.
        placement: Option<Placement>,
    },
    /// [`Simulation::set_team`](crate::simulation::Simulation::set_team).
    SetTeam {
        /// Whose.
        controller: ControllerId,
        /// On whose side it is.
        team: Option<Team>,
    },
    /// [`Simulation::define_effect`](crate::simulation::Simulation::define_effect).
    DefineEffect(Box<EffectDef>),
    /// [`Simulation::forget_effect`](crate::simulation::Simulation::forget_effect).
    ForgetEffect(EffectId),
    /// [`Simulation::restore_character`](crate::simulation::Simulation::restore_character).
    RestoreCharacter {
        /// Who.
        character: Box<Character>,
        /// How.
        options: Box<RestoreOptions>,
    },
    /// [`Simulation::advance`](crate::simulation::Simulation::advance).
    Advance(Span),
    /// [`Simulation::batch`](crate::simulation::Simulation::batch) over these, which must not be batches themselves.
    Batch(Vec<Self>),
    /// A client's command as its server carries it out (§13.7): [`Simulation::predicting`](crate::simulation::Simulation::predicting)
    /// and [`Simulation::reaching`](crate::simulation::Simulation::reaching), without which a recording of the server
    /// would not lead where the server went.
    OfClient {
        /// What it is part of; `None` if the command carries its own.
        key: Option<PredictionKey>,
        /// The ability of which the server has judged the range itself.
        reached: Option<AbilityHandle>,
        /// What was asked for: neither a batch nor of another client.
        command: Box<Self>,
    },
}

plain_enum!(Command {
    0 => Spawn(spawn),
    1 => Despawn(controller),
    2 => SetOwner { controller, owner },
    3 => SetAvatar { controller, avatar },
    4 => RegisterSet { controller, set },
    5 => UnregisterSet { controller, set },
    6 => Apply { spec, target },
    7 => ApplyEffect { effect, level, context, magnitudes, target },
    8 => Remove { active, stacks },
    9 => RemoveMatching { controller, query, stacks },
    10 => SetDuration { active, duration },
    11 => SetLevel { active, level },
    12 => SetMagnitude { active, tag, value },
    13 => Grant { controller, ability, level },
    14 => GrantWith { controller, grant },
    15 => Revoke(ability),
    16 => RevokeOnEnd(ability),
    17 => SetAbilityLevel { ability, level },
    18 => BindInput { ability, input },
    19 => SetParameter { ability, name, value },
    20 => GrantSet { controller, set },
    21 => RevokeSet { controller, granted },
    22 => Activate { ability, request },
    23 => ActivateAbility { controller, ability, request },
    24 => ActivateByTags { controller, tags },
    25 => Commit(activation),
    26 => Cancel(activation),
    27 => End(activation),
    28 => CancelAbility(ability),
    29 => CancelByTags { controller, with, without },
    30 => CancelAll { controller, except },
    31 => SendEvent { controller, event },
    32 => Press { controller, input },
    33 => Release { controller, input },
    34 => Confirm(controller),
    35 => Decline(controller),
    36 => SetInputBuffer { controller, config },
    37 => CompleteTask { task, outcome },
    38 => ProvideTargets { task, targets },
    39 => SetPlacement { controller, placement },
    40 => SetTeam { controller, team },
    41 => DefineEffect(def),
    42 => ForgetEffect(effect),
    43 => Advance(span),
    44 => Batch(commands),
    45 => RestoreCharacter { character, options },
    46 => OfClient { key, reached, command },
    47 => PressAt { controller, input, targets },
    48 => SetActive { controller, active },
    60 => ExecuteCue { controller, cue, magnitude, context },
    61 => AddCue { controller, cue, context },
    62 => RemoveCue { controller, cue },
});

/// What a command came to.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// It is done, and there is nothing more to say.
    Done,
    /// A controller was spawned.
    Spawned(ControllerId),
    /// An effect was applied.
    Applied(Application),
    /// So many effects were affected.
    Removed(u32),
    /// An ability was granted.
    Granted(AbilityHandle),
    /// An ability set was given.
    GrantedSet(Box<GrantedSet>),
    /// An ability was activated.
    Activated(ActivationId),
    /// These abilities were activated.
    ActivatedAll(Vec<ActivationId>),
    /// So many runs of abilities were cancelled.
    Cancelled(u32),
    /// What became of a press.
    Pressed(Box<Pressed>),
    /// There was nothing to do: the run, the task or the held input was gone already.
    Nothing,
    /// An effect was created.
    Defined(EffectId),
    /// A character was restored.
    Restored {
        /// The new controller.
        controller: ControllerId,
        /// What became of it.
        report: Box<CharacterReport>,
    },
    /// Each command of a batch, in order.
    Batch(Vec<Result<Self, CommandError>>),
}

/// Why a command did nothing.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// A controller could not be spawned.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// An attribute set could not be registered or taken away.
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
    /// An ability set could not be given.
    #[error(transparent)]
    GrantSet(#[from] GrantSetError),
    /// An effect could not be created.
    #[error(transparent)]
    Define(#[from] DefineEffectError),
    /// A character could not be restored.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// A batch inside a batch.
    #[error("a batch cannot contain a batch: put its commands into the outer one")]
    NestedBatch,
    /// A client's command that is several, or another client's.
    #[error("a client's command is a single one: send the commands of a batch one by one")]
    NotSingle,
}

impl From<ActivationRefusal> for CommandError {
    fn from(refusal: ActivationRefusal) -> Self {
        Self::Activation(Box::new(refusal))
    }
}
