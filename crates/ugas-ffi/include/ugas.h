/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * UGAS: a deterministic, engine-agnostic gameplay ability system. Its C interface.
 * Made from the source of ugas-ffi by `UPDATE_EXPECT=1 cargo test -p ugas-ffi --test it header`; do not edit.
 *
 * Rules, the same for every function
 *
 * - One pointer, many numbers. A `ugas_context` is the only object behind a pointer. Everything in it (loaders,
 *   catalogs, simulations, snapshots) is a number that the context checks: one that is dead, foreign or of another kind
 *   is refused with `UGAS_STATUS_BAD_HANDLE`. Controllers, effects, abilities, runs and tasks are the core's own
 *   generational handles, and zero is none of them. See `docs/adr/0016-c-interface.md`.
 * - Statuses. A function that can fail returns a `ugas_status`; `ugas_last_error` has the words and
 *   `ugas_last_reasons` the reasons of a refusal. Results go through pointers that are checked before anything happens, so
 *   a call that fails has changed nothing, unless its own words say otherwise.
 * - Text is UTF-8 with a length, not ended by a zero. What a call gives out (text, bytes) is valid until the next call
 *   with the same context, but for `ugas_last_error` and `ugas_last_reasons`, which disturb nothing. What belongs to
 *   events that were polled is valid until the next poll of that simulation.
 * - Structures that go in or come out by themselves begin with their `size`, set by the caller; those in lists have
 *   their size as an argument. So either side may be older: what it does not know is zero or left out.
 * - Memory that a call writes to must not overlap with what it reads. What has a `_free` function is freed with it, or
 *   with its context; nothing else is to be freed.
 * - Panics end here. One that happens anyhow is `UGAS_STATUS_PANIC`; free the simulation that was used.
 * - Threads. A context belongs to no thread, and is used by one at a time: a call while another is under way, from
 *   another thread or from inside a callback, is refused with `UGAS_STATUS_BUSY`. Different contexts have nothing in common
 *   but catalogs that were shared on purpose, and there is no global state.
 * - Time is in microseconds.
 *
 */

#ifndef UGAS_H
#define UGAS_H

#include <stddef.h>
#include <stdint.h>

/* A structure with its size set and everything else zero, ready to be filled in. */
#ifdef __cplusplus
#define UGAS_INIT(type) (::ugas::init<type>())
namespace ugas {
template <class T> inline T init() { T value{}; value.size = sizeof(T); return value; }
}
#else
#define UGAS_INIT(type) ((type){ .size = sizeof(type) })
#endif

/* A text from a literal, without counting. */
#ifdef __cplusplus
#define UGAS_STR(literal) (ugas_str{ literal, sizeof(literal) - 1 })
#else
#define UGAS_STR(literal) ((ugas_str){ literal, sizeof(literal) - 1 })
#endif

// The version of this interface. It changes when a host that was built with an older header could go wrong; functions
// and fields that are added leave it as it is.
#define UGAS_ABI_VERSION 1

// What "no definition" is among ids of tags, attributes, effects and abilities, whose zero is the first of them.
#define UGAS_NO_ID UINT32_MAX

// How many changes one calculation can want.
#define UGAS_MOST_CHANGES 16

// What a call came to. `ugas_last_error` has it in words.
enum ugas_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // It is done.
    UGAS_STATUS_OK = 0,
    // A pointer that must not be null is.
    UGAS_STATUS_NULL_POINTER = 1,
    // The context is none: null, freed, or something else altogether.
    UGAS_STATUS_BAD_CONTEXT = 2,
    // The context is in use: by another thread, or by the call that this callback belongs to.
    UGAS_STATUS_BUSY = 3,
    // A mistake of the library. Free the simulation that was used, and report it.
    UGAS_STATUS_PANIC = 4,
    // The header that the host was built with is of another version than the library.
    UGAS_STATUS_ABI_MISMATCH = 5,
    // No object of this context has this number: it was freed, belongs to another context, or is of another kind.
    UGAS_STATUS_BAD_HANDLE = 6,
    // A text is not UTF-8.
    UGAS_STATUS_BAD_STRING = 7,
    // The size of a structure is impossible, or it asks for what this library does not know.
    UGAS_STATUS_BAD_STRUCT = 8,
    // An argument makes no sense.
    UGAS_STATUS_BAD_ARGUMENT = 9,
    // There is no such name, controller, attribute, effect, ability, run or task.
    UGAS_STATUS_NOT_FOUND = 10,
    // The rules say no; `ugas_last_reasons` has every reason.
    UGAS_STATUS_REFUSED = 11,
    // A pack cannot be used; the loader has the diagnostics.
    UGAS_STATUS_LOAD_FAILED = 12,
    // Bytes are not what they should be.
    UGAS_STATUS_BAD_BYTES = 13,
    // A snapshot is of other rules.
    UGAS_STATUS_OTHER_RULES = 14,
    // A file could not be read or written.
    UGAS_STATUS_IO = 15,
    // It cannot be done while a recording is made, or only then.
    UGAS_STATUS_RECORDING = 16,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_status ugas_status;
#else
typedef uint32_t ugas_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// How bad a diagnostic is.
enum ugas_severity
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The pack cannot be used.
    UGAS_SEVERITY_ERROR = 0,
    // Probably not what was meant.
    UGAS_SEVERITY_WARNING = 1,
    // For information.
    UGAS_SEVERITY_NOTE = 2,
    // Advice.
    UGAS_SEVERITY_LINT = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_severity ugas_severity;
#else
typedef uint32_t ugas_severity;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Whose attribute or tag is meant.
enum ugas_party
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The controller that caused the effect.
    UGAS_PARTY_SOURCE = 0,
    // The controller that it is applied to.
    UGAS_PARTY_TARGET = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_party ugas_party;
#else
typedef uint32_t ugas_party;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a modifier does.
enum ugas_operation
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Adds before any multiplication.
    UGAS_OPERATION_ADD = 0,
    // Adds after all multiplication.
    UGAS_OPERATION_ADD_POST = 1,
    // A signed bonus: 0.25 is +25 %.
    UGAS_OPERATION_MULTIPLY = 2,
    // Replaces the result.
    UGAS_OPERATION_OVERRIDE = 3,
    // A factor whose bonus joins one shared channel.
    UGAS_OPERATION_MULTIPLY_ADDITIVE = 4,
    // A divisor.
    UGAS_OPERATION_DIVIDE_ADDITIVE = 5,
    // A factor that multiplies by itself.
    UGAS_OPERATION_MULTIPLY_COMPOUND = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_operation ugas_operation;
#else
typedef uint32_t ugas_operation;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The form of an area.
enum ugas_shape
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The nearest to the origin.
    UGAS_SHAPE_NEAREST = 0,
    // All around the origin.
    UGAS_SHAPE_RADIUS = 1,
    // In front of the origin.
    UGAS_SHAPE_CONE = 2,
    // Along the facing of the origin.
    UGAS_SHAPE_LINE = 3,
    // Around the origin, along the axes of the world.
    UGAS_SHAPE_BOX = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_shape ugas_shape;
#else
typedef uint32_t ugas_shape;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What kind of definition an id is of.
enum ugas_definition
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A tag.
    UGAS_DEFINITION_TAG = 0,
    // An attribute.
    UGAS_DEFINITION_ATTRIBUTE = 1,
    // An attribute set.
    UGAS_DEFINITION_ATTRIBUTE_SET = 2,
    // An effect.
    UGAS_DEFINITION_EFFECT = 3,
    // An ability.
    UGAS_DEFINITION_ABILITY = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_definition ugas_definition;
#else
typedef uint32_t ugas_definition;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Which of an attribute's values is read.
enum ugas_value
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // With all modifiers.
    UGAS_VALUE_CURRENT = 0,
    // Without them.
    UGAS_VALUE_BASE = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_value ugas_value;
#else
typedef uint32_t ugas_value;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a target is.
enum ugas_target_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A controller.
    UGAS_TARGET_KIND_CONTROLLER = 0,
    // A place.
    UGAS_TARGET_KIND_LOCATION = 1,
    // A hit: of a controller, or of something else.
    UGAS_TARGET_KIND_HIT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_target_kind ugas_target_kind;
