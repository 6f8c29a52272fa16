/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * UGAS: a deterministic, engine-agnostic gameplay ability system. Its C interface.
 * Made from the source of ugas-ffi by `UPDATE_EXPECT=1 cargo test -p ugas-ffi --test it header`; do not edit.
 *
 * Rules, the same for every function
 *
 * - One pointer, many numbers. A `ugas_context` is the only object behind a pointer. Everything in it (loaders,
 *   catalogs, simulations, servers, clients, players, snapshots, mappers) is a number that the context checks: one that is
 *   dead, foreign or of another kind is refused with `UGAS_STATUS_BAD_HANDLE`. Servers, clients and players are simulations
 *   too, and taken wherever one is asked for. Controllers, effects, abilities, runs and tasks are numbers
 *   of a simulation: zero is none, those of the dead find nothing, and those of another simulation or kind are safe, but
 *   may find something else. See `docs/adr/0016-c-interface.md`.
 * - Statuses. A function that can fail returns a `ugas_status`; `ugas_last_error` has the words and
 *   `ugas_last_reasons` the reasons of a refusal. They are the context's, whichever thread asks. Results go through pointers
 *   that are checked before anything happens, so a call that fails has changed nothing, unless its own words say otherwise.
 * - Text is UTF-8 with a length, not ended by a zero. What a call gives out (text, bytes) is valid until the next call
 *   with the same context, which it may still be given to; `ugas_last_error` and `ugas_last_reasons` disturb nothing. What
 *   belongs to events that were polled is valid until the next poll of that simulation, server, client or player.
 * - Structures that go in or come out by themselves begin with their `size`, set by the caller; those in lists that
 *   come out have their size as an argument. So either side may be older: what it does not know is zero or left out.
 *   Rows of lists that go in (`ugas_target`, `ugas_placement`, `ugas_magnitude`, `ugas_reading`, `ugas_instigator`) stay as
 *   they are as long as `UGAS_ABI_VERSION` does.
 * - Memory that a call writes to must not overlap with what it reads. Whatever is given to a call is copied, and stays
 *   the caller's: nothing is kept but callbacks with their `user`, until their `free` is called. What has a `_free` function
 *   is freed with it, or with its context; nothing else is to be freed.
 * - Panics end here. One that happens anyhow is `UGAS_STATUS_PANIC`; free the simulation that was used.
 * - Callbacks are given data and leave data. They have to return: no exception of C++ and no `longjmp` may leave one.
 * - Threads. A context belongs to no thread, and is used by one at a time: a call while another is under way, from
 *   another thread or from inside a callback, is refused with `UGAS_STATUS_BUSY`, freeing included. Once it is freed nobody
 *   may use it, also no thread that was about to. Different contexts have nothing in common but catalogs that were shared
 *   on purpose, and there is no global state.
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

// The room that every datagram fits into, in bytes.
#define UGAS_MAX_DATAGRAM 1200

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
    // A snapshot or a recording is of other rules.
    UGAS_STATUS_OTHER_RULES = 14,
    // A file could not be read or written.
    UGAS_STATUS_IO = 15,
    // It cannot be done while a recording is made or played, or only then.
    UGAS_STATUS_RECORDING = 16,
    // It does not go together with networking: a server's time passes in `ugas_server_tick`, and a client's game is the
    // server's to change.
    UGAS_STATUS_NETWORKED = 17,
    // The server withholds the value of this attribute from the client: it is not replicated to it.
    UGAS_STATUS_NOT_REPLICATED = 18,
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
    // Only its cues were shown: a client leaves the rest to the server.
    UGAS_APPLICATION_SHOWN = 6,
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

// What is played on.
enum ugas_platform
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Computers.
    UGAS_PLATFORM_PC = 0,
    // Consoles.
    UGAS_PLATFORM_CONSOLE = 1,
    // Phones and tablets.
    UGAS_PLATFORM_MOBILE = 2,
    // Headsets.
    UGAS_PLATFORM_VR = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_platform ugas_platform;
#else
typedef uint32_t ugas_platform;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What an action did.
enum ugas_signal_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The first of its bindings is pressed.
    UGAS_SIGNAL_KIND_PRESSED = 0,
    // It fires: to be passed on with ugas_input_press or ugas_client_press.
    UGAS_SIGNAL_KIND_TRIGGERED = 1,
    // Its axes changed.
    UGAS_SIGNAL_KIND_VALUE = 2,
    // The last of its bindings is released: to be passed on with ugas_input_release or ugas_client_release.
    UGAS_SIGNAL_KIND_RELEASED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_signal_kind ugas_signal_kind;
#else
typedef uint32_t ugas_signal_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Why a press ended.
enum ugas_release_cause
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The player let go.
    UGAS_RELEASE_CAUSE_LET_GO = 0,
    // A binding of higher rank took the controls.
    UGAS_RELEASE_CAUSE_DISPLACED = 1,
    // Its set or binding does not apply any more.
    UGAS_RELEASE_CAUSE_INACTIVE = 2,
    // The host released everything.
    UGAS_RELEASE_CAUSE_FOCUS_LOST = 3,
    // Its controls were changed.
    UGAS_RELEASE_CAUSE_REMAPPED = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_release_cause ugas_release_cause;
#else
typedef uint32_t ugas_release_cause;
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
    // A wait that is not limited to one event was triggered: the tasks that follow it run, and it waits on (A10). Body: `task`.
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
    // A wait keeps no more occurrences, and later ones are dropped (A9). Body: `task`.
    UGAS_EVENT_KIND_OCCURRENCE_LIMIT = 55,
    // The explicit count of a tag changed (T6); raised when the configuration asks for tag counts, before the
    // UGAS_EVENT_KIND_TAG_ADDED or UGAS_EVENT_KIND_TAG_REMOVED that the same change leads to. Body: `tag_count`.
    UGAS_EVENT_KIND_TAG_COUNT_CHANGED = 56,
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

// What a change of a batch gave.
enum ugas_batch_result_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Nothing but that it is done, or was refused.
    UGAS_BATCH_RESULT_KIND_DONE = 0,
    // There was nothing to do: the run, the task or the held input was gone already.
    UGAS_BATCH_RESULT_KIND_NOTHING = 1,
    // `handle` is a controller.
    UGAS_BATCH_RESULT_KIND_SPAWNED = 2,
    // An effect was applied; `handle` is the instance that it is part of, 0 if there is none.
    UGAS_BATCH_RESULT_KIND_APPLIED = 3,
    // `count` effects were removed.
    UGAS_BATCH_RESULT_KIND_REMOVED = 4,
    // `handle` is a granted ability.
    UGAS_BATCH_RESULT_KIND_GRANTED = 5,
    // `handle` is a run.
    UGAS_BATCH_RESULT_KIND_ACTIVATED = 6,
    // `count` runs were cancelled or activated.
    UGAS_BATCH_RESULT_KIND_COUNTED = 7,
    // An input was pressed; `handle` is the run that it began, 0 if it began none.
    UGAS_BATCH_RESULT_KIND_PRESSED = 8,
    // `count` is the id of an effect that was defined.
    UGAS_BATCH_RESULT_KIND_DEFINED = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_batch_result_kind ugas_batch_result_kind;
#else
typedef uint32_t ugas_batch_result_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The form of a character's text.
enum ugas_text_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // YAML.
    UGAS_TEXT_FORMAT_YAML = 0,
    // JSON.
    UGAS_TEXT_FORMAT_JSON = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_text_format ugas_text_format;
#else
typedef uint32_t ugas_text_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What becomes of effects of a character whose instigator is not found.
enum ugas_orphans
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // They stay, with what they last knew of it.
    UGAS_ORPHANS_KEEP = 0,
    // Those that follow a live attribute of it go.
    UGAS_ORPHANS_DROP_FOLLOWERS = 1,
    // They go.
    UGAS_ORPHANS_DROP = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_orphans ugas_orphans;
#else
typedef uint32_t ugas_orphans;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Whether the state is the one that was recorded.
enum ugas_agreement
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Inside a tick, and at the beginning, no hash is known.
    UGAS_AGREEMENT_UNKNOWN = 0,
    // It is.
    UGAS_AGREEMENT_SAME = 1,
    // It is not: other rules, other native code or another library.
    UGAS_AGREEMENT_DIFFERS = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_agreement ugas_agreement;
#else
typedef uint32_t ugas_agreement;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Why a session ended.
enum ugas_bye_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Nobody was sent away: the client left.
    UGAS_BYE_REASON_LEFT = 0,
    // The server stops.
    UGAS_BYE_REASON_SHUTDOWN = 1,
    // Nothing was heard for too long.
    UGAS_BYE_REASON_TIMED_OUT = 2,
    // The host sent it away.
    UGAS_BYE_REASON_KICKED = 3,
    // It sent too much, or what no honest client sends.
    UGAS_BYE_REASON_MISBEHAVED = 4,
    // Something that this header has no name for.
    UGAS_BYE_REASON_OTHER = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_bye_reason ugas_bye_reason;
