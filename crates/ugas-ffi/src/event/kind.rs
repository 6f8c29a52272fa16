//! Kinds of events, and reasons why effects and abilities ended.

/// Kind of an event. Each value names its member of ugas_event_body; those that name none have no body.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_event_kind {
    /// An event without a kind of its own in this interface; ugas_event_text describes it.
    Other = 0,
    /// A controller was spawned.
    ControllerSpawned = 1,
    /// A controller was despawned.
    ControllerDespawned = 2,
    /// The owner of a controller was set or cleared (§4.2). Body: `actor`.
    OwnerChanged = 3,
    /// The avatar of a controller was set or cleared (§4.3). Body: `actor`.
    AvatarChanged = 4,
    /// An attribute set was registered. Body: `attribute_set`.
    AttributeSetAdded = 5,
    /// An attribute set was removed. Body: `attribute_set`.
    AttributeSetRemoved = 6,
    /// A base or current value changed (§5.6, B5). Body: `attribute`.
    AttributeChanged = 7,
    /// A tag's cumulative count left zero (§7.2). Body: `tag`.
    TagAdded = 8,
    /// A tag's cumulative count reached zero (§7.2). Body: `tag`.
    TagRemoved = 9,
    /// An effect is about to be applied (E1, §15.4); emitted when the configuration asks for an audit. Body:
    /// `effect`.
    BeforeEffectApplied = 10,
    /// An effect became active, or a queued one began (§9.2, E4). Body: `effect`.
    EffectApplied = 11,
    /// An effect was merged into an active one (E4). Body: `effect`.
    EffectMerged = 12,
    /// An effect was queued behind an active one (E4). Body: `effect`.
    EffectQueued = 13,
    /// An effect changed base values: an instant one, or a tick of a periodic one. Body: `effect`.
    EffectExecuted = 14,
    /// An active effect was removed. Body: `effect`.
    EffectRemoved = 15,
    /// A stack count changed. Body: `effect`.
    EffectStackChanged = 16,
    /// The remaining duration of an active effect was changed. Body: `effect`.
    EffectDurationChanged = 17,
    /// The ongoing requirements of an active effect now fail (E7). Body: `effect`.
    EffectInhibited = 18,
    /// The ongoing requirements of an active effect hold again (E7). Body: `effect`.
    EffectResumed = 19,
    /// An application was refused; nothing changed (E1). Body: `effect`.
    EffectRefused = 20,
    /// An application was blocked by an immunity. Body: `effect`.
    EffectBlockedByImmunity = 21,
    /// A modifier has no effect: the target lacks the attribute, or it is derived (M6). Body: `effect`.
    ModifierInert = 22,
    /// An attribute could not be evaluated and keeps its value (V2). Body: `attribute`.
    EvaluationFailed = 23,
    /// A divisor close to zero was treated as 1 (M3). Body: `attribute`.
    DivisorIgnored = 24,
    /// An ability was granted (§9.8). Body: `ability`.
    AbilityGranted = 25,
    /// An ability was revoked. Body: `ability`.
    AbilityRevoked = 26,
    /// The level of an ability changed. Body: `ability`.
    AbilityLevelChanged = 27,
    /// An ability was activated (§8.2). Body: `ability`.
    AbilityActivated = 28,
    /// An ability could not be activated or committed; nothing changed (A1). Body: `ability`.
    AbilityRefused = 29,
    /// An ability committed: cost, cooldown and owned tags, as far as it has them (§8.4). Body: `ability`.
    AbilityCommitted = 30,
    /// An activation ended (§8.2). Body: `ability`.
    AbilityEnded = 31,
    /// An activation was cancelled (§8.6). Body: `ability`.
    AbilityCancelled = 32,
    /// The cooldown of an ability started. Body: `ability`.
    CooldownBegan = 33,
    /// The cooldown of an ability ended. Body: `ability`.
    CooldownEnded = 34,
    /// The charges of an ability changed. Body: `ability`.
    ChargesChanged = 35,
    /// A gameplay event was received (§10.3). Body: `gameplay`.
    GameplayEvent = 36,
    /// An input was pressed (§11). Body: `input`.
    InputPressed = 37,
    /// An input was released (§11). Body: `input`.
    InputReleased = 38,
    /// An input could not be used yet and was buffered (§11.3). Body: `input`.
    InputBuffered = 39,
    /// The player confirmed the waiting tasks.
    Confirmed = 40,
    /// The player declined the waiting tasks.
    Declined = 41,
    /// The host has to carry out a task (A6); `ugas_task_parameters` has its parameters. Body: `task`.
    HostTaskRequested = 42,
    /// A host task was cancelled and no longer needs to be carried out. Body: `task`.
    HostTaskCancelled = 43,
    /// A wait that is not limited to one event was triggered: the tasks that follow it run, and it keeps
    /// waiting (A10). Body: `task`.
    TaskTriggered = 44,
    /// A task could not be carried out; its ability is cancelled. Body: `task`.
    TaskFailed = 45,
    /// A task found no target, and the ability went on. Body: `task`.
    NoTarget = 46,
    /// Target selection started: a reticle can be shown. Body: `task`.
    TargetingBegan = 47,
    /// Target selection ended. Body: `task`.
    TargetingEnded = 48,
    /// The death attribute of a controller fell to its threshold (§8.6).
    OwnerDied = 49,
    /// A looping cue started (E11). Body: `cue`.
    CueAdded = 50,
    /// A looping cue ended (E11). Body: `cue`.
    CueRemoved = 51,
    /// A cue was executed once (E11). Body: `cue`.
    CueExecuted = 52,
    /// A cascade reached its limit; the rest of it was dropped (E12). Body: `limit`.
    CascadeLimit = 53,
    /// The simulation reached a state that its rules exclude. It is reported, and the operation is skipped
    /// (§7.2). Body: `message`.
    LogicError = 54,
    /// A wait has reached its limit of queued occurrences, and later ones are dropped (A9). Body: `task`.
    OccurrenceLimit = 55,
    /// The explicit count of a tag changed (T6); emitted when the configuration asks for tag counts, before
    /// the UGAS_EVENT_KIND_TAG_ADDED or UGAS_EVENT_KIND_TAG_REMOVED that the same change causes. Body:
    /// `tag_count`.
    TagCountChanged = 56,
}