#else
typedef uint32_t ugas_target_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a successful application came to.
enum ugas_application
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // An instant effect wrote its values.
    UGAS_APPLICATION_EXECUTED = 0,
    // It is active now.
    UGAS_APPLICATION_ACTIVE = 1,
    // It joined the stack that is there.
    UGAS_APPLICATION_STACKED = 2,
    // It was merged into the one that is there.
    UGAS_APPLICATION_MERGED = 3,
    // It waits for its turn.
    UGAS_APPLICATION_QUEUED = 4,
    // It made the stack overflow, which cleared it.
    UGAS_APPLICATION_CLEARED = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_application ugas_application;
#else
typedef uint32_t ugas_application;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Where a granted ability is in its life.
enum ugas_ability_state
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // It does nothing.
    UGAS_ABILITY_STATE_INACTIVE = 0,
    // It was activated and has not committed yet.
    UGAS_ABILITY_STATE_ACTIVATING = 1,
    // It has committed and runs.
    UGAS_ABILITY_STATE_ACTIVE = 2,
    // It is being ended.
    UGAS_ABILITY_STATE_ENDING = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_ability_state ugas_ability_state;
#else
typedef uint32_t ugas_ability_state;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// How a task that the host carries out went.
enum ugas_task_outcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // As it should: the ability goes on.
    UGAS_TASK_OUTCOME_COMPLETED = 0,
    // Something came in between: the ability is cancelled.
    UGAS_TASK_OUTCOME_INTERRUPTED = 1,
    // It was called off: the ability is cancelled.
    UGAS_TASK_OUTCOME_CANCELLED = 2,
    // It could not be done: the ability is cancelled.
    UGAS_TASK_OUTCOME_FAILED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_task_outcome ugas_task_outcome;
#else
typedef uint32_t ugas_task_outcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What became of a press.
enum ugas_pressed
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // It activated an ability.
    UGAS_PRESSED_ACTIVATED = 0,
    // A task was waiting for it.
    UGAS_PRESSED_CONSUMED = 1,
    // It came too early and is kept for a moment.
    UGAS_PRESSED_BUFFERED = 2,
    // No ability is bound to it.
    UGAS_PRESSED_UNBOUND = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_pressed ugas_pressed;
#else
typedef uint32_t ugas_pressed;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What happened. Each value names the part of ugas_event_body that belongs to it; the others have none.
enum ugas_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Something that this interface has no words for; ugas_event_text does.
    UGAS_EVENT_KIND_OTHER = 0,
    // A controller came into being.
    UGAS_EVENT_KIND_CONTROLLER_SPAWNED = 1,
    // A controller ceased to exist.
    UGAS_EVENT_KIND_CONTROLLER_DESPAWNED = 2,
    // A controller was given another owner, or none (§4.2). Body: `actor`.
    UGAS_EVENT_KIND_OWNER_CHANGED = 3,
    // A controller was given another avatar, or none (§4.3). Body: `actor`.
    UGAS_EVENT_KIND_AVATAR_CHANGED = 4,
    // An attribute set was registered. Body: `attribute_set`.
    UGAS_EVENT_KIND_ATTRIBUTE_SET_ADDED = 5,
    // An attribute set was taken away. Body: `attribute_set`.
    UGAS_EVENT_KIND_ATTRIBUTE_SET_REMOVED = 6,
    // A base or current value changed (§5.6, B5). Body: `attribute`.
    UGAS_EVENT_KIND_ATTRIBUTE_CHANGED = 7,
    // A tag's cumulative count left zero (§7.2). Body: `tag`.
    UGAS_EVENT_KIND_TAG_ADDED = 8,
    // A tag's cumulative count reached zero (§7.2). Body: `tag`.
    UGAS_EVENT_KIND_TAG_REMOVED = 9,
    // An effect is about to be applied (E1, §15.4); raised when the configuration asks for an audit. Body: `effect`.
    UGAS_EVENT_KIND_BEFORE_EFFECT_APPLIED = 10,
    // An effect became active, or a queued one began (§9.2, E4). Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_APPLIED = 11,
    // An effect was merged into the instance that is there (E4). Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_MERGED = 12,
    // An effect waits for its turn (E4). Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_QUEUED = 13,
    // An effect wrote base values: an instant one, or a tick of a periodic one. Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_EXECUTED = 14,
    // An active effect is gone. Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_REMOVED = 15,
    // A stack count changed. Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_STACK_CHANGED = 16,
    // The time left of an active effect was changed. Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_DURATION_CHANGED = 17,
    // The ongoing requirements of an active effect fail now (E7). Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_INHIBITED = 18,
    // The ongoing requirements of an active effect hold again (E7). Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_RESUMED = 19,
    // An application was refused; nothing changed (E1). Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_REFUSED = 20,
    // An application was refused because of an immunity. Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_BLOCKED_BY_IMMUNITY = 21,
    // A modifier has nothing to act on: the target lacks the attribute, or it is derived (M6). Body: `effect`.
    UGAS_EVENT_KIND_MODIFIER_INERT = 22,
    // A value could not be evaluated and stays what it was (V2). Body: `attribute`.
    UGAS_EVENT_KIND_EVALUATION_FAILED = 23,
    // A divisor was so near to zero that it counted as 1 (M3). Body: `attribute`.
    UGAS_EVENT_KIND_DIVISOR_IGNORED = 24,
    // An ability was granted (§9.8). Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_GRANTED = 25,
    // An ability was taken away. Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_REVOKED = 26,
    // An ability has another level. Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_LEVEL_CHANGED = 27,
    // An ability was activated (§8.2). Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_ACTIVATED = 28,
    // An ability could not be activated or committed; nothing changed (A1). Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_REFUSED = 29,
    // An ability committed: cost, cooldown and owned tags, as far as it asked for them (§8.4). Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_COMMITTED = 30,
    // An ability is done (§8.2). Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_ENDED = 31,
    // An ability was cancelled (§8.6). Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_CANCELLED = 32,
    // An ability begins to cool down. Body: `ability`.
    UGAS_EVENT_KIND_COOLDOWN_BEGAN = 33,
    // An ability has cooled down. Body: `ability`.
    UGAS_EVENT_KIND_COOLDOWN_ENDED = 34,
    // An ability has more or fewer charges. Body: `ability`.
    UGAS_EVENT_KIND_CHARGES_CHANGED = 35,
    // A gameplay event came (§10.3). Body: `gameplay`.
    UGAS_EVENT_KIND_GAMEPLAY_EVENT = 36,
    // An input was pressed (§11). Body: `input`.
    UGAS_EVENT_KIND_INPUT_PRESSED = 37,
    // An input was released (§11). Body: `input`.
    UGAS_EVENT_KIND_INPUT_RELEASED = 38,
    // An input came too early and is kept for a moment (§11.3). Body: `input`.
    UGAS_EVENT_KIND_INPUT_BUFFERED = 39,
    // The player confirmed what waits for it.
    UGAS_EVENT_KIND_CONFIRMED = 40,
    // The player declined what waits for a confirmation.
    UGAS_EVENT_KIND_DECLINED = 41,
    // The host is asked to carry out a task (A6); `ugas_task_parameters` says with what. Body: `task`.
    UGAS_EVENT_KIND_HOST_TASK_REQUESTED = 42,
    // The host need not carry out a task any more. Body: `task`.
    UGAS_EVENT_KIND_HOST_TASK_CANCELLED = 43,
    // A wait that goes on was told of what it waits for. Body: `task`.
    UGAS_EVENT_KIND_TASK_TRIGGERED = 44,
    // A task could not be carried out; its ability is cancelled. Body: `task`.
    UGAS_EVENT_KIND_TASK_FAILED = 45,
    // A task found nobody to act on, and the ability went on. Body: `task`.
    UGAS_EVENT_KIND_NO_TARGET = 46,
    // Targets are to be chosen: a reticle can be shown. Body: `task`.
    UGAS_EVENT_KIND_TARGETING_BEGAN = 47,
    // No target is to be chosen any more. Body: `task`.
    UGAS_EVENT_KIND_TARGETING_ENDED = 48,
    // The attribute whose fall is death has fallen (§8.6).
    UGAS_EVENT_KIND_OWNER_DIED = 49,
    // A cue begins (E11). Body: `cue`.
    UGAS_EVENT_KIND_CUE_ADDED = 50,
    // A cue ends (E11). Body: `cue`.
    UGAS_EVENT_KIND_CUE_REMOVED = 51,
    // A cue happens once (E11). Body: `cue`.
    UGAS_EVENT_KIND_CUE_EXECUTED = 52,
    // Effects kept causing effects; the rest of the chain was dropped (E12). Body: `limit`.
    UGAS_EVENT_KIND_CASCADE_LIMIT = 53,
    // The simulation found itself in a state that its rules exclude. Reported, and the operation skipped (§7.2). Body: `message`.
    UGAS_EVENT_KIND_LOGIC_ERROR = 54,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_event_kind ugas_event_kind;