#else
typedef uint32_t ugas_bye_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Why a client was not let in.
enum ugas_refused_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Server and client are of different releases.
    UGAS_REFUSED_REASON_PROTOCOL = 0,
    // They have different rules.
    UGAS_REFUSED_REASON_CATALOG = 1,
    // They round numbers differently.
    UGAS_REFUSED_REASON_DICTIONARY = 2,
    // There is no room.
    UGAS_REFUSED_REASON_FULL = 3,
    // The host does not want it.
    UGAS_REFUSED_REASON_DENIED = 4,
    // Something that this header has no name for.
    UGAS_REFUSED_REASON_OTHER = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_refused_reason ugas_refused_reason;
#else
typedef uint32_t ugas_refused_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Why a command of a client was not carried out.
enum ugas_rejection
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Its tick was over.
    UGAS_REJECTION_TOO_LATE = 0,
    // Its tick was too far ahead.
    UGAS_REJECTION_TOO_EARLY = 1,
    // More commands than one may send.
    UGAS_REJECTION_TOO_MANY = 2,
    // A number is not finite, or something is longer than allowed.
    UGAS_REJECTION_MALFORMED = 3,
    // The controller is not the client's.
    UGAS_REJECTION_NOT_OWNER = 4,
    // The ability or run is not there, or not the controller's.
    UGAS_REJECTION_NOT_GRANTED = 5,
    // The ability may not be begun or ended by a client.
    UGAS_REJECTION_NOT_ALLOWED = 6,
    // Cost, cooldown, tags or another requirement of activation.
    UGAS_REJECTION_NOT_ACTIVATED = 7,
    // A target is not known, or cannot be reached.
    UGAS_REJECTION_NOT_REACHABLE = 8,
    // An effect that the ability may not apply.
    UGAS_REJECTION_EFFECT_NOT_ALLOWED = 9,
    // Nothing waits for it.
    UGAS_REJECTION_NOTHING_WAITS = 10,
    // Something that this header has no name for.
    UGAS_REJECTION_OTHER = 11,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_rejection ugas_rejection;
#else
typedef uint32_t ugas_rejection;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a controller is to those who see it: how often they hear of it (§13.6).
enum ugas_actor_class
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Somebody plays it.
    UGAS_ACTOR_CLASS_PLAYER = 0,
    // Nobody plays it, but everybody looks at it.
    UGAS_ACTOR_CLASS_IMPORTANT_AI = 1,
    // Far away, or in the background.
    UGAS_ACTOR_CLASS_DISTANT = 2,
    // It stands there: told whenever it changed.
    UGAS_ACTOR_CLASS_STATIC = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_actor_class ugas_actor_class;
#else
typedef uint32_t ugas_actor_class;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a server tells of.
enum ugas_server_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A client was let in: give it a controller.
    UGAS_SERVER_EVENT_KIND_JOINED = 0,
    // A client is gone; what it owned is nobody's now.
    UGAS_SERVER_EVENT_KIND_LEFT = 1,
    // A connection was not let in.
    UGAS_SERVER_EVENT_KIND_REFUSED = 2,
    // A task waited for a client for too long.
    UGAS_SERVER_EVENT_KIND_OVERDUE = 3,
    // A command was rejected, or several of one datagram for the same reason.
    UGAS_SERVER_EVENT_KIND_REJECTED = 4,
    // Something happened in the game.
    UGAS_SERVER_EVENT_KIND_GAME = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_server_event_kind ugas_server_event_kind;
#else
typedef uint32_t ugas_server_event_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What is seen of a controller to begin with.
enum ugas_lens_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // It is not even known that it exists.
    UGAS_LENS_KIND_HIDDEN = 0,
    // That it exists.
    UGAS_LENS_KIND_NOTHING = 1,
    // Tags and cues.
    UGAS_LENS_KIND_MINIMAL = 2,
    // Tags, cues, and abilities: the least for an owner.
    UGAS_LENS_KIND_MINIMAL_OWNER = 3,
    // Effects, attributes, tags and cues.
    UGAS_LENS_KIND_FULL = 4,
    // All that an owner needs to predict.
    UGAS_LENS_KIND_OWNER = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_lens_kind ugas_lens_kind;
#else
typedef uint32_t ugas_lens_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a client tells of. Changes are differences between what was shown before and what is shown now: each is told once,
// however often it was predicted.
enum ugas_client_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The server let the client in: `session`.
    UGAS_CLIENT_EVENT_KIND_CONNECTED = 0,
    // The server did not let the client in: `session`, with a ugas_refused_reason.
    UGAS_CLIENT_EVENT_KIND_REFUSED = 1,
    // The session is over: `session`, with a ugas_bye_reason.
    UGAS_CLIENT_EVENT_KIND_DISCONNECTED = 2,
    // A controller came into view: `own`.
    UGAS_CLIENT_EVENT_KIND_APPEARED = 3,
    // A controller is out of view, or gone.
    UGAS_CLIENT_EVENT_KIND_VANISHED = 4,
    // It became the client's own, or ceased to be: `own`.
    UGAS_CLIENT_EVENT_KIND_OWNERSHIP_CHANGED = 5,
    // A value changed: `attribute`.
    UGAS_CLIENT_EVENT_KIND_ATTRIBUTE_CHANGED = 6,
    // A tag appeared: `tag`.
    UGAS_CLIENT_EVENT_KIND_TAG_ADDED = 7,
    // A tag is gone: `tag`.
    UGAS_CLIENT_EVENT_KIND_TAG_REMOVED = 8,
    // An effect is there that was not: `effect`.
    UGAS_CLIENT_EVENT_KIND_EFFECT_ADDED = 9,
    // An effect is gone: `effect`.
    UGAS_CLIENT_EVENT_KIND_EFFECT_REMOVED = 10,
    // An effect that was predicted has another handle: `effect`, with old_active.
    UGAS_CLIENT_EVENT_KIND_EFFECT_RENAMED = 11,
    // An effect has more or fewer stacks: `effect`.
    UGAS_CLIENT_EVENT_KIND_STACKS_CHANGED = 12,
    // A looping cue is to be shown: `cue`.
    UGAS_CLIENT_EVENT_KIND_CUE_BEGAN = 13,
    // A looping cue is over: `cue`.
    UGAS_CLIENT_EVENT_KIND_CUE_ENDED = 14,
    // A cue flashes: `cue`.
    UGAS_CLIENT_EVENT_KIND_CUE_FLASHED = 15,
    // An ability was granted: `granted`.
    UGAS_CLIENT_EVENT_KIND_ABILITY_GRANTED = 16,
    // An ability was taken away: `granted`.
    UGAS_CLIENT_EVENT_KIND_ABILITY_REVOKED = 17,
    // The server began a run of an ability: `activation`.
    UGAS_CLIENT_EVENT_KIND_RUN_BEGAN = 18,
    // A run that the server began is over: `activation`.
    UGAS_CLIENT_EVENT_KIND_RUN_ENDED = 19,
    // Something happened that leaves nothing behind: `event`.
    UGAS_CLIENT_EVENT_KIND_HAPPENED = 20,
    // Something happened in an ability that only this player sees: `event`.
    UGAS_CLIENT_EVENT_KIND_LOCAL = 21,
    // Something that was told did not happen after all: `event`.
    UGAS_CLIENT_EVENT_KIND_RETRACTED = 22,
    // The server carried out a command: `command`.
    UGAS_CLIENT_EVENT_KIND_CONFIRMED = 23,
    // The server did not carry out a command; what was predicted of it is undone: `command`.
    UGAS_CLIENT_EVENT_KIND_REJECTED = 24,
    // What was predicted for a tick was not what happened: `tick`.
    UGAS_CLIENT_EVENT_KIND_CORRECTED = 25,
    // The server began to send the value of an attribute: `attribute`, of which old_value is not a number.
    UGAS_CLIENT_EVENT_KIND_ATTRIBUTE_SHOWN = 26,
    // The value of an attribute is no longer sent, and reads as UGAS_STATUS_NOT_REPLICATED: `attribute`, of which both
    // values are not numbers.
    UGAS_CLIENT_EVENT_KIND_ATTRIBUTE_HIDDEN = 27,
    // The explicit count of a tag changed (T6), for a client whose configuration asks for tag counts: `tag_count`.
    UGAS_CLIENT_EVENT_KIND_TAG_COUNT_CHANGED = 28,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_client_event_kind ugas_client_event_kind;