/// Category of an event.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_category {
    /// An event without a category of its own in this interface.
    Other = 0,
    /// Controllers: spawn, despawn, owners and avatars.
    Controller = 1,
    /// Attributes.
    Attribute = 2,
    /// Tags.
    Tag = 3,
    /// Effects.
    Effect = 4,
    /// Abilities, their activations and triggers.
    Ability = 5,
    /// Tasks, host tasks and targeting.
    Task = 6,
    /// Inputs.
    Input = 7,
    /// Cues: effects for players to see and hear.
    Cue = 8,
    /// Errors.
    Error = 9,
}

/// Why an active effect was removed.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_removal_reason {
    /// Its duration was over.
    Expired = 0,
    /// It was removed before its end.
    Removed = 1,
    /// The target got a tag that removes it.
    RemovedByTag = 2,
    /// Its stack overflowed and was cleared.
    Overflowed = 3,
    /// Its target was despawned.
    TargetGone = 4,
    /// A reload of the definitions removed it.
    Reloaded = 5,
}

/// Why an activation ended.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_end_reason {
    /// Its last task completed, or a task ended it.
    Completed = 0,
    /// It was activated again, and starts over.
    Retriggered = 1,
    /// A task cancelled it.
    CancelledByTask = 2,
    /// A call cancelled it.
    Cancelled = 3,
    /// Another ability cancelled it by its tags.
    CancelledByAbility = 4,
    /// A tag cancelled it.
    CancelledByTag = 5,
    /// The tag that keeps it active was removed.
    TriggerGone = 6,
    /// The owner died.
    OwnerDied = 7,
    /// It could not commit.
    CommitFailed = 8,
    /// A task could not be carried out.
    TaskFailed = 9,
    /// The player or the host declined.
    Declined = 10,
    /// The ability was revoked, or its owner was despawned.
    Revoked = 11,
    /// The avatar of its owner changed.
    PossessionChanged = 12,
    /// Its tasks looped without end.
    OutOfBudget = 13,
    /// The definitions were reloaded.
    Reloaded = 14,
}