#else
typedef uint32_t ugas_event_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What an event is about.
enum ugas_category
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Something that this interface has no words for.
    UGAS_CATEGORY_OTHER = 0,
    // Controllers that come, go and change hands.
    UGAS_CATEGORY_CONTROLLER = 1,
    // Values.
    UGAS_CATEGORY_ATTRIBUTE = 2,
    // Tags.
    UGAS_CATEGORY_TAG = 3,
    // Effects.
    UGAS_CATEGORY_EFFECT = 4,
    // Abilities and what starts and stops them.
    UGAS_CATEGORY_ABILITY = 5,
    // Tasks, host tasks and targeting.
    UGAS_CATEGORY_TASK = 6,
    // Inputs.
    UGAS_CATEGORY_INPUT = 7,
    // Cues: what players see and hear.
    UGAS_CATEGORY_CUE = 8,
    // What should not have happened.
    UGAS_CATEGORY_ERROR = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_category ugas_category;
#else
typedef uint32_t ugas_category;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Why a running effect is gone.
enum ugas_removal_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Its time was up.
    UGAS_REMOVAL_REASON_EXPIRED = 0,
    // It was removed before.
    UGAS_REMOVAL_REASON_REMOVED = 1,
    // The target got a tag that removes it.
    UGAS_REMOVAL_REASON_REMOVED_BY_TAG = 2,
    // Its stack overflowed and was cleared.
    UGAS_REMOVAL_REASON_OVERFLOWED = 3,
    // Its target ceased to exist.
    UGAS_REMOVAL_REASON_TARGET_GONE = 4,
    // A reload took it away.
    UGAS_REMOVAL_REASON_RELOADED = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_removal_reason ugas_removal_reason;
#else
typedef uint32_t ugas_removal_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Why a run of an ability ended.
enum ugas_end_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Its last task was done, or one said so.
    UGAS_END_REASON_COMPLETED = 0,
    // It was activated again, and begins anew.
    UGAS_END_REASON_RETRIGGERED = 1,
    // One of its tasks said so.
    UGAS_END_REASON_CANCELLED_BY_TASK = 2,
    // A call cancelled it.
    UGAS_END_REASON_CANCELLED = 3,
    // Another ability cancels those with its tags.
    UGAS_END_REASON_CANCELLED_BY_ABILITY = 4,
    // A tag cancels it.
    UGAS_END_REASON_CANCELLED_BY_TAG = 5,
    // The tag that keeps it active is gone.
    UGAS_END_REASON_TRIGGER_GONE = 6,
    // The owner died.
    UGAS_END_REASON_OWNER_DIED = 7,
    // It could not commit.
    UGAS_END_REASON_COMMIT_FAILED = 8,
    // A task could not be carried out.
    UGAS_END_REASON_TASK_FAILED = 9,
    // The player or the host declined.
    UGAS_END_REASON_DECLINED = 10,
    // The ability was taken away, or its owner ceased to exist.
    UGAS_END_REASON_REVOKED = 11,
    // The owner has another avatar.
    UGAS_END_REASON_POSSESSION_CHANGED = 12,
    // Its tasks went on without end.
    UGAS_END_REASON_OUT_OF_BUDGET = 13,
    // The rules were reloaded.
    UGAS_END_REASON_RELOADED = 14,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_end_reason ugas_end_reason;
#else
typedef uint32_t ugas_end_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Everything that a host has: its catalogs, simulations and snapshots. Made by `ugas_context_new`, freed by
// `ugas_context_free`, used by one thread at a time.
typedef struct ugas_context ugas_context;

// Text: UTF-8 with a length in bytes. A null pointer with length 0 is the empty text.
typedef struct {
    // The first byte.
    const char *data;
    // How many bytes there are.
    size_t length;
} ugas_str;

// One reason why the rules said no. What is not involved is zero, UGAS_NO_ID or not a number.
typedef struct {
    // A stable word for programs, such as `OnCooldown`.
    ugas_str code;
    // The reason in words, with names.
    ugas_str words;
    // The controller that is missing.
    uint64_t controller;
    // The active effect that is in the way.
    uint64_t active_effect;
    // The granted ability that is in the way.
    uint64_t granted_ability;
    // The tag that is missing or in the way.
    uint32_t tag;
    // The attribute that is missing or too low.
    uint32_t attribute;
    // What the attribute would be, or the seconds that are left of a cooldown.
    double value;
    // What the attribute must not fall below.
    double limit;
} ugas_reason;

// A loader of this context: collects files, loads them once, and keeps the diagnostics until it is freed.
typedef uint64_t ugas_loader;

// A catalog of this context: the rules of a game, which never change.
typedef uint64_t ugas_catalog;

// One problem in one place. Texts are valid until the next call.
typedef struct {
    // `UG001` and so on; `docs/diagnostics.md` has a page for each.
    ugas_str code;
    // The path of the file, or the name of the text.
    ugas_str file;
    // What is wrong.
    ugas_str message;
    // What to do; may be empty.
    ugas_str help;
    // One of ugas_severity.
    uint32_t severity;
    // From 1.
    uint32_t line;
    // From 1, in characters.
    uint32_t column;
    // Zero.
    uint32_t reserved;
} ugas_diagnostic;

// An attribute or a tag that a calculation reads.
typedef struct {
    // Its name.
    ugas_str name;
    // One of ugas_party.
    uint32_t party;
    // Not zero if an attribute is frozen when the effect is applied, instead of read at each execution.
    uint32_t frozen;
} ugas_reading;

// What a calculation is given. All lists are in the order of their declaration, and valid during the call.
typedef struct {
    // sizeof(ugas_calculation_input) of the library.
    size_t size;
    // The values of the attributes.
    const double *attributes;
    // For each tag, 1 if it or a descendant of it is there, and 0 if not.
    const uint8_t *tags;
    // The numbers that the caller of the effect provided; not a number where there is none.
    const double *magnitudes;
    // Random numbers from 0 to 1, 1 excluded, the same wherever the simulation is computed.
    const double *randoms;
    // The level of the effect.
    double level;
    // The controller that caused the effect; 0 if there is none.
    uint64_t source;
    // The controller that it is applied to.
    uint64_t target;
    // The stacks of the effect.
    uint32_t stacks;
    // Zero.
    uint32_t reserved;
} ugas_calculation_input;

// A change that a calculation wants.
typedef struct {
    // How much.
    double magnitude;
    // Which of the declared outputs.
    uint32_t output;
    // One of ugas_operation.
    uint32_t operation;
} ugas_calculation_change;

// Where a calculation leaves what it wants; zero at the beginning.
typedef struct {
    // sizeof(ugas_calculation_output) of the library.
    size_t size;
    // The result of a magnitude, or the verdict of a requirement: not zero is yes.
    double result;
    // The changes of an execution.
    ugas_calculation_change changes[UGAS_MOST_CHANGES];
    // How many of them there are.
    uint32_t change_count;
    // Not zero if the changes account for the stacks already; otherwise they are multiplied by them.
    uint32_t handles_stacks;
} ugas_calculation_output;

// A calculation. Returns 0 if all is well; anything else refuses the effect. It must be a function of its input: no clock,
// no global state, no random numbers of its own. It must not call this library, and no exception may leave it.
typedef uint32_t (*ugas_calculate)(void *user,
                                   const ugas_calculation_input *input,
                                   ugas_calculation_output *output);