#else
typedef uint32_t ugas_client_event_kind;
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

// A loader of this context: collects files, loads them once, and keeps the diagnostics and the input documents until it is
// freed.
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

// A simulation of this context.
typedef uint64_t ugas_simulation;

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
    // Not zero to get UGAS_EVENT_KIND_TAG_COUNT_CHANGED for every change of a tag's explicit count (T6). A server made of the
    // simulation gets them, too.
    uint32_t tag_counts;
    // Zero.
    uint32_t reserved;
} ugas_config;

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

// Bytes with a length.
typedef struct {
    // The first byte.
    const uint8_t *data;
    // How many bytes there are.
    size_t length;
} ugas_bytes;

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
    // Context tags, such as Hit.Critical.
    const ugas_tag *context_tags;
    // Number of context tags.
    size_t context_tag_count;
    // Kind of the payload, a name of the host; empty is no payload.
    ugas_str payload_kind;
    // Payload, data of the host that reaches cues.
    ugas_bytes payload;
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
    // From this object, if has_source_object is not zero: what a sword that is put away gave.
    ugas_actor source_object;
    // Whether the object counts.
    uint32_t has_source_object;
    // Zero.
    uint32_t reserved;
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

// Cue that the host executes or adds, with its context.
typedef struct {
    // sizeof(ugas_cue).
    size_t size;
    // Magnitude of an executed cue; an added cue has none.
    double magnitude;
    // Controller that caused it; 0 is nobody.
    ugas_controller source;
    // Granted ability that it comes from; 0 is none.
    uint64_t ability;
    // Hit that led to it; null is none.
    const ugas_target *hit;
    // Actor that physically caused it, if has_causer is not zero.
    ugas_actor causer;
    // Object that it originated from, if has_source_object is not zero.
    ugas_actor source_object;
    // World location, if has_origin is not zero.
    double origin[3];
    // Context tags.
    const ugas_tag *context_tags;
    // Number of context tags.
    size_t context_tag_count;
    // Kind of the payload, a name of the host; empty is no payload.
    ugas_str payload_kind;
    // Payload, data of the host.
    ugas_bytes payload;
    // Tag of the cue.
    ugas_tag cue;
    // Whether there is a causer.
    uint32_t has_causer;
    // Whether there is a source object.
    uint32_t has_source_object;
    // Whether there is an origin.
    uint32_t has_origin;
} ugas_cue;

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

// What an ability set gave. The lists are valid until the next call: copy what is to be kept.
typedef struct {
    // sizeof(ugas_granted_set).
    size_t size;
    // Abilities.
    const ugas_granted_ability *abilities;
    // How many.
    size_t ability_count;
    // Effects, the one that grants the tags first.
    const ugas_active_effect *effects;
    // How many.
    size_t effect_count;
    // Attribute sets that the controller did not have before.
    const ugas_attribute_set *attribute_sets;
    // How many.
    size_t attribute_set_count;
} ugas_granted_set;

// A number with a name.
typedef struct {
    // The name.
    ugas_str name;
    // The number.
    double value;
} ugas_named_number;

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
    // Context tags, such as Hit.Critical.
    const ugas_tag *context_tags;
    // Number of context tags.
    size_t context_tag_count;
    // Target data: targets beside or instead of the target (A11).
    const ugas_target *targets;
    // Number of targets of the target data.
    size_t target_count;
    // Numbers of its payload: Event.Payload("name") in expressions.
    const ugas_named_number *payload;
    // Number of numbers of its payload.
    size_t payload_count;
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

// A mapper of this context: one for each player, beside the simulation.
typedef uint64_t ugas_mapper;

// Something that an action did. Texts are valid as long as the mapper is.
typedef struct {
    // The name of the action.
    ugas_str action;
    // The input by which it reaches abilities.
    ugas_str input;
    // The exact instant, in microseconds, not that of the call in which it was found.
    uint64_t time;
    // Of a release: how long it was pressed, in microseconds.
    int64_t held;
    // Of a value: the axes.
    double value[3];
    // One of ugas_signal_kind.
    uint32_t kind;
    // Of a release: one of ugas_release_cause.
    uint32_t cause;
} ugas_signal;

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

// Explicit count of a tag that changed.
typedef struct {
    // The tag.
    ugas_tag tag;
    // Count before.
    uint32_t old_count;
    // Count now.
    uint32_t count;
    // Zero.
    uint32_t reserved;
} ugas_event_tag_count;

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
    // Context tags of an effect that was applied or executed (E14), valid as long as the event.
    const ugas_tag *context_tags;
    // Number of context tags.
    size_t context_tag_count;
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

// A gameplay event. Its lists are valid as long as the event.
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
    // Context tags, such as Hit.Critical.
    const ugas_tag *context_tags;
    // Number of context tags.
    size_t context_tag_count;
    // Target data: targets beside or instead of the target.
    const ugas_target *targets;
    // Number of targets of the target data.
    size_t target_count;
    // Numbers of its payload, sorted by name.
    const ugas_named_number *payload;
    // Number of numbers of its payload.
    size_t payload_count;
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

// Context of a cue: cause, hit, levels, tags and payload (C1). Lists and texts are valid as long as the event.
typedef struct {
    // Controller that caused it; 0 is nobody.
    ugas_controller instigator;
    // Actor that physically caused it, if has_causer is not zero.
    ugas_actor causer;
    // Object that it originated from, if has_source_object is not zero.
    ugas_actor source_object;
    // Hit that led to it, with location and normal, if has_hit is not zero.
    ugas_target hit;
    // World location of the effect, if has_origin is not zero.
    double origin[3];
    // Duration of the effect in microseconds; -1 for an instant one, and for one without end.
    int64_t duration;
    // Tags of the source and of its ability, with all ancestors.
    const ugas_tag *source_tags;
    // Number of tags of the source.
    size_t source_tag_count;
    // Tags of the ability alone, with all ancestors.
    const ugas_tag *ability_tags;
    // Number of tags of the ability.
    size_t ability_tag_count;
    // Tags of the target, with all ancestors.
    const ugas_tag *target_tags;
    // Number of tags of the target.
    size_t target_tag_count;
    // Context tags, such as Hit.Critical.
    const ugas_tag *context_tags;
    // Number of context tags.
    size_t context_tag_count;
    // Kind of the payload; empty without a payload.
    ugas_str payload_kind;
    // Payload, data of the host.
    ugas_bytes payload;
    // Ability that it comes from; UGAS_NO_ID if there is none.
    ugas_ability ability;
    // Level of the ability; 0 without one.
    uint32_t ability_level;
    // Stacks of the effect.
    uint32_t stacks;
    // Whether there is a causer.
    uint32_t has_causer;
    // Whether there is a source object.
    uint32_t has_source_object;
    // Whether there is a hit.
    uint32_t has_hit;
    // Whether there is an origin.
    uint32_t has_origin;
    // Zero.
    uint32_t reserved;
} ugas_cue_details;

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
    // Rest of its context (C1), valid as long as the event; null if nothing is known of it, and of a cue that ends.
    const ugas_cue_details *details;
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
    // Of tags whose counts changed.
    ugas_event_tag_count tag_count;
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

// What a change of a batch came to.
typedef struct {
    // What the call would have returned by itself.
    uint32_t status;
    // One of ugas_batch_result_kind.
    uint32_t kind;
    // As the kind says.
    uint64_t handle;
    // As the kind says.
    uint32_t count;
    // Zero.
    uint32_t reserved;
} ugas_batch_result;

// A snapshot of this context.
typedef uint64_t ugas_snapshot;

// Who an instigator of a character's effects is here.
typedef struct {
    // What it was called; empty if it is known by its owner.
    ugas_str name;
    // The actor that owned it, if has_owner is not zero.
    ugas_actor owner;
    // Who it is here.
    ugas_controller controller;
    // Whether it is known by its owner.
    uint32_t has_owner;
    // Zero.
    uint32_t reserved;
} ugas_instigator;

// How a character is restored.
typedef struct {
    // sizeof(ugas_restore_options).
    size_t size;
    // Who instigators are here.
    const ugas_instigator *instigators;
    // How many.
    size_t instigator_count;
    // Another owner than it had, if has_owner is not zero.
    ugas_actor owner;
    // Another avatar than it had, if has_avatar is not zero.
    ugas_actor avatar;
    // Whether there is another owner.
    uint32_t has_owner;
    // Whether there is another avatar.
    uint32_t has_avatar;
    // One of ugas_orphans.
    uint32_t orphans;
    // Zero.
    uint32_t reserved;
} ugas_restore_options;

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

