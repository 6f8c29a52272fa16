//! Which event it is, and why things ended.

/// What happened. Each value names the part of ugas_event_body that belongs to it; the others have none.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_event_kind {
    /// Something that this interface has no words for; ugas_event_text does.
    Other = 0,
    /// A controller came into being.
    ControllerSpawned = 1,
    /// A controller ceased to exist.
    ControllerDespawned = 2,
    /// A controller was given another owner, or none (§4.2). Body: `actor`.
    OwnerChanged = 3,
    /// A controller was given another avatar, or none (§4.3). Body: `actor`.
    AvatarChanged = 4,
    /// An attribute set was registered. Body: `attribute_set`.
    AttributeSetAdded = 5,
    /// An attribute set was taken away. Body: `attribute_set`.
    AttributeSetRemoved = 6,
    /// A base or current value changed (§5.6, B5). Body: `attribute`.
    AttributeChanged = 7,
    /// A tag's cumulative count left zero (§7.2). Body: `tag`.
    TagAdded = 8,
    /// A tag's cumulative count reached zero (§7.2). Body: `tag`.
    TagRemoved = 9,
    /// An effect is about to be applied (E1, §15.4); raised when the configuration asks for an audit. Body: `effect`.
    BeforeEffectApplied = 10,
    /// An effect became active, or a queued one began (§9.2, E4). Body: `effect`.
    EffectApplied = 11,
    /// An effect was merged into the instance that is there (E4). Body: `effect`.
    EffectMerged = 12,
    /// An effect waits for its turn (E4). Body: `effect`.
    EffectQueued = 13,
    /// An effect wrote base values: an instant one, or a tick of a periodic one. Body: `effect`.
    EffectExecuted = 14,
    /// An active effect is gone. Body: `effect`.
    EffectRemoved = 15,
    /// A stack count changed. Body: `effect`.
    EffectStackChanged = 16,
    /// The time left of an active effect was changed. Body: `effect`.
    EffectDurationChanged = 17,
    /// The ongoing requirements of an active effect fail now (E7). Body: `effect`.
    EffectInhibited = 18,
    /// The ongoing requirements of an active effect hold again (E7). Body: `effect`.
    EffectResumed = 19,
    /// An application was refused; nothing changed (E1). Body: `effect`.
    EffectRefused = 20,
    /// An application was refused because of an immunity. Body: `effect`.
    EffectBlockedByImmunity = 21,
    /// A modifier has nothing to act on: the target lacks the attribute, or it is derived (M6). Body: `effect`.
    ModifierInert = 22,
    /// A value could not be evaluated and stays what it was (V2). Body: `attribute`.
    EvaluationFailed = 23,
    /// A divisor was so near to zero that it counted as 1 (M3). Body: `attribute`.
    DivisorIgnored = 24,
    /// An ability was granted (§9.8). Body: `ability`.
    AbilityGranted = 25,
    /// An ability was taken away. Body: `ability`.
    AbilityRevoked = 26,
    /// An ability has another level. Body: `ability`.
    AbilityLevelChanged = 27,
    /// An ability was activated (§8.2). Body: `ability`.
    AbilityActivated = 28,
    /// An ability could not be activated or committed; nothing changed (A1). Body: `ability`.
    AbilityRefused = 29,
    /// An ability committed: cost, cooldown and owned tags, as far as it asked for them (§8.4). Body: `ability`.
    AbilityCommitted = 30,
    /// An ability is done (§8.2). Body: `ability`.
    AbilityEnded = 31,
    /// An ability was cancelled (§8.6). Body: `ability`.
    AbilityCancelled = 32,
    /// An ability begins to cool down. Body: `ability`.
    CooldownBegan = 33,
    /// An ability has cooled down. Body: `ability`.
    CooldownEnded = 34,
    /// An ability has more or fewer charges. Body: `ability`.
    ChargesChanged = 35,
    /// A gameplay event came (§10.3). Body: `gameplay`.
    GameplayEvent = 36,
    /// An input was pressed (§11). Body: `input`.
    InputPressed = 37,
    /// An input was released (§11). Body: `input`.
    InputReleased = 38,
    /// An input came too early and is kept for a moment (§11.3). Body: `input`.
    InputBuffered = 39,
    /// The player confirmed what waits for it.
    Confirmed = 40,
    /// The player declined what waits for a confirmation.
    Declined = 41,
    /// The host is asked to carry out a task (A6); `ugas_task_parameters` says with what. Body: `task`.
    HostTaskRequested = 42,
    /// The host need not carry out a task any more. Body: `task`.
    HostTaskCancelled = 43,
    /// A wait that is not limited to one event was triggered: the tasks that follow it run, and it waits on (A10). Body: `task`.
    TaskTriggered = 44,
    /// A task could not be carried out; its ability is cancelled. Body: `task`.
    TaskFailed = 45,
    /// A task found nobody to act on, and the ability went on. Body: `task`.
    NoTarget = 46,
    /// Targets are to be chosen: a reticle can be shown. Body: `task`.
    TargetingBegan = 47,
    /// No target is to be chosen any more. Body: `task`.
    TargetingEnded = 48,
    /// The attribute whose fall is death has fallen (§8.6).
    OwnerDied = 49,
    /// A cue begins (E11). Body: `cue`.
    CueAdded = 50,
    /// A cue ends (E11). Body: `cue`.
    CueRemoved = 51,
    /// A cue happens once (E11). Body: `cue`.
    CueExecuted = 52,
    /// Effects kept causing effects; the rest of the chain was dropped (E12). Body: `limit`.
    CascadeLimit = 53,
    /// The simulation found itself in a state that its rules exclude. Reported, and the operation skipped (§7.2). Body: `message`.
    LogicError = 54,
    /// A wait keeps no more occurrences, and later ones are dropped (A9). Body: `task`.
    OccurrenceLimit = 55,
    /// The explicit count of a tag changed (T6); raised when the configuration asks for tag counts, before the
    /// UGAS_EVENT_KIND_TAG_ADDED or UGAS_EVENT_KIND_TAG_REMOVED that the same change leads to. Body: `tag_count`.
    TagCountChanged = 56,
}