// Frees what the host gave along with a callback.
typedef void (*ugas_free)(void *user);

// What a calculation needs. Everything is copied.
typedef struct {
    // sizeof(ugas_calculation).
    size_t size;
    // The name by which packs use it.
    ugas_str name;
    // The attributes that it reads.
    const ugas_reading *attributes;
    // How many there are.
    size_t attribute_count;
    // The tags that it asks for.
    const ugas_reading *tags;
    // How many there are.
    size_t tag_count;
    // The tags of numbers that the caller of the effect provides.
    const ugas_str *magnitudes;
    // How many there are.
    size_t magnitude_count;
    // The attributes of the target that it may change.
    const ugas_str *outputs;
    // How many there are.
    size_t output_count;
    // How many random numbers it wants.
    size_t random_count;
    // The calculation itself.
    ugas_calculate calculate;
    // Given to it.
    void *user;
    // Called with `user` once nothing can call the calculation any more, also if loading fails; may be null. If the
    // registration itself fails, `user` stays the host's. The thread is the one that gave up the last catalog with it.
    ugas_free free;
} ugas_calculation;

// Whether one point is seen from another; both have three numbers. Not zero is yes.
typedef uint32_t (*ugas_line_of_sight)(void *user, const double *from, const double *to);

// An area that is searched.
typedef struct {
    // sizeof(ugas_area) of the library.
    size_t size;
    // Where it begins.
    double position[3];
    // Where it points; zero if nowhere.
    double facing[3];
    // How far it reaches; infinite if it has no end.
    double range;
    // Half the opening of a cone, in degrees.
    double half_angle;
    // The width of a line.
    double width;
    // From the middle of a box to its faces.
    double half_extents[3];
    // One of ugas_shape.
    uint32_t shape;
    // Zero.
    uint32_t reserved;
} ugas_area;

// A controller of a simulation; 0 is none. Handles of what lives in simulations are checked when they are used: those of
// the dead find nothing.
typedef uint64_t ugas_controller;

// Who is in an area. Writes at most `capacity` controllers to `found`, in any order and each once, and the number of all
// to `count`; is asked again with more room if that is larger. Returns 0 to have the placements searched instead.
typedef uint32_t (*ugas_candidates)(void *user,
                                    const ugas_area *area,
                                    ugas_controller *found,
                                    size_t capacity,
                                    size_t *count);

// The host's world. Its answers become part of the simulation's course: they must be the same wherever it is computed.
// The functions must not call this library, and no exception may leave them.
typedef struct {
    // sizeof(ugas_space).
    size_t size;
    // May be null: then everything is seen from everywhere.
    ugas_line_of_sight line_of_sight;
    // May be null: then the placements are searched.
    ugas_candidates candidates;
    // Given to both.
    void *user;
    // Called with `user` once nothing can call them any more; may be null. If the registration itself fails, `user` stays
    // the host's.
    ugas_free free;
} ugas_space;

// A tag. Ids of definitions belong to a catalog; equal packs have equal ids.
typedef uint32_t ugas_tag;

// An attribute.
typedef uint32_t ugas_attribute;

// An attribute set.
typedef uint32_t ugas_attribute_set;

// The definition of an effect.
typedef uint32_t ugas_effect;

// The definition of an ability.
typedef uint32_t ugas_ability;

// How a simulation is set up. Zero means the library's own choice for every limit.
typedef struct {
    // sizeof(ugas_config).
    size_t size;
    // Of everything random.
    uint64_t seed;
    // Most operations that one call or timer may lead to.
    uint32_t cascade_limit;
    // Most controllers.
    uint32_t max_controllers;
    // Most effects on one controller.
    uint32_t max_effects_per_controller;
    // Most events that are kept for polling.
    uint32_t max_events;
    // Shortest period of an effect, in microseconds: whoever runs the packs of strangers sets it.
    int64_t min_period;
    // Not zero if the simulation predicts what an authority decides.
    uint32_t is_client;
    // Not zero to be told before each effect is applied.
    uint32_t audit;
} ugas_config;

// A simulation of this context.
typedef uint64_t ugas_simulation;

// An actor of the host's world, in the host's own numbers.
typedef uint64_t ugas_actor;

// What a controller is spawned from.
typedef struct {
    // sizeof(ugas_spawn).
    size_t size;
    // The name of a template of the catalog.
    ugas_str template_name;
    // The logical owner, if has_owner is not zero.
    ugas_actor owner;
    // Its figure in the world, if has_avatar is not zero.
    ugas_actor avatar;
    // Whether there is an owner.
    uint32_t has_owner;
    // Whether there is an avatar.
    uint32_t has_avatar;
} ugas_spawn;

// An attribute with its values.
typedef struct {
    // Without modifiers.
    double base;
    // With all of them.
    double current;
    // The attribute.
    ugas_attribute attribute;
    // Zero.
    uint32_t reserved;
} ugas_attribute_values;

// A tag of a controller.
typedef struct {
    // The tag.
    ugas_tag tag;
    // How often it was given itself, without its descendants.
    uint32_t count;
} ugas_tag_count;

// A condition on tags: all of the first list, one of the second unless it is empty, none of the third. A tag is there if
// a descendant of it is. All zeros hold for everybody.
typedef struct {
    // sizeof(ugas_tag_query).
    size_t size;
    // All of these.
    const ugas_tag *all;
    // How many there are.
    size_t all_count;
    // At least one of these.
    const ugas_tag *any;
    // How many there are.
    size_t any_count;
    // None of these.
    const ugas_tag *none;
    // How many there are.
    size_t none_count;
} ugas_tag_query;

// A number that the caller of an effect provides under a tag (SetByCaller).
typedef struct {
    // The number.
    double value;
    // The tag.
    ugas_tag tag;
    // Zero.
    uint32_t reserved;
} ugas_magnitude;

// One target.
typedef struct {
    // One of ugas_target_kind.
    uint32_t kind;
    // Which part of an actor was hit; the host's own number.
    uint32_t part;
    // The controller; of a hit it may be 0.
    ugas_controller controller;
    // The place, also that of a hit.
    double location[3];
    // Of a hit: the surface normal.
    double normal[3];
    // Of a hit: the distance travelled.
    double distance;
    // Of a hit: what was hit, if has_actor is not zero.
    ugas_actor actor;
    // Whether an actor was hit.
    uint32_t has_actor;
    // Zero.
    uint32_t reserved;
} ugas_target;

// An effect that is to be applied, with who and what caused it.
typedef struct {
    // sizeof(ugas_apply).
    size_t size;
    // Its level, if has_level is not zero; otherwise it is 1.
    double level;
    // Who caused it; 0 is nobody.
    ugas_controller source;
    // The granted ability that applies it; 0 is none.
    uint64_t ability;
    // Numbers that the effect asks for.
    const ugas_magnitude *magnitudes;
    // How many there are.
    size_t magnitude_count;
    // Tags that it grants beside its own.
    const ugas_tag *granted_tags;
    // How many there are.
    size_t granted_tag_count;
    // Tags that describe it beside its own.
    const ugas_tag *asset_tags;
    // How many there are.
    size_t asset_tag_count;
    // The hit that led to it; null is none.
    const ugas_target *hit;
    // What physically caused it, if has_causer is not zero.
    ugas_actor causer;
    // What it came from, if has_source_object is not zero.
    ugas_actor source_object;
    // Where it happens, if has_origin is not zero.
    double origin[3];
    // How long it lasts instead, if has_duration is not zero.
    int64_t duration;
    // How often it executes instead, if has_period is not zero.
    int64_t period;
    // The effect.
    ugas_effect effect;
    // Whether there is a level.
    uint32_t has_level;
    // Whether there is a causer.
    uint32_t has_causer;
    // Whether there is a source object.
    uint32_t has_source_object;
    // Whether there is an origin.
    uint32_t has_origin;
    // Whether there is a duration.
    uint32_t has_duration;
    // Whether there is a period.
    uint32_t has_period;
    // Zero.
    uint32_t reserved;
} ugas_apply;

// An effect that is running on a controller; 0 is none.
typedef uint64_t ugas_active_effect;