// A recording that is played, of this context. It is a simulation too: its number is good wherever a ugas_simulation is asked
// for, to look at the moment that it is at. Nothing changes it but the functions here; all else that would is refused with
// UGAS_STATUS_RECORDING. Freed with ugas_simulation_free.
typedef uint64_t ugas_player;

// Where a player is. Times are in microseconds.
typedef struct {
    // sizeof(ugas_player_position).
    size_t size;
    // Ticks that are over.
    uint64_t tick;
    // Ticks of the whole recording.
    uint64_t tick_count;
    // The time here.
    uint64_t time;
    // The time at the end.
    uint64_t end;
    // Commands of the next tick that were executed already.
    uint32_t command;
    // One of ugas_agreement.
    uint32_t agreement;
    // Not zero if nothing follows.
    uint32_t is_at_end;
    // Not zero if the recording was finished; otherwise whoever made it was interrupted, and it ends with its last whole tick.
    uint32_t is_complete;
} ugas_player_position;

// A connection as the host's transport knows it: an address, a socket; in the host's own numbers.
typedef uint64_t ugas_peer;

// Whether a connection is let in: not zero is yes. The credential is what the client said of itself.
typedef uint32_t (*ugas_admit)(void *user, ugas_peer peer, ugas_bytes credential);

// A client that a server let in, in the server's numbers.
typedef uint32_t ugas_client_id;

// One of ugas_actor_class, for a controller that is not the client's own.
typedef uint32_t (*ugas_classify)(void *user, ugas_client_id client, ugas_controller controller);

// A client's wish to act on a target.
typedef struct {
    // sizeof(ugas_reach) of the library.
    size_t size;
    // Who acts.
    ugas_controller instigator;
    // On what.
    ugas_target target;
    // The farthest that the ability's targeting goes; negative if it does not say.
    double range;
    // Where the target was when the client saw it, if has_seen is not zero.
    double seen_position[3];
    // The tick that the client saw when it acted.
    uint32_t seen_tick;
    // Who asks.
    ugas_client_id client;
    // What the library would answer: by distance, as far as that is known. Not zero is yes.
    uint32_t is_within_range;
    // Whether the position is known.
    uint32_t has_seen;
} ugas_reach;

// Whether a target can be reached: not zero is yes.
typedef uint32_t (*ugas_reaches)(void *user, const ugas_reach *reach);

// Whether a client may choose these targets together for an ability, each of which it sees and reaches: not zero is yes.
// `is_usual` says what the library would answer: not zero if nobody is named twice.
typedef uint32_t (*ugas_may_choose)(void *user,
                                    ugas_client_id client,
                                    ugas_ability ability,
                                    const ugas_target *targets,
                                    size_t target_count,
                                    uint32_t is_usual);

// Told of every rejected command with its ugas_rejection, and how many of this client's were rejected for it so far. Not
// zero sends the client away.
typedef uint32_t (*ugas_on_rejection)(void *user, ugas_client_id client, uint32_t rejection, uint32_t count);

// What a server asks the game; each function may be null, and the library decides then. They must not call this library,
// and no exception may leave them.
typedef struct {
    // sizeof(ugas_server_host).
    size_t size;
    // By default everybody is let in.
    ugas_admit admit;
    // By default all are UGAS_ACTOR_CLASS_IMPORTANT_AI.
    ugas_classify classify;
    // By default by distance.
    ugas_reaches reaches;
    // By default nobody may be named twice.
    ugas_may_choose may_choose;
    // By default everybody stays.
    ugas_on_rejection rejected;
    // Given to all of them.
    void *user;
    // Called with `user` when the server is freed; may be null. If ugas_server_new fails, `user` stays the host's.
    ugas_free free;
} ugas_server_host;

// How a server is set up. Zero means the library's own choice for every number.
typedef struct {
    // sizeof(ugas_server_config).
    size_t size;
    // What the server asks the game; may be null. It is copied.
    const ugas_server_host *host;
    // A client that is silent for longer is gone, in microseconds.
    int64_t timeout;
    // How long a cue that flashed is worth being sent, in microseconds.
    int64_t flash_lifetime;
    // How long a task may wait for a client, in microseconds.
    int64_t client_deadline;
    // How long a tick is, in microseconds: from a millisecond to a second.
    uint32_t tick_length;
    // Most clients at once.
    uint32_t max_clients;
    // How many ticks ahead commands may be stamped.
    uint32_t max_lead;
    // How many ticks late a command may come and still run.
    uint32_t grace;
    // Most datagrams of one client in a second.
    uint32_t datagrams_per_second;
    // Most commands of one client in a second.
    uint32_t commands_per_second;
    // Most bytes to one client in a second.
    uint32_t bytes_per_second;
    // How many ticks positions can be looked up in the past.
    uint32_t rewind;
    // Not zero to choose targets for a client that let its deadline pass; otherwise the run is cancelled.
    uint32_t generate_after_deadline;
    // Not zero if a client may say that a task which its host carries out went well.
    uint32_t trust_host_tasks;
    // Not zero if a client may say by which event an ability begins.
    uint32_t trust_events;
    // Not zero if clients see only what ugas_server_show shows them; otherwise they see all that is not hidden.
    uint32_t show_nothing;
} ugas_server_config;

// A server of this context. It is a simulation too: its number is good wherever a ugas_simulation is asked for, to look
// at the game and, between ticks, to change it. Freed with ugas_simulation_free.
typedef uint64_t ugas_server;

// What a server has counted.
typedef struct {
    // sizeof(ugas_server_statistics).
    size_t size;
    // Datagrams that came.
    uint64_t received;
    // Datagrams that could not be read, came from strangers or were too many.
    uint64_t dropped;
    // Datagrams that were sent.
    uint64_t sent;
    // Bytes that were sent.
    uint64_t sent_bytes;
    // Commands that ran.
    uint64_t commands;
    // Commands that were rejected.
    uint64_t rejected;
    // The newest tick that is over.
    uint32_t tick;
    // How long a tick is, in microseconds.
    uint32_t tick_length;
} ugas_server_statistics;

// What a server tells of. What does not concern the kind is zero.
typedef struct {
    // One of ugas_server_event_kind.
    uint32_t kind;
    // Of who left a ugas_bye_reason, of who was refused a ugas_refused_reason, of a command a ugas_rejection.
    uint32_t reason;
    // The client: of who joined, left or whose command was rejected.
    ugas_client_id client;
    // Zero.
    uint32_t reserved;
    // The connection: of who joined or was refused.
    ugas_peer peer;
    // The task that is overdue.
    ugas_task task;
    // What who joined said of itself. Valid until the next poll of this server.
    ugas_bytes credential;
    // The reason in words. Valid until the next poll of this server.
    ugas_str words;
    // What happened in the game.
    ugas_event game;
} ugas_server_event;

// A client that is in.
typedef struct {
    // How long a datagram takes to it and back, in microseconds; -1 is not known yet.
    int64_t round_trip;
    // Who.
    ugas_client_id client;
    // How many of its commands were rejected.
    uint32_t rejected;
} ugas_server_client;

// How many commands of a client were rejected for one reason.
typedef struct {
    // One of ugas_rejection.
    uint32_t rejection;
    // How many.
    uint32_t count;
} ugas_rejection_count;

// What is seen of a controller.
typedef struct {
    // sizeof(ugas_lens).
    size_t size;
    // These attributes instead of those of the kind; none is those of the kind.
    const ugas_attribute *attributes;
    // How many.
    size_t attribute_count;
    // One of ugas_lens_kind.
    uint32_t kind;
    // Not zero if the position goes with it.
    uint32_t placement;
} ugas_lens;

// How a client is set up. Zero means the library's own choice for every number but the nonce.
typedef struct {
    // sizeof(ugas_client_config).
    size_t size;
    // Tells its sessions apart: a number that was drawn, another for each.
    uint64_t nonce;
    // What the server's host decides on: a name, a ticket; at most 256 bytes. It is copied.
    ugas_bytes credential;
    // How long to wait before asking to be let in again, in microseconds.
    int64_t retry;
    // A server that is silent for longer is gone, in microseconds.
    int64_t timeout;
    // Most ticks that are predicted ahead of the server.
    uint32_t window;
    // Not zero to show what the player does only when the server has answered.
    uint32_t no_prediction;
    // Not zero to get UGAS_CLIENT_EVENT_KIND_TAG_COUNT_CHANGED for every change of a tag's explicit count (T6).
    uint32_t tag_counts;
    // Zero.
    uint32_t reserved;
} ugas_client_config;

// A client of this context. It is a simulation too: its number is good wherever a ugas_simulation is asked for, to look at
// what is shown. What the player does goes through the functions of the client; all else that would change the game is
// refused with UGAS_STATUS_NETWORKED. Freed with ugas_simulation_free.
typedef uint64_t ugas_client;