/// What an event is about.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_category {
    /// Something that this interface has no words for.
    Other = 0,
    /// Controllers that come, go and change hands.
    Controller = 1,
    /// Values.
    Attribute = 2,
    /// Tags.
    Tag = 3,
    /// Effects.
    Effect = 4,
    /// Abilities and what starts and stops them.
    Ability = 5,
    /// Tasks, host tasks and targeting.
    Task = 6,
    /// Inputs.
    Input = 7,
    /// Cues: what players see and hear.
    Cue = 8,
    /// What should not have happened.
    Error = 9,
}

/// Why a running effect is gone.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_removal_reason {
    /// Its time was up.
    Expired = 0,
    /// It was removed before.
    Removed = 1,
    /// The target got a tag that removes it.
    RemovedByTag = 2,
    /// Its stack overflowed and was cleared.
    Overflowed = 3,
    /// Its target ceased to exist.
    TargetGone = 4,
    /// A reload took it away.
    Reloaded = 5,
}

/// Why a run of an ability ended.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_end_reason {
    /// Its last task was done, or one said so.
    Completed = 0,
    /// It was activated again, and begins anew.
    Retriggered = 1,
    /// One of its tasks said so.
    CancelledByTask = 2,
    /// A call cancelled it.
    Cancelled = 3,
    /// Another ability cancels those with its tags.
    CancelledByAbility = 4,
    /// A tag cancels it.
    CancelledByTag = 5,
    /// The tag that keeps it active is gone.
    TriggerGone = 6,
    /// The owner died.
    OwnerDied = 7,
    /// It could not commit.
    CommitFailed = 8,
    /// A task could not be carried out.
    TaskFailed = 9,
    /// The player or the host declined.
    Declined = 10,
    /// The ability was taken away, or its owner ceased to exist.
    Revoked = 11,
    /// The owner has another avatar.
    PossessionChanged = 12,
    /// Its tasks went on without end.
    OutOfBudget = 13,
    /// The rules were reloaded.
    Reloaded = 14,
}