// Which running effects are meant. Every criterion that is given must hold; all zeros mean all.
typedef struct {
    // sizeof(ugas_effect_query).
    size_t size;
    // Caused by this controller, if it is not 0.
    ugas_controller source;
    // Over the tags of the effect, granted ones included; null is no condition.
    const ugas_tag_query *tags;
    // Over the tags of its source; null is no condition.
    const ugas_tag_query *source_tags;
    // Of this definition, if has_effect is not zero.
    ugas_effect effect;
    // Whether the definition counts.
    uint32_t has_effect;
    // With a modifier of this attribute, if has_attribute is not zero.
    ugas_attribute attribute;
    // Whether the attribute counts.
    uint32_t has_attribute;
} ugas_effect_query;

// What is known of a running effect. Times are in microseconds.
typedef struct {
    // Its handle.
    ugas_active_effect active;
    // Whom it is on.
    ugas_controller target;
    // Who caused it, and may be gone; 0 is nobody.
    ugas_controller source;
    // Its level.
    double level;
    // When it began.
    uint64_t started;
    // How long it lasts in all; -1 is for ever.
    int64_t duration;
    // How much of that is left; -1 is for ever.
    int64_t remaining;
    // Time between its executions; 0 if it has none.
    int64_t period;
    // Its definition.
    ugas_effect effect;
    // Its stacks.
    uint32_t stacks;
    // How often it has executed.
    uint32_t ticks;
    // Not zero if it waits for its turn.
    uint32_t is_queued;
    // Not zero if its ongoing requirements fail, so that it does nothing for now.
    uint32_t is_inhibited;
    // Zero.
    uint32_t reserved;
} ugas_effect_info;

// An ability that is to be granted.
typedef struct {
    // sizeof(ugas_grant).
    size_t size;
    // The input that activates it; empty is none.
    ugas_str input;
    // Tags that it has beside its own.
    const ugas_tag *tags;
    // How many there are.
    size_t tag_count;
    // What it came from, if has_source_object is not zero.
    ugas_actor source_object;
    // Whether there is a source object.
    uint32_t has_source_object;
    // Not zero to activate it at once.
    uint32_t activate;
    // The ability.
    ugas_ability ability;
    // Its level; 0 counts as 1.
    uint32_t level;
} ugas_grant;

// An ability that was granted to a controller; 0 is none.
typedef uint64_t ugas_granted_ability;

// What is known of a granted ability. Times are in microseconds.
typedef struct {
    // Its handle.
    ugas_granted_ability granted;
    // Whose it is.
    ugas_controller controller;
    // The last run of it that was begun and is not over; 0 if there is none.
    uint64_t activation;
    // What is left of its cooldown; 0 if it has cooled down.
    int64_t cooldown_remaining;
    // How long the cooldown is in all.
    int64_t cooldown_total;
    // The ability.
    ugas_ability ability;
    // Its level.
    uint32_t level;
    // One of ugas_ability_state.
    uint32_t state;
    // How many runs of it there are.
    uint32_t activation_count;
    // Its charges, if it has any.
    uint32_t charges;
    // Zero.
    uint32_t reserved;
} ugas_ability_info;

// Something that happened to a controller, for abilities to react to.
typedef struct {
    // sizeof(ugas_gameplay_event).
    size_t size;
    // How much.
    double magnitude;
    // Who caused it; 0 is nobody.
    ugas_controller instigator;
    // Whom it is about; 0 is nobody.
    ugas_controller target;
    // What kind.
    ugas_tag tag;
    // Zero.
    uint32_t reserved;
} ugas_gameplay_event;

// One run of a granted ability; 0 is none.
typedef uint64_t ugas_activation;

// A task of an ability that is under way; 0 is none.
typedef uint64_t ugas_task;

// What is known of a task.
typedef struct {
    // Its handle.
    ugas_task task;
    // Whose ability it is of.
    ugas_controller controller;
    // The run of the ability.
    uint64_t activation;
    // When it began, in microseconds.
    uint64_t started;
    // Its place in the ability's program.
    uint32_t step;
    // Zero.
    uint32_t reserved;
} ugas_task_info;

// Where a controller is and where it looks; zero if nowhere in particular.
typedef struct {
    // Where it is.
    double position[3];
    // Where it looks.
    double facing[3];
} ugas_placement;

// What led to an event. Zero and UGAS_NO_ID are none.
typedef struct {
    // Number of the call or timer that everything goes back to.
    uint64_t operation;
    // The running effect that did it.
    uint64_t active_effect;
    // Who caused the effect.
    ugas_controller source;
    // The granted ability that did it or applied the effect.
    uint64_t granted_ability;
    // The definition of the effect.
    uint32_t effect;
    // Zero.
    uint32_t reserved;
} ugas_cause;

// Another owner or avatar.
typedef struct {
    // The one before, if has_before is not zero.
    ugas_actor before;
    // The one now, if has_now is not zero.
    ugas_actor now;
    // Whether there was one.
    uint32_t has_before;
    // Whether there is one.
    uint32_t has_now;
} ugas_event_actor;

// A value that changed; or one that could not be evaluated, whose numbers are zero.
typedef struct {
    // Base before.
    double old_base;
    // Base now.
    double new_base;
    // Current value before.
    double old_value;
    // Current value now.
    double new_value;
    // Which.
    ugas_attribute attribute;
    // Zero.
    uint32_t reserved;
} ugas_event_attribute;

// An effect. What does not concern the event is zero.
typedef struct {
    // Its instance; 0 if it has none.
    uint64_t active;
    // The effect that makes the target immune.
    uint64_t by;
    // What is left of it, in microseconds; -1 is for ever.
    int64_t remaining;
    // The definition.
    ugas_effect effect;
    // One of ugas_removal_reason.
    uint32_t reason;
    // Stacks before.
    uint32_t old_stacks;
    // Stacks now, or those that a removed effect had.
    uint32_t stacks;
    // How many reasons a refusal has; ugas_event_reasons makes them readable.
    uint32_t reason_count;
    // The attribute that a modifier has nothing to act on.
    ugas_attribute attribute;
    // That modifier's place in the effect.
    uint32_t modifier;
    // Zero.
    uint32_t reserved;
} ugas_event_effect;

// An ability. What does not concern the event is zero.
typedef struct {
    // The grant; 0 if there is none.
    uint64_t granted;
    // The run.
    uint64_t activation;
    // The granted ability that cancelled it.
    uint64_t by;
    // How long the cooldown is, in microseconds; -1 is not known.
    int64_t cooldown;
    // The definition; UGAS_NO_ID if the event does not say.
    ugas_ability ability;
    // One of ugas_end_reason.
    uint32_t reason;
    // The tag that cancelled it; UGAS_NO_ID if none did.
    ugas_tag tag;
    // Level before.
    uint32_t old_level;
    // Level now.
    uint32_t level;
    // Charges now.
    uint32_t charges;
    // How many reasons a refusal has; ugas_event_reasons makes them readable.
    uint32_t reason_count;
    // Zero.
    uint32_t reserved;
} ugas_event_ability;

// A gameplay event.
typedef struct {
    // How much.
    double magnitude;
    // Who caused it; 0 is nobody.
    ugas_controller instigator;
    // Whom it is about; 0 is nobody.
    ugas_controller target;
    // What kind.
    ugas_tag tag;
    // Zero.
    uint32_t reserved;
} ugas_event_gameplay;

// An input.
typedef struct {
    // Which.
    ugas_str input;
    // How long it was held, in microseconds.
    int64_t held;
} ugas_event_input;

// A task. What does not concern the event is zero.
typedef struct {
    // The name of a task of the host.
    ugas_str kind;
    // The task, to be completed; 0 if the event is about a step of a program only.
    uint64_t task;
    // The ability; UGAS_NO_ID if the event does not say.
    ugas_ability ability;
    // Its place in the ability's program.
    uint32_t step;
    // Who decides when targets are chosen: 0 at once, 1 the user, 2 the host, 3 the host again and again.
    uint32_t confirmation;
    // How many reasons a failure has; ugas_event_reasons makes them readable.
    uint32_t reason_count;
} ugas_event_task;