// How a client stands, and what it has counted.
typedef struct {
    // sizeof(ugas_client_statistics).
    size_t size;
    // Datagrams that came.
    uint64_t received;
    // Bytes that came.
    uint64_t received_bytes;
    // Datagrams that could not be read.
    uint64_t dropped;
    // Datagrams that were sent.
    uint64_t sent;
    // Bytes that were sent.
    uint64_t sent_bytes;
    // Commands that the server carried out.
    uint64_t confirmed;
    // Commands that the server rejected.
    uint64_t rejected;
    // Ticks of its own controllers that were predicted wrongly.
    uint64_t mispredicted;
    // Ticks that were played again.
    uint64_t replayed;
    // How long a datagram takes to the server and back, in microseconds; 0 before it was measured.
    int64_t round_trip;
    // Who it is, if is_playing is not zero.
    ugas_client_id client;
    // Whether it is in.
    uint32_t is_playing;
    // The tick that is shown.
    uint32_t tick;
    // The newest tick of the server's that it is built upon, if has_confirmed_tick is not zero.
    uint32_t confirmed_tick;
    // Whether there is one.
    uint32_t has_confirmed_tick;
    // Zero.
    uint32_t reserved;
} ugas_client_statistics;

// A command of a client: what its confirmation or rejection names, and the events that it led to. 0 is none.
typedef uint64_t ugas_command_key;

// Of a session.
typedef struct {
    // Who the client is.
    ugas_client_id client;
    // A ugas_refused_reason or ugas_bye_reason.
    uint32_t reason;
    // It in words. Valid until the next poll of this client.
    ugas_str words;
} ugas_client_event_session;

// Of a value.
typedef struct {
    // Current value before.
    double old_value;
    // Current value now.
    double new_value;
    // Which.
    ugas_attribute attribute;
    // Zero.
    uint32_t reserved;
} ugas_client_event_attribute;

// Of an effect. What does not concern the kind is zero, or UGAS_NO_ID.
typedef struct {
    // Its instance.
    uint64_t active;
    // Its instance before it was renamed.
    uint64_t old_active;
    // Its definition.
    ugas_effect effect;
    // Stacks before.
    uint32_t old_stacks;
    // Stacks now.
    uint32_t stacks;
    // Zero.
    uint32_t reserved;
} ugas_client_event_effect;

// Of a cue. Fields that do not concern the kind are zero.
typedef struct {
    // From whom; 0 is nobody.
    ugas_controller source;
    // How strong.
    double magnitude;
    // At what level.
    double level;
    // Where, if has_location is not zero.
    double location[3];
    // Since when it goes on, in microseconds of the game; -1 is not known.
    int64_t since;
    // Which.
    ugas_tag cue;
    // Whether there is a place.
    uint32_t has_location;
    // Rest of its context (C1), valid until the next poll of this client; null if nothing is known of it.
    const ugas_cue_details *details;
} ugas_client_event_cue;

// Of a command.
typedef struct {
    // Which.
    ugas_command_key command;
    // Why not, in words. Valid until the next poll of this client.
    ugas_str words;
    // Of one that was rejected: one of ugas_rejection.
    uint32_t rejection;
    // Of one that was carried out: how many ticks late.
    uint32_t shift;
} ugas_client_event_command;

// What a client tells of; the kind says which part is meant. Its size stays as it is when parts are added.
typedef union {
    // Of sessions.
    ugas_client_event_session session;
    // Not zero if the controller is the client's own.
    uint32_t own;
    // Of values.
    ugas_client_event_attribute attribute;
    // Of tags.
    ugas_tag tag;
    // Of tags whose counts changed.
    ugas_event_tag_count tag_count;
    // Of effects.
    ugas_client_event_effect effect;
    // Of cues.
    ugas_client_event_cue cue;
    // Of abilities.
    ugas_granted_ability granted;
    // Of runs.
    ugas_activation activation;
    // Of what happened.
    ugas_event event;
    // Of commands.
    ugas_client_event_command command;
    // Of corrections.
    uint32_t tick;
    // The room that there is.
    uint64_t raw[24];
} ugas_client_event_body;

// What a client tells of. Handles are those of the client's own simulation.
typedef struct {
    // One of ugas_client_event_kind; one that a host does not know is skipped by it.
    uint32_t kind;
    // Zero.
    uint32_t reserved;
    // Whom it is about; 0 is nobody.
    ugas_controller controller;
    // What happened.
    ugas_client_event_body body;
} ugas_client_event;

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

// Makes a catalog known to another context too, for simulations on another thread. Each is freed by itself, with
// ugas_catalog_free.
ugas_status ugas_catalog_share(ugas_context *context,
                               ugas_catalog catalog,
                               ugas_context *other,
                               ugas_catalog *out);

// The catalog that a simulation goes by, as an object of its own, to be freed with ugas_catalog_free: for whoever has only the
// simulation, such as a recording that brings its rules along.
ugas_status ugas_catalog_of(ugas_context *context,
                            ugas_simulation simulation,
                            ugas_catalog *out);

// A hash of the rules: equal on machines that have the same.
ugas_status ugas_catalog_hash(ugas_context *context, ugas_catalog catalog, uint64_t *out);

// The tag of this name.
ugas_status ugas_catalog_tag(ugas_context *context, ugas_catalog catalog, ugas_str name, ugas_tag *out);

// The description of a tag in the registry of the pack, for people and tools; empty if it has none. Valid until the next
// call.
ugas_status ugas_catalog_tag_description(ugas_context *context,
                                         ugas_catalog catalog,
                                         ugas_tag tag,
                                         ugas_str *out);

// The developers' comment on a tag in the registry of the pack; empty if it has none. Valid until the next call.
ugas_status ugas_catalog_tag_comment(ugas_context *context,
                                     ugas_catalog catalog,
                                     ugas_tag tag,
                                     ugas_str *out);

// Whether a tag has AllowMultiple in the registry of the pack: 1 or 0. Tags are counted in any case.
ugas_status ugas_catalog_tag_allows_multiple(ugas_context *context,
                                             ugas_catalog catalog,
                                             ugas_tag tag,
                                             uint8_t *out);

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

// Frees a simulation, a server or a client; a recording that is being made is ended as it is. Zero is fine.
ugas_status ugas_simulation_free(ugas_context *context, ugas_simulation simulation);

// Lets time pass. What is due happens in order; what happened is polled with ugas_events_poll. Refused for a server and
// a client, whose time passes in ugas_server_tick and ugas_client_update.
ugas_status ugas_simulation_advance(ugas_context *context,
                                    ugas_simulation simulation,
                                    int64_t micros);

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

// A value of an attribute; `value` is one of ugas_value. On a client, a value that the server withholds is refused with
// UGAS_STATUS_NOT_REPLICATED, and `out` is left alone.
ugas_status ugas_attribute_read(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_controller controller,
                                ugas_attribute attribute,
                                uint32_t value,
                                double *out);

// Values of many attributes of many controllers at once: one row a controller, one column an attribute. `out` has room for
// controller_count × attribute_count numbers. What does not exist or is withheld from this client is not a number, and
// counted in `missing`, which may be null.
ugas_status ugas_attributes_read(ugas_context *context,
                                 ugas_simulation simulation,
                                 const ugas_controller *controllers,
                                 size_t controller_count,
                                 const ugas_attribute *attributes,
                                 size_t attribute_count,
                                 uint32_t value,
                                 double *out,
                                 size_t *missing);

// All attributes of a controller, in the order in which they are evaluated. On a client, those whose values the server
// withholds are left out; `ugas_attribute_read` gives UGAS_STATUS_NOT_REPLICATED for them.
ugas_status ugas_attributes_of(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_controller controller,
                               ugas_attribute_values *out,
                               size_t row_size,
                               size_t capacity,
                               size_t *count);

// Gives a controller one more attribute set. Refused if it has it, or if an attribute would be there twice.
ugas_status ugas_attribute_set_register(ugas_context *context,
                                        ugas_simulation simulation,
                                        ugas_controller controller,
                                        ugas_attribute_set set);

// Takes an attribute set away from a controller, with its values.
ugas_status ugas_attribute_set_unregister(ugas_context *context,
                                          ugas_simulation simulation,
                                          ugas_controller controller,
                                          ugas_attribute_set set);

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

// Changes the level of a running effect: its magnitudes follow.
ugas_status ugas_effect_set_level(ugas_context *context,
                                  ugas_simulation simulation,
                                  ugas_active_effect active,
                                  double level);

// Creates an effect from a text that has it as a pack would: one document of the schema `gameplay_effect`. A name that ends
// in `.json` makes it JSON. Names in it are those of the simulation's catalog. `out` gets its id, which the catalog does not
// know; an equal one that is there already is given again. UGAS_STATUS_LOAD_FAILED, with all that is wrong, if the text
// cannot be used.
ugas_status ugas_effect_define(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_str name,
                               ugas_str text,
                               ugas_effect *out);

// Forgets an effect that was created while the game ran. Refused while an instance of it is active. Its id is not used
// again.
ugas_status ugas_effect_forget(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_effect effect);

// Executes a cue on a controller once. Clients that see the controller get it with its context.
ugas_status ugas_cue_execute(ugas_context *context,
                             ugas_simulation simulation,
                             ugas_controller controller,
                             const ugas_cue *cue);

// Adds a cue to a controller until ugas_cue_remove removes it. Several holders of one cue are counted. `active`, which may be
// null, gets the internal effect that holds the cue.
ugas_status ugas_cue_add(ugas_context *context,
                         ugas_simulation simulation,
                         ugas_controller controller,
                         const ugas_cue *cue,
                         ugas_active_effect *active);

// Removes a cue that ugas_cue_add added, the oldest of several. `count`, which may be null, gets 1, or 0 if there is none. A cue
// that an effect or an ability holds as well stays.
ugas_status ugas_cue_remove(ugas_context *context,
                            ugas_simulation simulation,
                            ugas_controller controller,
                            ugas_tag cue,
                            uint32_t *count);

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

// Takes an ability away once its last run is over; at once if none goes on.
ugas_status ugas_ability_revoke_on_end(ugas_context *context,
                                       ugas_simulation simulation,
                                       ugas_granted_ability granted);

// Changes a number of an ability that its pack declares as a parameter.
ugas_status ugas_ability_set_parameter(ugas_context *context,
                                       ugas_simulation simulation,
                                       ugas_granted_ability granted,
                                       ugas_str name,
                                       double value);

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

// Gives a controller the ability set of this name. All or nothing. `out` gets what that was.
ugas_status ugas_ability_set_grant(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_controller controller,
                                   ugas_str name,
                                   ugas_granted_set *out);

// Takes away what an ability set gave, as far as it is still there.
ugas_status ugas_ability_set_revoke(ugas_context *context,
                                    ugas_simulation simulation,
                                    ugas_controller controller,
                                    const ugas_granted_set *granted);

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

// Activates all abilities of a controller that have all of these tags. `count`, which may be null, gets how many were.
ugas_status ugas_abilities_activate(ugas_context *context,
                                    ugas_simulation simulation,
                                    ugas_controller controller,
                                    const ugas_tag *tags,
                                    size_t tag_count,
                                    uint32_t *count);

// Cancels all runs of a controller whose ability has one of the tags `with`, but for those that have one of `without`;
// without any tags, all runs but those of the granted ability `except`, which may be 0. Tags in `without` alone are refused:
// give `with` the tag that all abilities are below. `count`, which may be null, gets how many were.
ugas_status ugas_abilities_cancel(ugas_context *context,
                                  ugas_simulation simulation,
                                  ugas_controller controller,
                                  const ugas_tag *with,
                                  size_t with_count,
                                  const ugas_tag *without,
                                  size_t without_count,
                                  ugas_granted_ability except,
                                  uint32_t *count);

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

// How inputs of a controller that come too early are kept: for how many microseconds, and how many at most; a size of 0
// keeps none (§11.3).
ugas_status ugas_input_set_buffer(ugas_context *context,
                                  ugas_simulation simulation,
                                  ugas_controller controller,
                                  int64_t window,
                                  uint32_t size);

// Makes a mapper of the input documents that a loader has loaded, for one of ugas_platform; to be freed with
// ugas_mapper_free. It lives on when the loader is freed.
ugas_status ugas_mapper_new(ugas_context *context, ugas_loader loader, uint32_t platform, ugas_mapper *out);

// Frees a mapper. Zero is fine.
ugas_status ugas_mapper_free(ugas_context *context, ugas_mapper mapper);

// What a device reports at the time `now`: the new state of a control. A button has 1 or 0 in `x`, an axis its value; a
// stick has `y` too. The device is `Keyboard`, `Mouse`, `Gamepad`, `Touch`, `Gyro` or a name of the host's own. A control that
// nothing is bound to is fine.
ugas_status ugas_mapper_device(ugas_context *context,
                               ugas_mapper mapper,
                               uint64_t now,
                               ugas_str device,
                               ugas_str control,
                               double x,
                               double y,
                               double z);

// Lets the tags of a controller say which action sets are active: after they changed, or once a frame.
ugas_status ugas_mapper_tags(ugas_context *context,
                             ugas_mapper mapper,
                             uint64_t now,
                             ugas_simulation simulation,
                             ugas_controller controller);

// Allows an action set to be active, as all are in the beginning, or keeps it from that if `enabled` is zero.
ugas_status ugas_mapper_enable_set(ugas_context *context,
                                   ugas_mapper mapper,
                                   uint64_t now,
                                   ugas_str set,
                                   uint32_t enabled);

// Lets time pass: presses that have to be held come about.
ugas_status ugas_mapper_advance(ugas_context *context, ugas_mapper mapper, uint64_t now);

// Takes all controls as untouched: for when the window loses its focus, or a gamepad is unplugged.
ugas_status ugas_mapper_release_all(ugas_context *context, ugas_mapper mapper, uint64_t now);

// Takes the oldest signals, at most `capacity`; `count` gets their number. `row_size` is sizeof(ugas_signal).
ugas_status ugas_mapper_poll(ugas_context *context,
                             ugas_mapper mapper,
                             ugas_signal *out,
                             size_t row_size,
                             size_t capacity,
                             size_t *count);

// Binds a slot of an action to another control; with an empty control, to none. `conflicts`, which may be null, gets how
// many other bindings of the same set use just the same controls; they stay.
ugas_status ugas_mapper_remap(ugas_context *context,
                              ugas_mapper mapper,
                              ugas_str action,
                              uint32_t slot,
                              ugas_str device,
                              ugas_str control,
                              size_t *conflicts);

// What the player changed, as text to be saved; valid until the next call.
ugas_status ugas_mapper_save(ugas_context *context, ugas_mapper mapper, ugas_str *out);

// Takes what was saved; an empty text is the pack's own bindings. `skipped`, which may be null, gets how many lines mean
// nothing here any more.
ugas_status ugas_mapper_load(ugas_context *context,
                             ugas_mapper mapper,
                             ugas_str text,
                             size_t *skipped);

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

// Takes the oldest events, at most `capacity`; `count` gets their number. `row_size` is sizeof(ugas_event). Texts and
// lists in them are valid until the next poll, restore, reload or migration of this simulation. Of what is played, these are the events of
// the last movement.
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

// Begins a batch: what changes the simulation from now on is kept, in order, and happens in ugas_batch_end. Until then
// such calls say only whether they make sense, and write no results; what is read is the state from before. Refused for a
// client, and if a batch is open already.
ugas_status ugas_batch_begin(ugas_context *context,
                             ugas_simulation simulation);

// Carries a batch out: consequences are worked out once, at its end. `out` gets what became of each change, in order; at
// most `capacity` are written, and `count` gets the number of all. `row_size` is sizeof(ugas_batch_result).
ugas_status ugas_batch_end(ugas_context *context,
                           ugas_simulation simulation,
                           ugas_batch_result *out,
                           size_t row_size,
                           size_t capacity,
                           size_t *count);

// Forgets a batch: nothing of it happens.
ugas_status ugas_batch_drop(ugas_context *context, ugas_simulation simulation);

// Where an attribute's value comes from, as a tree for people. Valid until the next call.
ugas_status ugas_explain_text(ugas_context *context,
                              ugas_simulation simulation,
                              ugas_controller controller,
                              ugas_attribute attribute,
                              ugas_str *out);

// Where an attribute's value comes from, as JSON with the fields of `ugas explain --format json`, and `present`, which is
// false if the controller does not have the attribute. Controllers are their handles, which need 64 bits. Valid until the
// next call.
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
// gone. Refused while a recording is made, which could not follow, and for a server's or client's game.
ugas_status ugas_snapshot_restore(ugas_context *context,
                                  ugas_simulation simulation,
                                  ugas_snapshot snapshot);

// The hash of a snapshot's state; that of a simulation which was restored to it is the same.
ugas_status ugas_snapshot_hash(ugas_context *context, ugas_snapshot snapshot, uint64_t *out);

// A snapshot as bytes, to be saved or sent. Valid until the next call.
ugas_status ugas_snapshot_bytes(ugas_context *context, ugas_snapshot snapshot, ugas_bytes *out);