// A cue.
typedef struct {
    // Magnitude of the modifier that the effect names.
    double magnitude;
    // Level of the effect.
    double level;
    // Where, if has_location is not zero.
    double location[3];
    // Which.
    ugas_tag cue;
    // Whether there is a place.
    uint32_t has_location;
} ugas_event_cue;

// A chain of effects that was cut.
typedef struct {
    // How many operations were dropped.
    uint32_t dropped;
    // Zero.
    uint32_t reserved;
} ugas_event_limit;

// What happened; the kind of the event says which part is meant. Its size stays as it is when parts are added.
typedef union {
    // Of changed owners and avatars.
    ugas_event_actor actor;
    // Of attribute sets that come and go.
    ugas_attribute_set attribute_set;
    // Of values.
    ugas_event_attribute attribute;
    // Of tags that come and go.
    ugas_tag tag;
    // Of effects.
    ugas_event_effect effect;
    // Of abilities.
    ugas_event_ability ability;
    // Of gameplay events.
    ugas_event_gameplay gameplay;
    // Of inputs.
    ugas_event_input input;
    // Of tasks.
    ugas_event_task task;
    // Of cues.
    ugas_event_cue cue;
    // Of chains that were cut.
    ugas_event_limit limit;
    // Of mistakes.
    ugas_str message;
    // The room that there is.
    uint64_t raw[12];
} ugas_event_body;

// Something that happened. `kind` says which part of `body` is meant; one that a host does not know is skipped by it.
typedef struct {
    // One of ugas_event_kind.
    uint32_t kind;
    // One of ugas_category: what is shown to players is the category UGAS_CATEGORY_CUE.
    uint32_t category;
    // Position in the stream.
    uint64_t sequence;
    // When, in microseconds.
    uint64_t time;
    // Whom it is about; 0 is nobody.
    ugas_controller controller;
    // What led to it.
    ugas_cause cause;
    // The prediction that it belongs to, if has_prediction is not zero.
    uint64_t prediction;
    // Whether it belongs to a prediction.
    uint32_t has_prediction;
    // Its place among those that were polled with it, for ugas_event_text and ugas_event_reasons.
    uint32_t index;
    // What happened.
    ugas_event_body body;
} ugas_event;

// A snapshot of this context.
typedef uint64_t ugas_snapshot;

// Bytes with a length.
typedef struct {
    // The first byte.
    const uint8_t *data;
    // How many bytes there are.
    size_t length;
} ugas_bytes;

// How a recording is made.
typedef struct {
    // sizeof(ugas_recording_settings).
    size_t size;
    // Ticks from one whole state to the next; 0 is the library's own choice.
    uint32_t key_every;
    // Not zero to leave the rules out of the recording: then it cannot be played without the pack.
    uint32_t omit_rules;
} ugas_recording_settings;

// What came of simulating a recording again.
typedef struct {
    // sizeof(ugas_verification).
    size_t size;
    // Ticks that were compared.
    uint64_t ticks;
    // Whole states that were compared.
    uint64_t key_frames;
    // The first tick that differs, if `differs` is not zero.
    uint64_t tick;
    // The hash as recorded.
    uint64_t recorded;
    // The hash now.
    uint64_t simulated;
    // Not zero if a tick differs.
    uint32_t differs;
    // Zero.
    uint32_t reserved;
} ugas_verification;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library's interface, to be compared with UGAS_ABI_VERSION of the header.
uint32_t ugas_abi_version(void);

// An anchor with the version in its name: a program that refers to it does not link with a library of another version.
uint32_t ugas_abi_1(void);

// A status in words, valid for ever.
ugas_str ugas_status_words(uint32_t status);

// Makes a context. Pass UGAS_ABI_VERSION; the result is to be freed with ugas_context_free.
ugas_status ugas_context_new(uint32_t abi_version, ugas_context **out);

// Frees a context with all that is in it, and sets the caller's pointer to null. Null, or a pointer to null, is fine.
// Copies of the pointer must not be used any more: this is the one handle that cannot be checked after its death.
ugas_status ugas_context_free(ugas_context **context);

// Why the last call with this context failed, in words; empty if it did not. Valid until the next call.
ugas_status ugas_last_error(const ugas_context *context, ugas_str *out);

// Why the rules refused the last call: each reason with its code and what was involved. `row_size` is
// sizeof(ugas_reason). Texts are valid until the next call.
ugas_status ugas_last_reasons(const ugas_context *context,
                              ugas_reason *out,
                              size_t row_size,
                              size_t capacity,
                              size_t *count);

// Seconds as the microseconds that this interface counts in: rounded to the nearest, saturating, and zero for what is no
// number.
int64_t ugas_micros_from_seconds(double seconds);

// Makes a loader, to be freed with ugas_loader_free.
ugas_status ugas_loader_new(ugas_context *context, ugas_loader *out);

// Frees a loader with its diagnostics. Zero is fine.
ugas_status ugas_loader_free(ugas_context *context, ugas_loader loader);

// Adds a file, or a folder with all that is in it. It is read by ugas_loader_load.
ugas_status ugas_loader_add_path(ugas_context *context, ugas_loader loader, ugas_str path);

// Adds a text as if it were a file of this name; a name that ends in `.json` makes it JSON. The text is copied.
ugas_status ugas_loader_add_text(ugas_context *context,
                                 ugas_loader loader,
                                 ugas_str name,
                                 ugas_str text);

// Loads all that was added, once. UGAS_STATUS_LOAD_FAILED if something is an error; in either case the diagnostics can
// be read until the loader is freed. The catalog is to be freed with ugas_catalog_free.
ugas_status ugas_loader_load(ugas_context *context,
                             ugas_loader loader,
                             ugas_catalog *out);

// What loading found, in order of file and position. `row_size` is sizeof(ugas_diagnostic).
ugas_status ugas_loader_diagnostics(ugas_context *context,
                                    ugas_loader loader,
                                    ugas_diagnostic *out,
                                    size_t row_size,
                                    size_t capacity,
                                    size_t *count);

// Registers a calculation with a loader, so that packs can use it by its name. Other threads may call it, if the catalog
// is shared with a context that they use.
ugas_status ugas_loader_add_calculation(ugas_context *context,
                                        ugas_loader loader,
                                        const ugas_calculation *calculation);

// Registers the host's world with a loader. Other threads may ask it, if the catalog is shared with a context that they
// use.
ugas_status ugas_loader_set_space(ugas_context *context,
                                  ugas_loader loader,
                                  const ugas_space *space);

// Frees a catalog. Simulations and snapshots of it live on. Zero is fine.
ugas_status ugas_catalog_free(ugas_context *context, ugas_catalog catalog);

// Makes a catalog known to another context too, for simulations on another thread. Both are freed by themselves.
ugas_status ugas_catalog_share(ugas_context *context,
                               ugas_catalog catalog,
                               ugas_context *other,
                               ugas_catalog *out);

// A hash of the rules: equal on machines that have the same.
ugas_status ugas_catalog_hash(ugas_context *context, ugas_catalog catalog, uint64_t *out);

// The tag of this name.
ugas_status ugas_catalog_tag(ugas_context *context, ugas_catalog catalog, ugas_str name, ugas_tag *out);

// The attribute of this name.
ugas_status ugas_catalog_attribute(ugas_context *context,
                                   ugas_catalog catalog,
                                   ugas_str name,
                                   ugas_attribute *out);

// The attribute set of this name.
ugas_status ugas_catalog_attribute_set(ugas_context *context,
                                       ugas_catalog catalog,
                                       ugas_str name,
                                       ugas_attribute_set *out);

// The effect of this name.
ugas_status ugas_catalog_effect(ugas_context *context, ugas_catalog catalog, ugas_str name, ugas_effect *out);

// The ability of this name.
ugas_status ugas_catalog_ability(ugas_context *context,
                                 ugas_catalog catalog,
                                 ugas_str name,
                                 ugas_ability *out);

// The name of a definition; `kind` is one of ugas_definition. Valid until the next call.
ugas_status ugas_catalog_name(ugas_context *context,
                              ugas_catalog catalog,
                              uint32_t kind,
                              uint32_t id,
                              ugas_str *out);