// The same with all the rules, for a saved game that outlives an update of its pack: ugas_simulation_migrate reads it under
// other rules, and ugas_snapshot_from_bytes under the same. Valid until the next call.
ugas_status ugas_snapshot_bytes_with_rules(ugas_context *context,
                                           ugas_snapshot snapshot,
                                           ugas_bytes *out);

// A snapshot from bytes, under the rules that it was taken under; to be freed with ugas_snapshot_free. The bytes may come
// from anybody: UGAS_STATUS_BAD_BYTES if they are none, UGAS_STATUS_OTHER_RULES if they are of another catalog.
ugas_status ugas_snapshot_from_bytes(ugas_context *context,
                                     ugas_catalog catalog,
                                     ugas_bytes bytes,
                                     ugas_snapshot *out);

// Takes a controller down as bytes, by names: attributes, tags, effects with their clocks, abilities. Changes nothing. Valid
// until the next call.
ugas_status ugas_character_bytes(ugas_context *context,
                                 ugas_simulation simulation,
                                 ugas_controller controller,
                                 ugas_bytes *out);

// The same as text; `format` is one of ugas_text_format.
ugas_status ugas_character_text(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_controller controller,
                                uint32_t format,
                                ugas_str *out);

// Restores a character from bytes as a new controller, whose clocks go on where they were. `options` may be null.
// `report`, which may be null, gets a line for each thing that is not as it was, valid until the next call; empty is all
// as it was.
ugas_status ugas_character_restore(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_bytes character,
                                   const ugas_restore_options *options,
                                   ugas_controller *out,
                                   ugas_str *report);

// The same from text; a name that ends in `.json` makes it JSON, and problems are told with it.
ugas_status ugas_character_restore_text(ugas_context *context,
                                        ugas_simulation simulation,
                                        ugas_str name,
                                        ugas_str text,
                                        const ugas_restore_options *options,
                                        ugas_controller *out,
                                        ugas_str *report);

// Puts a running simulation under another catalog, by names: handles stay, ids of definitions are those of the new catalog
// afterwards. All or nothing. `is_lossless` gets 0 if something could not go on, and `report` a line for each definition
// that differs and each thing that is not as it was, valid until the next call; both may be null. Refused while a
// recording is made, and for a server's or client's game.
ugas_status ugas_simulation_reload(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_catalog catalog,
                                   uint32_t *is_lossless,
                                   ugas_str *report);

// Goes on from a snapshot of ugas_snapshot_bytes_with_rules under the rules of this simulation, which may be others by now;
// what it was before is gone. One of these very rules needs none with it. All or nothing; `is_lossless` and `report` are
// those of ugas_simulation_reload. The bytes may come from anybody: UGAS_STATUS_BAD_BYTES if they are none,
// UGAS_STATUS_OTHER_RULES if they are of other rules and do not have them with them. Refused while a recording is made, and
// for a server's or client's game.
ugas_status ugas_simulation_migrate(ugas_context *context,
                                    ugas_simulation simulation,
                                    ugas_bytes snapshot,
                                    uint32_t *is_lossless,
                                    ugas_str *report);

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
// code or were left out; 0 is by its own. It takes as long as the recording asks for: one of a stranger is better verified
// with ugas_player_verify, which has a limit.
ugas_status ugas_recording_verify(ugas_context *context,
                                  ugas_catalog catalog,
                                  ugas_bytes recording,
                                  ugas_verification *out);

// The same with a file.
ugas_status ugas_recording_verify_file(ugas_context *context,
                                       ugas_catalog catalog,
                                       ugas_str path,
                                       ugas_verification *out);

// Plays a recording, from its beginning. By the rules of `catalog`, which it needs if they have native code or were left
// out; 0 is by its own, which ugas_catalog_of gives. The bytes are copied, and may come from anybody: `limit` is the most
// moments that one movement looks at, so that nobody waits for years for what a stranger wrote; 0 is no limit. To be freed
// with ugas_simulation_free.
ugas_status ugas_player_new(ugas_context *context,
                            ugas_catalog catalog,
                            ugas_bytes recording,
                            uint64_t limit,
                            ugas_player *out);

// The same with a file, which is read while it is played. To be freed with ugas_simulation_free.
ugas_status ugas_player_new_file(ugas_context *context,
                                 ugas_catalog catalog,
                                 ugas_str path,
                                 uint64_t limit,
                                 ugas_player *out);

// Where a player is.
ugas_status ugas_player_look(ugas_context *context, ugas_player player, ugas_player_position *out);

// Goes to the moment after so many ticks, ahead or back, at most to the end. What happened on the way is polled with
// ugas_events_poll, the last few thousand events of a long one. If something in between cannot be read, or the limit is
// reached, it stays where it came to.
ugas_status ugas_player_seek_tick(ugas_context *context,
                                  ugas_player player,
                                  uint64_t tick);

// Goes to a time, also inside a tick; the rest is as with ugas_player_seek_tick.
ugas_status ugas_player_seek_time(ugas_context *context, ugas_player player, uint64_t time);

// Goes to the end of the tick that it is in, or of the next one. `has_moved`, which may be null, gets 0 at the end of the
// recording; the rest is as with ugas_player_seek_tick.
ugas_status ugas_player_step(ugas_context *context,
                             ugas_player player,
                             uint32_t *has_moved);

// Goes back to the beginning of the tick that it is in, or of the one before. `has_moved`, which may be null, gets 0 at the
// beginning of the recording; the rest is as with ugas_player_seek_tick.
ugas_status ugas_player_back(ugas_context *context,
                             ugas_player player,
                             uint32_t *has_moved);

// The controller that ugas_recording_name gave this name; one that lives here, if there are several.
ugas_status ugas_player_controller(ugas_context *context,
                                   ugas_player player,
                                   ugas_str name,
                                   ugas_controller *out);

// What a controller is called in the recording. Valid until the next call. UGAS_STATUS_NOT_FOUND if it has no name.
ugas_status ugas_player_name(ugas_context *context,
                             ugas_player player,
                             ugas_controller controller,
                             ugas_str *out);

// ugas_recording_verify within the limit of a player, which is at the beginning then and has no events.
ugas_status ugas_player_verify(ugas_context *context, ugas_player player, ugas_verification *out);

// Makes a server of a simulation, which it takes over: the number of the simulation is dead afterwards, and `out` gets
// that of the server, to be freed with ugas_simulation_free. `config` may be null. Refused while a recording of the
// simulation is made or a batch is open.
ugas_status ugas_server_new(ugas_context *context,
                            ugas_simulation simulation,
                            const ugas_server_config *config,
                            ugas_server *out);

// Takes a datagram that came from `peer` at the time `now`, in microseconds of the host's clock, which never runs
// backwards. Whatever is in it, the game changes in ugas_server_tick only.
ugas_status ugas_server_receive(ugas_context *context,
                                ugas_server server,
                                uint64_t now,
                                ugas_peer peer,
                                ugas_bytes datagram);

// Lets one tick pass at the time `now`: commands that are due run, the game goes on, and clients are told. Call it once
// for every tick length.
ugas_status ugas_server_tick(ugas_context *context,
                             ugas_server server,
                             uint64_t now);

// Takes the oldest datagram that waits to be sent, and says to whom; `length` gets 0 if none does. A buffer of
// UGAS_MAX_DATAGRAM bytes is always enough; a datagram that does not fit stays where it is.
ugas_status ugas_server_transmit(ugas_context *context,
                                 ugas_server server,
                                 ugas_peer *peer,
                                 uint8_t *buffer,
                                 size_t capacity,
                                 size_t *length);

// What a server has counted.
ugas_status ugas_server_look(ugas_context *context, ugas_server server, ugas_server_statistics *out);

// Takes the oldest events, at most `capacity`; `count` gets their number. `row_size` is sizeof(ugas_event). Texts and
// lists in them are valid until the next poll, restore, reload or migration of this simulation. Of what is played, these are the events of
// the last movement.
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

// Takes the oldest events of a server, at most `capacity`; `count` gets their number. `row_size` is
// sizeof(ugas_server_event). Events of the game can be told in words by ugas_event_text, with their index.
ugas_status ugas_server_events_poll(ugas_context *context,
                                    ugas_server server,
                                    ugas_server_event *out,
                                    size_t row_size,
                                    size_t capacity,
                                    size_t *count);

// The clients that are in. `row_size` is sizeof(ugas_server_client).
ugas_status ugas_server_clients(ugas_context *context,
                                ugas_server server,
                                ugas_server_client *out,
                                size_t row_size,
                                size_t capacity,
                                size_t *count);

// Why commands of a client were rejected, and how often. `row_size` is sizeof(ugas_rejection_count).
ugas_status ugas_server_rejections(ugas_context *context,
                                   ugas_server server,
                                   ugas_client_id client,
                                   ugas_rejection_count *out,
                                   size_t row_size,
                                   size_t capacity,
                                   size_t *count);

// Makes a controller a client's own: it may act with it, and predicts it.
ugas_status ugas_server_give(ugas_context *context,
                             ugas_server server,
                             ugas_controller controller,
                             ugas_client_id client);

// Makes a controller nobody's own.
ugas_status ugas_server_take_back(ugas_context *context, ugas_server server, ugas_controller controller);

// Whose own a controller is. UGAS_STATUS_NOT_FOUND if it is nobody's.
ugas_status ugas_server_owner(ugas_context *context,
                              ugas_server server,
                              ugas_controller controller,
                              ugas_client_id *out);

// Shows a controller to a client; unless show_nothing was set, that goes by itself.
ugas_status ugas_server_show(ugas_context *context,
                             ugas_server server,
                             ugas_controller controller,
                             ugas_client_id client);

// Takes a controller out of a client's view. Its own ones stay.
ugas_status ugas_server_hide(ugas_context *context,
                             ugas_server server,
                             ugas_controller controller,
                             ugas_client_id client);

// Chooses what is seen of a controller, by its owner if `own` is not zero and by all others if it is, instead of what
// its replication mode says.
ugas_status ugas_server_set_lens(ugas_context *context,
                                 ugas_server server,
                                 ugas_controller controller,
                                 uint32_t own,
                                 const ugas_lens *lens);

// Sends a client away. It is told so.
ugas_status ugas_server_kick(ugas_context *context, ugas_server server, ugas_client_id client);

// The transport lost a connection. One that is not known is fine.
ugas_status ugas_server_disconnected(ugas_context *context, ugas_server server, ugas_peer peer);

// Ends all sessions; the clients are told by the datagrams that wait then. The game stays.
ugas_status ugas_server_shut_down(ugas_context *context, ugas_server server);

// Makes a client of a server with the same rules, to be freed with ugas_simulation_free. It asks to be let in by the first
// ugas_client_update.
ugas_status ugas_client_new(ugas_context *context,
                            ugas_catalog catalog,
                            const ugas_client_config *config,
                            ugas_client *out);

// Takes a datagram that came from the server at the time `now`, in microseconds of the host's clock, which never runs
// backwards.
ugas_status ugas_client_receive(ugas_context *context,
                                ugas_client client,
                                uint64_t now,
                                ugas_bytes datagram);

// Lets time pass up to `now`: ticks are played, and what the player did is sent. Call it as often as a frame is drawn.
ugas_status ugas_client_update(ugas_context *context,
                               ugas_client client,
                               uint64_t now);

// Takes the oldest datagram that waits to be sent to the server; `length` gets 0 if none does. A buffer of
// UGAS_MAX_DATAGRAM bytes is always enough; a datagram that does not fit stays where it is.
ugas_status ugas_client_transmit(ugas_context *context,
                                 ugas_client client,
                                 uint8_t *buffer,
                                 size_t capacity,
                                 size_t *length);

// Leaves. The server is told by the datagram that waits then.
ugas_status ugas_client_leave(ugas_context *context, ugas_client client);

// Switches prediction on, or off if `predicts` is zero.
ugas_status ugas_client_set_prediction(ugas_context *context, ugas_client client, uint32_t predicts);

// How a client stands, and what it has counted.
ugas_status ugas_client_look(ugas_context *context, ugas_client client, ugas_client_statistics *out);

// The client's own controllers. At most `capacity` are written; `count` gets the number of all.
ugas_status ugas_client_own_controllers(ugas_context *context,
                                        ugas_client client,
                                        ugas_controller *out,
                                        size_t capacity,
                                        size_t *count);

// The server's handle of a controller that the client sees: what both sides can talk about.
ugas_status ugas_client_remote(ugas_context *context,
                               ugas_client client,
                               ugas_controller controller,
                               ugas_controller *out);

// The client's handle of a controller of the server's. UGAS_STATUS_NOT_FOUND while it does not see it.
ugas_status ugas_client_local(ugas_context *context,
                              ugas_client client,
                              ugas_controller remote,
                              ugas_controller *out);

// Takes the oldest events, at most `capacity`; `count` gets their number. `row_size` is sizeof(ugas_event). Texts and
// lists in them are valid until the next poll, restore, reload or migration of this simulation. Of what is played, these are the events of
// the last movement.
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

// Asks to activate an ability on targets, because of an event; either may be none. One that is predicted is refused at
// once, with the reasons, if it cannot be. `out`, which may be null, gets the command.
ugas_status ugas_client_activate(ugas_context *context,
                                 ugas_client client,
                                 ugas_granted_ability granted,
                                 const ugas_target *targets,
                                 size_t target_count,
                                 const ugas_gameplay_event *event,
                                 ugas_command_key *out);

// Activates an ability that runs on this machine only, on a copy of the world; nothing is sent. What happens there are
// events of the kind UGAS_CLIENT_EVENT_KIND_LOCAL. `out`, which may be null, gets the run, for ugas_client_cancel_local.
ugas_status ugas_client_activate_local(ugas_context *context,
                                       ugas_client client,
                                       ugas_granted_ability granted,
                                       const ugas_target *targets,
                                       size_t target_count,
                                       const ugas_gameplay_event *event,
                                       ugas_activation *out);

// Cancels a run of an ability that runs on this machine only. UGAS_STATUS_NOT_FOUND if it is over.
ugas_status ugas_client_cancel_local(ugas_context *context, ugas_client client, ugas_activation activation);

// Asks to end a run. `out`, which may be null, gets the command.
ugas_status ugas_client_end(ugas_context *context,
                            ugas_client client,
                            ugas_activation activation,
                            ugas_command_key *out);

// Asks to cancel a run. `out`, which may be null, gets the command.
ugas_status ugas_client_cancel(ugas_context *context,
                               ugas_client client,
                               ugas_activation activation,
                               ugas_command_key *out);

// The run that a command began. Handles of what is predicted are good until the next ugas_client_update; its command
// stays. UGAS_STATUS_NOT_FOUND if it has not begun, or is over.
ugas_status ugas_client_run_of(ugas_context *context,
                               ugas_client client,
                               ugas_command_key command,
                               ugas_activation *out);

// Asks to end the run that a command begins, also one of this very tick. `out`, which may be null, gets the new command.
ugas_status ugas_client_end_begun(ugas_context *context,
                                  ugas_client client,
                                  ugas_command_key command,
                                  ugas_command_key *out);

// Gives targets to the first branch of the run that a command begins, also one of this very tick. `out`, which may be
// null, gets the new command.
ugas_status ugas_client_target_begun(ugas_context *context,
                                     ugas_client client,
                                     ugas_command_key command,
                                     const ugas_target *targets,
                                     size_t target_count,
                                     ugas_command_key *out);

// An input is pressed. `out`, which may be null, gets the command.
ugas_status ugas_client_press(ugas_context *context,
                              ugas_client client,
                              ugas_controller controller,
                              ugas_str input,
                              ugas_command_key *out);

// An input is released. `out`, which may be null, gets the command.
ugas_status ugas_client_release(ugas_context *context,
                                ugas_client client,
                                ugas_controller controller,
                                ugas_str input,
                                ugas_command_key *out);

// Confirms what waits for the player. `out`, which may be null, gets the command.
ugas_status ugas_client_confirm(ugas_context *context,
                                ugas_client client,
                                ugas_controller controller,
                                ugas_command_key *out);

// Declines what waits for the player. `out`, which may be null, gets the command.
ugas_status ugas_client_decline(ugas_context *context,
                                ugas_client client,
                                ugas_controller controller,
                                ugas_command_key *out);

// Gives a task that waits for targets what the player chose. `out`, which may be null, gets the command.
ugas_status ugas_client_provide_targets(ugas_context *context,
                                        ugas_client client,
                                        ugas_task task,
                                        const ugas_target *targets,
                                        size_t target_count,
                                        ugas_command_key *out);

// Says how a task that the client's host carries out went, with one of ugas_task_outcome; the server takes that only if
// it trusts its clients so far. `out`, which may be null, gets the command.
ugas_status ugas_client_complete_task(ugas_context *context,
                                      ugas_client client,
                                      ugas_task task,
                                      uint32_t outcome,
                                      ugas_command_key *out);

// Takes the oldest events of a client, at most `capacity`; `count` gets their number. `row_size` is
// sizeof(ugas_client_event). Those with an `event` can be told in words by ugas_event_text, with its index.
ugas_status ugas_client_events_poll(ugas_context *context,
                                    ugas_client client,
                                    ugas_client_event *out,
                                    size_t row_size,
                                    size_t capacity,
                                    size_t *count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* UGAS_H */