// Makes an empty simulation of a catalog, to be freed with ugas_simulation_free. `config` may be null.
ugas_status ugas_simulation_new(ugas_context *context,
                                ugas_catalog catalog,
                                const ugas_config *config,
                                ugas_simulation *out);

// Frees a simulation; a recording that is being made is ended as it is. Zero is fine.
ugas_status ugas_simulation_free(ugas_context *context, ugas_simulation simulation);

// Lets time pass. What is due happens in order; what happened is polled with ugas_events_poll.
ugas_status ugas_simulation_advance(ugas_context *context, ugas_simulation simulation, int64_t micros);

// The time of a simulation, in microseconds since it began.
ugas_status ugas_simulation_now(ugas_context *context, ugas_simulation simulation, uint64_t *out);

// A hash of the whole state: equal for simulations that will go on equally.
ugas_status ugas_simulation_hash(ugas_context *context, ugas_simulation simulation, uint64_t *out);

// Spawns a controller from a template.
ugas_status ugas_controller_spawn(ugas_context *context,
                                  ugas_simulation simulation,
                                  const ugas_spawn *spawn,
                                  ugas_controller *out);

// Takes a controller out, with all that is on it.
ugas_status ugas_controller_despawn(ugas_context *context,
                                    ugas_simulation simulation,
                                    ugas_controller controller);

// Gives a controller another avatar; none if `has_avatar` is zero.
ugas_status ugas_controller_set_avatar(ugas_context *context,
                                       ugas_simulation simulation,
                                       ugas_controller controller,
                                       ugas_actor avatar,
                                       uint32_t has_avatar);

// Gives a controller another owner; none if `has_owner` is zero.
ugas_status ugas_controller_set_owner(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_controller controller,
                                      ugas_actor owner,
                                      uint32_t has_owner);

// The controller whose avatar an actor is; 0 if there is none.
ugas_status ugas_controller_of_avatar(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_actor avatar,
                                      ugas_controller *out);

// All controllers, in the order of their handles. At most `capacity` are written; `count` gets the number of all.
ugas_status ugas_controllers(ugas_context *context,
                             ugas_simulation simulation,
                             ugas_controller *out,
                             size_t capacity,
                             size_t *count);

// A value of an attribute; `value` is one of ugas_value.
ugas_status ugas_attribute_read(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_controller controller,
                                ugas_attribute attribute,
                                uint32_t value,
                                double *out);

// Values of many attributes of many controllers at once: one row a controller, one column an attribute. `out` has room for
// controller_count × attribute_count numbers. What does not exist is not a number, and counted in `missing`, which may
// be null.
ugas_status ugas_attributes_read(ugas_context *context,
                                 ugas_simulation simulation,
                                 const ugas_controller *controllers,
                                 size_t controller_count,
                                 const ugas_attribute *attributes,
                                 size_t attribute_count,
                                 uint32_t value,
                                 double *out,
                                 size_t *missing);

// All attributes of a controller, in the order in which they are evaluated.
ugas_status ugas_attributes_of(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_controller controller,
                               ugas_attribute_values *out,
                               size_t row_size,
                               size_t capacity,
                               size_t *count);

// Whether a controller has a tag or a descendant of it: `out` gets 1 or 0.
ugas_status ugas_tag_has(ugas_context *context,
                         ugas_simulation simulation,
                         ugas_controller controller,
                         ugas_tag tag,
                         uint32_t *out);

// How often a controller has a tag: itself, and together with its descendants. Either pointer may be null.
ugas_status ugas_tag_counts(ugas_context *context,
                            ugas_simulation simulation,
                            ugas_controller controller,
                            ugas_tag tag,
                            uint32_t *own,
                            uint32_t *cumulative);

// The tags that were given to a controller, in the order of their ids.
ugas_status ugas_tags_of(ugas_context *context,
                         ugas_simulation simulation,
                         ugas_controller controller,
                         ugas_tag_count *out,
                         size_t row_size,
                         size_t capacity,
                         size_t *count);

// Whether a condition holds over the tags of a controller: `out` gets 1 or 0.
ugas_status ugas_tags_match(ugas_context *context,
                            ugas_simulation simulation,
                            ugas_controller controller,
                            const ugas_tag_query *query,
                            uint32_t *out);

// Applies an effect. `application` gets one of ugas_application and `active` the instance that it is part of, 0 if there
// is none; both may be null.
ugas_status ugas_effect_apply(ugas_context *context,
                              ugas_simulation simulation,
                              const ugas_apply *apply,
                              ugas_controller target,
                              uint32_t *application,
                              ugas_active_effect *active);

// Removes a running effect, or some of its stacks; 0 is all of them.
ugas_status ugas_effect_remove(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_active_effect active,
                               uint32_t stacks);

// Removes all effects on a controller that a query selects, or some of their stacks; 0 is all of them. `count`, which may
// be null, gets the number of effects. A null query is refused: it would remove everything.
ugas_status ugas_effects_remove(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_controller controller,
                                const ugas_effect_query *query,
                                uint32_t stacks,
                                uint32_t *count);

// The effects on a controller that a query selects, in the order of their application; all if it is null. `row_size` is
// sizeof(ugas_effect_info).
ugas_status ugas_effects_of(ugas_context *context,
                            ugas_simulation simulation,
                            ugas_controller controller,
                            const ugas_effect_query *query,
                            ugas_effect_info *out,
                            size_t row_size,
                            size_t capacity,
                            size_t *count);

// Changes how long a running effect lasts, counted from its start; a negative duration is for ever.
ugas_status ugas_effect_set_duration(ugas_context *context,
                                     ugas_simulation simulation,
                                     ugas_active_effect active,
                                     int64_t duration);

// Changes a number that the caller provided to a running effect.
ugas_status ugas_effect_set_magnitude(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_active_effect active,
                                      ugas_tag tag,
                                      double value);

// Grants an ability to a controller.
ugas_status ugas_ability_grant(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_controller controller,
                               const ugas_grant *grant,
                               ugas_granted_ability *out);

// Takes an ability away; runs of it are cancelled.
ugas_status ugas_ability_revoke(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_granted_ability granted);

// Gives an ability another level.
ugas_status ugas_ability_set_level(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_granted_ability granted,
                                   uint32_t level);

// Binds an ability to an input; an empty one unbinds it.
ugas_status ugas_ability_bind_input(ugas_context *context,
                                    ugas_simulation simulation,
                                    ugas_granted_ability granted,
                                    ugas_str input);

// The abilities of a controller, in the order of their grants. `row_size` is sizeof(ugas_ability_info).
ugas_status ugas_abilities_of(ugas_context *context,
                              ugas_simulation simulation,
                              ugas_controller controller,
                              ugas_ability_info *out,
                              size_t row_size,
                              size_t capacity,
                              size_t *count);

// What is known of one granted ability. `row_size` is sizeof(ugas_ability_info).
ugas_status ugas_ability_look(ugas_context *context,
                              ugas_simulation simulation,
                              ugas_granted_ability granted,
                              ugas_ability_info *out,
                              size_t row_size);

// Activates a granted ability on targets, because of an event; either may be none. Refused with all reasons.
ugas_status ugas_ability_activate(ugas_context *context,
                                  ugas_simulation simulation,
                                  ugas_granted_ability granted,
                                  const ugas_target *targets,
                                  size_t target_count,
                                  const ugas_gameplay_event *event,
                                  ugas_activation *out);

// Whether an ability could be activated on these targets now: UGAS_STATUS_OK, or UGAS_STATUS_REFUSED with all reasons.
// Changes nothing.
ugas_status ugas_ability_can_activate(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_granted_ability granted,
                                      const ugas_target *targets,
                                      size_t target_count);

// Commits a run: takes its cost and begins its cooldown. Abilities usually do that themselves.
ugas_status ugas_activation_commit(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_activation activation);

// Cancels a run.
ugas_status ugas_activation_cancel(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_activation activation);

// Ends a run as if it were done.
ugas_status ugas_activation_end(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_activation activation);

// Cancels all runs of a granted ability. `count`, which may be null, gets their number.
ugas_status ugas_ability_cancel(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_granted_ability granted,
                                uint32_t *count);

// Sends a gameplay event to a controller: abilities that it triggers are activated, tasks that wait for it go on.
ugas_status ugas_gameplay_event_send(ugas_context *context,
                                     ugas_simulation simulation,
                                     ugas_controller controller,
                                     const ugas_gameplay_event *event);

// The tasks that abilities of a controller wait for. `row_size` is sizeof(ugas_task_info).
ugas_status ugas_tasks_of(ugas_context *context,
                          ugas_simulation simulation,
                          ugas_controller controller,
                          ugas_task_info *out,
                          size_t row_size,
                          size_t capacity,
                          size_t *count);

// What kind of task it is: for those of the host, the name that the pack gives it. Valid until the next call.
ugas_status ugas_task_kind(ugas_context *context, ugas_simulation simulation, ugas_task task, ugas_str *out);

// The parameters of a task that the host carries out, as a JSON object. Valid until the next call.
ugas_status ugas_task_parameters(ugas_context *context,
                                 ugas_simulation simulation,
                                 ugas_task task,
                                 ugas_str *out);

// Says how a task that the host carries out went; `outcome` is one of ugas_task_outcome.
ugas_status ugas_task_complete(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_task task,
                               uint32_t outcome);

// Gives a task that waits for targets what was chosen.
ugas_status ugas_task_provide_targets(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_task task,
                                      const ugas_target *targets,
                                      size_t target_count);

// Whom a task that waits for targets would choose now: what a reticle shows. `row_size` is sizeof(ugas_target).
ugas_status ugas_task_preview_targets(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_task task,
                                      ugas_target *out,
                                      size_t row_size,
                                      size_t capacity,
                                      size_t *count);

// An input is pressed. `pressed` gets one of ugas_pressed and `activation` the run that began; both may be null.
// UGAS_STATUS_REFUSED, with the reasons, if the abilities that are bound to it cannot be activated; the input is held
// all the same.
ugas_status ugas_input_press(ugas_context *context,
                             ugas_simulation simulation,
                             ugas_controller controller,
                             ugas_str input,
                             uint32_t *pressed,
                             ugas_activation *activation);

// An input is released. UGAS_STATUS_NOT_FOUND if it was not held.
ugas_status ugas_input_release(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_controller controller,
                               ugas_str input);

// The player confirms what waits for it.
ugas_status ugas_input_confirm(ugas_context *context, ugas_simulation simulation, ugas_controller controller);

// The player declines what waits for a confirmation.
ugas_status ugas_input_decline(ugas_context *context, ugas_simulation simulation, ugas_controller controller);

// Says where many controllers are, each with the placement at the same place of the other list. All numbers must be
// finite, or nothing is changed. Those who do not exist are skipped and counted in `missing`, which may be null.
ugas_status ugas_placements_set(ugas_context *context,
                                ugas_simulation simulation,
                                const ugas_controller *controllers,
                                const ugas_placement *placements,
                                size_t count,
                                size_t *missing);

// Takes a controller out of the world: it is nowhere, and in no area.
ugas_status ugas_placement_clear(ugas_context *context,
                                 ugas_simulation simulation,
                                 ugas_controller controller);

// Says on whose side a controller is; an empty name is nobody's.
ugas_status ugas_team_set(ugas_context *context,
                          ugas_simulation simulation,
                          ugas_controller controller,
                          ugas_str team);

// Takes the oldest events, at most `capacity`; `count` gets their number. `row_size` is sizeof(ugas_event). Texts in them
// are valid until the next poll or restore of this simulation.
ugas_status ugas_events_poll(ugas_context *context,
                             ugas_simulation simulation,
                             ugas_event *out,
                             size_t row_size,
                             size_t capacity,
                             size_t *count);

// How many events wait to be polled, and how many were lost because nobody polled. Either pointer may be null.
ugas_status ugas_events_pending(ugas_context *context,
                                ugas_simulation simulation,
                                size_t *pending,
                                uint64_t *dropped);

// An event of the last poll in words, with names. Valid until the next call.
ugas_status ugas_event_text(ugas_context *context, ugas_simulation simulation, uint32_t index, ugas_str *out);

// The reasons of a refusal that an event of the last poll tells of, as the last reasons of the context: read them with
// ugas_last_reasons. `count`, which may be null, gets their number.
ugas_status ugas_event_reasons(ugas_context *context,
                               ugas_simulation simulation,
                               uint32_t index,
                               size_t *count);

// The cues that go on on a controller, each with how often it was begun: what a client shows that comes late.
ugas_status ugas_cues_of(ugas_context *context,
                         ugas_simulation simulation,
                         ugas_controller controller,
                         ugas_tag_count *out,
                         size_t row_size,
                         size_t capacity,
                         size_t *count);

// Where an attribute's value comes from, as a tree for people. Valid until the next call.
ugas_status ugas_explain_text(ugas_context *context,
                              ugas_simulation simulation,
                              ugas_controller controller,
                              ugas_attribute attribute,
                              ugas_str *out);

// Where an attribute's value comes from, as JSON with the fields of `ugas explain --format json`. Controllers are their
// handles. Valid until the next call.
ugas_status ugas_explain_json(ugas_context *context,
                              ugas_simulation simulation,
                              ugas_controller controller,
                              ugas_attribute attribute,
                              ugas_str *out);

// Everything about a controller as a page of text. Valid until the next call.
ugas_status ugas_controller_text(ugas_context *context,
                                 ugas_simulation simulation,
                                 ugas_controller controller,
                                 ugas_str *out);

// Keeps the state of a simulation as it is now, to be freed with ugas_snapshot_free. Events that were not polled are no
// part of it.
ugas_status ugas_snapshot_take(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_snapshot *out);

// Writes the state of a simulation over an older snapshot, whose memory is used again: what a rollback does every tick.
ugas_status ugas_snapshot_retake(ugas_context *context,
                                 ugas_simulation simulation,
                                 ugas_snapshot snapshot);

// Frees a snapshot. Zero is fine.
ugas_status ugas_snapshot_free(ugas_context *context, ugas_snapshot snapshot);

// Takes a simulation back to a snapshot; what follows is identical to what followed then. Events that were not polled are
// gone. Refused while a recording is made, which could not follow.
ugas_status ugas_snapshot_restore(ugas_context *context,
                                  ugas_simulation simulation,
                                  ugas_snapshot snapshot);

// The hash of a snapshot's state; that of a simulation which was restored to it is the same.
ugas_status ugas_snapshot_hash(ugas_context *context, ugas_snapshot snapshot, uint64_t *out);

// A snapshot as bytes, to be saved or sent. Valid until the next call.
ugas_status ugas_snapshot_bytes(ugas_context *context, ugas_snapshot snapshot, ugas_bytes *out);

// A snapshot from bytes, under the rules that it was taken under; to be freed with ugas_snapshot_free.
ugas_status ugas_snapshot_from_bytes(ugas_context *context,
                                     ugas_catalog catalog,
                                     ugas_bytes bytes,
                                     ugas_snapshot *out);

// Begins to record a simulation in memory, from its present state. `settings` may be null.
ugas_status ugas_recording_start(ugas_context *context,
                                 ugas_simulation simulation,
                                 const ugas_recording_settings *settings);

// Begins to record a simulation in a file, which is overwritten. `settings` may be null.
ugas_status ugas_recording_start_file(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_str path,
                                      const ugas_recording_settings *settings);

// Notes in the recording what a controller is called.
ugas_status ugas_recording_name(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_controller controller,
                                ugas_str name);

// Ends a recording. `out`, which may be null, gets the bytes of one that was made in memory, valid until the next call; of
// one in a file it gets nothing. Trouble with the file on the way is told here.
ugas_status ugas_recording_finish(ugas_context *context,
                                  ugas_simulation simulation,
                                  ugas_bytes *out);

// Simulates a recording again and compares every tick. By the rules of `catalog`, which it needs if they have native
// code or were left out; 0 is by its own.
ugas_status ugas_recording_verify(ugas_context *context,
                                  ugas_catalog catalog,
                                  ugas_bytes recording,
                                  ugas_verification *out);

// The same with a file.
ugas_status ugas_recording_verify_file(ugas_context *context,
                                       ugas_catalog catalog,
                                       ugas_str path,
                                       ugas_verification *out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* UGAS_H */
