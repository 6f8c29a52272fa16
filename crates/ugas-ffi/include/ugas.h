/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * UGAS: a deterministic, engine-agnostic gameplay ability system. Its C interface.
 * Generated from the source of ugas-ffi by `UPDATE_EXPECT=1 cargo test -p ugas-ffi --test it header`; do not edit.
 *
 * Rules, the same for every function
 *
 * - One pointer, many handles. A `ugas_context` is the only object behind a pointer. Everything in it (loaders,
 *   catalogs, simulations, servers, clients, players, snapshots, mappers) is a 64-bit handle that the context checks: a
 *   freed handle, or one of another context or kind, is refused with `UGAS_STATUS_BAD_HANDLE`. Servers, clients and
 *   players are simulations too, and are accepted wherever a simulation is. Controllers, effects, abilities, activations
 *   and tasks are handles of a simulation: zero is none, a dead one finds nothing, and one of another simulation or kind
 *   is safe, but may find something else. See `docs/adr/0016-c-interface.md`.
 * - Statuses. A function that can fail returns a `ugas_status`; `ugas_last_error` has the message and
 *   `ugas_last_reasons` the reasons of a refusal. Both belong to the context, not to a thread. Results go through pointers
 *   that are checked before anything happens, so a call that fails has changed nothing, unless its own comment says
 *   otherwise.
 * - Text is UTF-8 with a length, without a terminating zero. Text and bytes that a call returns are valid until the
 *   next call with the same context, and may be passed to that call; `ugas_last_error` and `ugas_last_reasons` do not
 *   invalidate them. Text and lists in polled events are valid until the next poll of that simulation, server, client or
 *   player.
 * - Structures that are passed or returned by themselves begin with their `size`, set by the caller; for lists of
 *   structures that are returned, the size of a row is an argument. So either side may be older: fields that it does not
 *   know are zero or left out. Rows of lists that are passed in (`ugas_target`, `ugas_placement`, `ugas_magnitude`,
 *   `ugas_reading`, `ugas_instigator`) do not change as long as `UGAS_ABI_VERSION` does not.
 * - Memory that a call writes to must not overlap with memory that it reads. Arguments are copied and stay the
 *   caller's: nothing is kept but callbacks with their `user`, until their `free` is called. An object with a `_free`
 *   function is freed with it, or with its context; nothing else is to be freed.
 * - Panics do not cross the interface. One that happens is reported as `UGAS_STATUS_PANIC`; free the simulation that
 *   was used.
 * - Callbacks receive data and return data. They must return: no C++ exception and no `longjmp` may leave one. Hooks and
 *   custom tasks also receive a `ugas_call`, which the functions `ugas_call_*` accept until the callback returns.
 * - Threads. A context is not bound to a thread, but is used by one thread at a time: a call during another call,
 *   from another thread or from inside a callback, is refused with `UGAS_STATUS_BUSY`, freeing included. After it is freed
 *   no thread may use it. Different contexts share nothing but catalogs that were shared on purpose, and there is no
 *   global state.
 * - Time is in microseconds.
 *
 * Features
 *
 * Both are on by default. A library without `net` has no `ugas_server_*` and `ugas_client_*`, one without `replay` no
 * `ugas_recording_*`, `ugas_player_*` and `ugas_verify*`; the header declares them all the same, and `ugas_features`
 * tells a program that loads the library at run time.
 *
 */

#ifndef UGAS_H
#define UGAS_H

#include <stddef.h>
#include <stdint.h>

/* A structure with its size set and all other fields zero. */
#ifdef __cplusplus
#define UGAS_INIT(type) (::ugas::init<type>())
namespace ugas {
template <class T> inline T init() { T value{}; value.size = sizeof(T); return value; }
}
#else
#define UGAS_INIT(type) ((type){ .size = sizeof(type) })
#endif

/* A ugas_str from a string literal. */
#ifdef __cplusplus
#define UGAS_STR(literal) (ugas_str{ literal, sizeof(literal) - 1 })
#else
#define UGAS_STR(literal) ((ugas_str){ literal, sizeof(literal) - 1 })
#endif

// Version of this interface. It changes when a host that was built with an older header could break; added
// functions and fields do not change it.
#define UGAS_ABI_VERSION 1

// "No definition" among the ids of tags, attributes, effects and abilities, where 0 is a valid id.
#define UGAS_NO_ID UINT32_MAX

// Bit of `ugas_features`: the library has servers and clients.
#define UGAS_FEATURE_NET 1

// Bit of `ugas_features`: the library has recordings and players.
#define UGAS_FEATURE_REPLAY 2

// Maximum number of changes of one execution.
#define UGAS_MOST_CHANGES 16

// Maximum number of numbers that a custom task stores.
#define UGAS_MOST_MEMORY 64

// Maximum size of a datagram in bytes.
#define UGAS_MAX_DATAGRAM 1200

// Size of the secret of a session in bytes.
#define UGAS_SECRET_BYTES 32

// Status of a call. `ugas_last_error` has the message.
enum ugas_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Success.
    UGAS_STATUS_OK = 0,
    // A pointer is null that must not be.
    UGAS_STATUS_NULL_POINTER = 1,
    // The pointer is not a context: null, freed, or something else.
    UGAS_STATUS_BAD_CONTEXT = 2,
    // The context is in use: by another thread, or by the call that this callback belongs to.
    UGAS_STATUS_BUSY = 3,
    // The library panicked. Free the simulation that was used, and report the bug.
    UGAS_STATUS_PANIC = 4,
    // The host was built with a header of another version than the library.
    UGAS_STATUS_ABI_MISMATCH = 5,
    // No object of this context has this handle: it was freed, belongs to another context, or is of another
    // kind.
    UGAS_STATUS_BAD_HANDLE = 6,
    // A text is not UTF-8.
    UGAS_STATUS_BAD_STRING = 7,
    // The size of a structure is wrong, or it sets fields that this library does not know.
    UGAS_STATUS_BAD_STRUCT = 8,
    // An argument is invalid.
    UGAS_STATUS_BAD_ARGUMENT = 9,
    // There is no such name, controller, attribute, effect, ability, activation or task.
    UGAS_STATUS_NOT_FOUND = 10,
    // The rules refuse the call; `ugas_last_reasons` has every reason.
    UGAS_STATUS_REFUSED = 11,
    // A pack has errors; the loader has the diagnostics.
    UGAS_STATUS_LOAD_FAILED = 12,
    // Bytes could not be decoded.
    UGAS_STATUS_BAD_BYTES = 13,
    // A snapshot or a recording is of another catalog.
    UGAS_STATUS_OTHER_RULES = 14,
    // A file could not be read or written.
    UGAS_STATUS_IO = 15,
    // Not possible while a recording is made or played, or only then.
    UGAS_STATUS_RECORDING = 16,
    // Not possible with networking: a server's time advances in `ugas_server_tick`, and only the server
    // changes a client's game.
    UGAS_STATUS_NETWORKED = 17,
    // The server does not replicate this attribute to the client.
    UGAS_STATUS_NOT_REPLICATED = 18,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_status ugas_status;
#else
typedef uint32_t ugas_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Severity of a diagnostic.
enum ugas_severity
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The pack cannot be used.
    UGAS_SEVERITY_ERROR = 0,
    // The pack can be used, but is probably not what was meant.
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

// Controller that an attribute or tag is read from.
enum ugas_party
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The controller that caused the effect.
    UGAS_PARTY_SOURCE = 0,
    // The controller that the effect is applied to.
    UGAS_PARTY_TARGET = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_party ugas_party;
#else
typedef uint32_t ugas_party;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Operation of a modifier.
enum ugas_operation
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Adds before all multiplications.
    UGAS_OPERATION_ADD = 0,
    // Adds after all multiplications.
    UGAS_OPERATION_ADD_POST = 1,
    // Signed bonus: 0.25 is +25 %.
    UGAS_OPERATION_MULTIPLY = 2,
    // Replaces the result.
    UGAS_OPERATION_OVERRIDE = 3,
    // Factor whose bonus is summed in one shared channel.
    UGAS_OPERATION_MULTIPLY_ADDITIVE = 4,
    // Divisor.
    UGAS_OPERATION_DIVIDE_ADDITIVE = 5,
    // Factor that is multiplied separately.
    UGAS_OPERATION_MULTIPLY_COMPOUND = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_operation ugas_operation;
#else
typedef uint32_t ugas_operation;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Shape of an area.
enum ugas_shape
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The controller nearest to the origin.
    UGAS_SHAPE_NEAREST = 0,
    // Sphere around the origin.
    UGAS_SHAPE_RADIUS = 1,
    // Cone in front of the origin.
    UGAS_SHAPE_CONE = 2,
    // Line along the facing of the origin.
    UGAS_SHAPE_LINE = 3,
    // Axis-aligned box around the origin.
    UGAS_SHAPE_BOX = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_shape ugas_shape;
#else
typedef uint32_t ugas_shape;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kind of definition that an id belongs to.
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

// Value of an attribute to read.
enum ugas_value
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Current value, with all modifiers.
    UGAS_VALUE_CURRENT = 0,
    // Base value, without modifiers.
    UGAS_VALUE_BASE = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_value ugas_value;
#else
typedef uint32_t ugas_value;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kind of a target.
enum ugas_target_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A controller.
    UGAS_TARGET_KIND_CONTROLLER = 0,
    // A location.
    UGAS_TARGET_KIND_LOCATION = 1,
    // A hit on a controller or on another object.
    UGAS_TARGET_KIND_HIT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_target_kind ugas_target_kind;
#else
typedef uint32_t ugas_target_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Result of a successful application.
enum ugas_application
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // An instant effect changed base values.
    UGAS_APPLICATION_EXECUTED = 0,
    // The effect became active.
    UGAS_APPLICATION_ACTIVE = 1,
    // The effect joined an existing stack.
    UGAS_APPLICATION_STACKED = 2,
    // The effect was merged into an active one.
    UGAS_APPLICATION_MERGED = 3,
    // The effect is queued behind an active one.
    UGAS_APPLICATION_QUEUED = 4,
    // The stack overflowed and was cleared.
    UGAS_APPLICATION_CLEARED = 5,
    // Only cues were emitted: a client leaves the rest to the server.
    UGAS_APPLICATION_SHOWN = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_application ugas_application;
#else
typedef uint32_t ugas_application;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Lifecycle state of a granted ability.
enum ugas_ability_state
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // No activation is under way.
    UGAS_ABILITY_STATE_INACTIVE = 0,
    // Activated, but not committed yet.
    UGAS_ABILITY_STATE_ACTIVATING = 1,
    // Committed and running.
    UGAS_ABILITY_STATE_ACTIVE = 2,
    // Being ended.
    UGAS_ABILITY_STATE_ENDING = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_ability_state ugas_ability_state;
#else
typedef uint32_t ugas_ability_state;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Type of an ability's parameter.
enum ugas_parameter_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A number.
    UGAS_PARAMETER_KIND_NUMBER = 0,
    // A boolean.
    UGAS_PARAMETER_KIND_BOOLEAN = 1,
    // A tag.
    UGAS_PARAMETER_KIND_TAG = 2,
    // A text for the host.
    UGAS_PARAMETER_KIND_TEXT = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_parameter_kind ugas_parameter_kind;
#else
typedef uint32_t ugas_parameter_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Outcome of a host task.
enum ugas_task_outcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Completed: the ability continues.
    UGAS_TASK_OUTCOME_COMPLETED = 0,
    // Interrupted: the ability is cancelled.
    UGAS_TASK_OUTCOME_INTERRUPTED = 1,
    // Cancelled: the ability is cancelled.
    UGAS_TASK_OUTCOME_CANCELLED = 2,
    // Failed: the ability is cancelled.
    UGAS_TASK_OUTCOME_FAILED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_task_outcome ugas_task_outcome;
#else
typedef uint32_t ugas_task_outcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Result of pressing an input.
enum ugas_pressed
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The input activated an ability.
    UGAS_PRESSED_ACTIVATED = 0,
    // A waiting task consumed the input.
    UGAS_PRESSED_CONSUMED = 1,
    // The input could not be used yet and was buffered.
    UGAS_PRESSED_BUFFERED = 2,
    // No ability is bound to the input.
    UGAS_PRESSED_UNBOUND = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_pressed ugas_pressed;
#else
typedef uint32_t ugas_pressed;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Platform that the game runs on.
enum ugas_platform
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // PC.
    UGAS_PLATFORM_PC = 0,
    // Consoles.
    UGAS_PLATFORM_CONSOLE = 1,
    // Phones and tablets.
    UGAS_PLATFORM_MOBILE = 2,
    // VR headsets.
    UGAS_PLATFORM_VR = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_platform ugas_platform;
#else
typedef uint32_t ugas_platform;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kind of a signal of an action.
enum ugas_signal_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The first of its bindings was pressed.
    UGAS_SIGNAL_KIND_PRESSED = 0,
    // The action fires: pass it on with ugas_input_press or ugas_client_press.
    UGAS_SIGNAL_KIND_TRIGGERED = 1,
    // Its axes changed.
    UGAS_SIGNAL_KIND_VALUE = 2,
    // The last of its bindings was released: pass it on with ugas_input_release or ugas_client_release.
    UGAS_SIGNAL_KIND_RELEASED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_signal_kind ugas_signal_kind;
#else
typedef uint32_t ugas_signal_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Cause of a release.
enum ugas_release_cause
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The player released the control.
    UGAS_RELEASE_CAUSE_LET_GO = 0,
    // A binding of higher priority took over the controls.
    UGAS_RELEASE_CAUSE_DISPLACED = 1,
    // Its action set or binding is no longer active.
    UGAS_RELEASE_CAUSE_INACTIVE = 2,
    // The host released everything with ugas_mapper_release_all.
    UGAS_RELEASE_CAUSE_FOCUS_LOST = 3,
    // Its controls were remapped.
    UGAS_RELEASE_CAUSE_REMAPPED = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_release_cause ugas_release_cause;
#else
typedef uint32_t ugas_release_cause;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kind of an event. Each value names its member of ugas_event_body; those that name none have no body.
enum ugas_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // An event without a kind of its own in this interface; ugas_event_text describes it.
    UGAS_EVENT_KIND_OTHER = 0,
    // A controller was spawned.
    UGAS_EVENT_KIND_CONTROLLER_SPAWNED = 1,
    // A controller was despawned.
    UGAS_EVENT_KIND_CONTROLLER_DESPAWNED = 2,
    // The owner of a controller was set or cleared (§4.2). Body: `actor`.
    UGAS_EVENT_KIND_OWNER_CHANGED = 3,
    // The avatar of a controller was set or cleared (§4.3). Body: `actor`.
    UGAS_EVENT_KIND_AVATAR_CHANGED = 4,
    // An attribute set was registered. Body: `attribute_set`.
    UGAS_EVENT_KIND_ATTRIBUTE_SET_ADDED = 5,
    // An attribute set was removed. Body: `attribute_set`.
    UGAS_EVENT_KIND_ATTRIBUTE_SET_REMOVED = 6,
    // A base or current value changed (§5.6, B5). Body: `attribute`.
    UGAS_EVENT_KIND_ATTRIBUTE_CHANGED = 7,
    // A tag's cumulative count left zero (§7.2). Body: `tag`.
    UGAS_EVENT_KIND_TAG_ADDED = 8,
    // A tag's cumulative count reached zero (§7.2). Body: `tag`.
    UGAS_EVENT_KIND_TAG_REMOVED = 9,
    // An effect is about to be applied (E1, §15.4); emitted when the configuration asks for an audit. Body:
    // `effect`.
    UGAS_EVENT_KIND_BEFORE_EFFECT_APPLIED = 10,
    // An effect became active, or a queued one began (§9.2, E4). Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_APPLIED = 11,
    // An effect was merged into an active one (E4). Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_MERGED = 12,
    // An effect was queued behind an active one (E4). Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_QUEUED = 13,
    // An effect changed base values: an instant one, or a tick of a periodic one. Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_EXECUTED = 14,
    // An active effect was removed. Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_REMOVED = 15,
    // A stack count changed. Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_STACK_CHANGED = 16,
    // The remaining duration of an active effect was changed. Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_DURATION_CHANGED = 17,
    // The ongoing requirements of an active effect now fail (E7). Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_INHIBITED = 18,
    // The ongoing requirements of an active effect hold again (E7). Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_RESUMED = 19,
    // An application was refused; nothing changed (E1). Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_REFUSED = 20,
    // An application was blocked by an immunity. Body: `effect`.
    UGAS_EVENT_KIND_EFFECT_BLOCKED_BY_IMMUNITY = 21,
    // A modifier has no effect: the target lacks the attribute, or it is derived (M6). Body: `effect`.
    UGAS_EVENT_KIND_MODIFIER_INERT = 22,
    // An attribute could not be evaluated and keeps its value (V2). Body: `attribute`.
    UGAS_EVENT_KIND_EVALUATION_FAILED = 23,
    // A divisor close to zero was treated as 1 (M3). Body: `attribute`.
    UGAS_EVENT_KIND_DIVISOR_IGNORED = 24,
    // An ability was granted (§9.8). Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_GRANTED = 25,
    // An ability was revoked. Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_REVOKED = 26,
    // The level of an ability changed. Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_LEVEL_CHANGED = 27,
    // An ability was activated (§8.2). Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_ACTIVATED = 28,
    // An ability could not be activated or committed; nothing changed (A1). Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_REFUSED = 29,
    // An ability committed: cost, cooldown and owned tags, as far as it has them (§8.4). Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_COMMITTED = 30,
    // An activation ended (§8.2). Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_ENDED = 31,
    // An activation was cancelled (§8.6). Body: `ability`.
    UGAS_EVENT_KIND_ABILITY_CANCELLED = 32,
    // The cooldown of an ability started. Body: `ability`.
    UGAS_EVENT_KIND_COOLDOWN_BEGAN = 33,
    // The cooldown of an ability ended. Body: `ability`.
    UGAS_EVENT_KIND_COOLDOWN_ENDED = 34,
    // The charges of an ability changed. Body: `ability`.
    UGAS_EVENT_KIND_CHARGES_CHANGED = 35,
    // A gameplay event was received (§10.3). Body: `gameplay`.
    UGAS_EVENT_KIND_GAMEPLAY_EVENT = 36,
    // An input was pressed (§11). Body: `input`.
    UGAS_EVENT_KIND_INPUT_PRESSED = 37,
    // An input was released (§11). Body: `input`.
    UGAS_EVENT_KIND_INPUT_RELEASED = 38,
    // An input could not be used yet and was buffered (§11.3). Body: `input`.
    UGAS_EVENT_KIND_INPUT_BUFFERED = 39,
    // The player confirmed the waiting tasks.
    UGAS_EVENT_KIND_CONFIRMED = 40,
    // The player declined the waiting tasks.
    UGAS_EVENT_KIND_DECLINED = 41,
    // The host has to carry out a task (A6); `ugas_task_parameters` has its parameters. Body: `task`.
    UGAS_EVENT_KIND_HOST_TASK_REQUESTED = 42,
    // A host task was cancelled and no longer needs to be carried out. Body: `task`.
    UGAS_EVENT_KIND_HOST_TASK_CANCELLED = 43,
    // A wait that is not limited to one event was triggered: the tasks that follow it run, and it keeps
    // waiting (A10). Body: `task`.
    UGAS_EVENT_KIND_TASK_TRIGGERED = 44,
    // A task could not be carried out; its ability is cancelled. Body: `task`.
    UGAS_EVENT_KIND_TASK_FAILED = 45,
    // A task found no target, and the ability went on. Body: `task`.
    UGAS_EVENT_KIND_NO_TARGET = 46,
    // Target selection started: a reticle can be shown. Body: `task`.
    UGAS_EVENT_KIND_TARGETING_BEGAN = 47,
    // Target selection ended. Body: `task`.
    UGAS_EVENT_KIND_TARGETING_ENDED = 48,
    // The death attribute of a controller fell to its threshold (§8.6).
    UGAS_EVENT_KIND_OWNER_DIED = 49,
    // A looping cue started (E11). Body: `cue`.
    UGAS_EVENT_KIND_CUE_ADDED = 50,
    // A looping cue ended (E11). Body: `cue`.
    UGAS_EVENT_KIND_CUE_REMOVED = 51,
    // A cue was executed once (E11). Body: `cue`.
    UGAS_EVENT_KIND_CUE_EXECUTED = 52,
    // A cascade reached its limit; the rest of it was dropped (E12). Body: `limit`.
    UGAS_EVENT_KIND_CASCADE_LIMIT = 53,
    // The simulation reached a state that its rules exclude. It is reported, and the operation is skipped
    // (§7.2). Body: `message`.
    UGAS_EVENT_KIND_LOGIC_ERROR = 54,
    // A wait has reached its limit of queued occurrences, and later ones are dropped (A9). Body: `task`.
    UGAS_EVENT_KIND_OCCURRENCE_LIMIT = 55,
    // The explicit count of a tag changed (T6); emitted when the configuration asks for tag counts, before
    // the UGAS_EVENT_KIND_TAG_ADDED or UGAS_EVENT_KIND_TAG_REMOVED that the same change causes. Body:
    // `tag_count`.
    UGAS_EVENT_KIND_TAG_COUNT_CHANGED = 56,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_event_kind ugas_event_kind;
#else
typedef uint32_t ugas_event_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Category of an event.
enum ugas_category
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // An event without a category of its own in this interface.
    UGAS_CATEGORY_OTHER = 0,
    // Controllers: spawn, despawn, owners and avatars.
    UGAS_CATEGORY_CONTROLLER = 1,
    // Attributes.
    UGAS_CATEGORY_ATTRIBUTE = 2,
    // Tags.
    UGAS_CATEGORY_TAG = 3,
    // Effects.
    UGAS_CATEGORY_EFFECT = 4,
    // Abilities, their activations and triggers.
    UGAS_CATEGORY_ABILITY = 5,
    // Tasks, host tasks and targeting.
    UGAS_CATEGORY_TASK = 6,
    // Inputs.
    UGAS_CATEGORY_INPUT = 7,
    // Cues: effects for players to see and hear.
    UGAS_CATEGORY_CUE = 8,
    // Errors.
    UGAS_CATEGORY_ERROR = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_category ugas_category;
#else
typedef uint32_t ugas_category;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Why an active effect was removed.
enum ugas_removal_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Its duration was over.
    UGAS_REMOVAL_REASON_EXPIRED = 0,
    // It was removed before its end.
    UGAS_REMOVAL_REASON_REMOVED = 1,
    // The target got a tag that removes it.
    UGAS_REMOVAL_REASON_REMOVED_BY_TAG = 2,
    // Its stack overflowed and was cleared.
    UGAS_REMOVAL_REASON_OVERFLOWED = 3,
    // Its target was despawned.
    UGAS_REMOVAL_REASON_TARGET_GONE = 4,
    // A reload of the definitions removed it.
    UGAS_REMOVAL_REASON_RELOADED = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_removal_reason ugas_removal_reason;
#else
typedef uint32_t ugas_removal_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Why an activation ended.
enum ugas_end_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Its last task completed, or a task ended it.
    UGAS_END_REASON_COMPLETED = 0,
    // It was activated again, and starts over.
    UGAS_END_REASON_RETRIGGERED = 1,
    // A task cancelled it.
    UGAS_END_REASON_CANCELLED_BY_TASK = 2,
    // A call cancelled it.
    UGAS_END_REASON_CANCELLED = 3,
    // Another ability cancelled it by its tags.
    UGAS_END_REASON_CANCELLED_BY_ABILITY = 4,
    // A tag cancelled it.
    UGAS_END_REASON_CANCELLED_BY_TAG = 5,
    // The tag that keeps it active was removed.
    UGAS_END_REASON_TRIGGER_GONE = 6,
    // The owner died.
    UGAS_END_REASON_OWNER_DIED = 7,
    // It could not commit.
    UGAS_END_REASON_COMMIT_FAILED = 8,
    // A task could not be carried out.
    UGAS_END_REASON_TASK_FAILED = 9,
    // The player or the host declined.
    UGAS_END_REASON_DECLINED = 10,
    // The ability was revoked, or its owner was despawned.
    UGAS_END_REASON_REVOKED = 11,
    // The avatar of its owner changed.
    UGAS_END_REASON_POSSESSION_CHANGED = 12,
    // Its tasks looped without end.
    UGAS_END_REASON_OUT_OF_BUDGET = 13,
    // The definitions were reloaded.
    UGAS_END_REASON_RELOADED = 14,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_end_reason ugas_end_reason;
#else
typedef uint32_t ugas_end_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kinds of names that a callback can look up.
enum ugas_name_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A ugas_attribute.
    UGAS_NAME_KIND_ATTRIBUTE = 0,
    // A ugas_tag.
    UGAS_NAME_KIND_TAG = 1,
    // A ugas_effect.
    UGAS_NAME_KIND_EFFECT = 2,
    // A ugas_ability.
    UGAS_NAME_KIND_ABILITY = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_name_kind ugas_name_kind;
#else
typedef uint32_t ugas_name_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Context in which a callback applies an effect.
enum ugas_call_context
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The context of the executed effect, or of the ability of a task; fields that ugas_apply sets replace its own.
    UGAS_CALL_CONTEXT_INHERITED = 0,
    // The one that ugas_apply has.
    UGAS_CALL_CONTEXT_OWN = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_call_context ugas_call_context;
#else
typedef uint32_t ugas_call_context;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Subjects that a custom task can subscribe to.
enum ugas_subject
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // An attribute changes; `id` is the attribute.
    UGAS_SUBJECT_ATTRIBUTE = 0,
    // A tag is added or removed; `id` is the tag.
    UGAS_SUBJECT_TAG = 1,
    // The explicit count of a tag changes; `id` is the tag.
    UGAS_SUBJECT_TAG_COUNT = 2,
    // A gameplay event with a tag or a descendant of it is received; `id` is the tag.
    UGAS_SUBJECT_EVENT = 3,
    // An input is pressed.
    UGAS_SUBJECT_INPUT_PRESSED = 4,
    // An input is released.
    UGAS_SUBJECT_INPUT_RELEASED = 5,
    // An effect is applied.
    UGAS_SUBJECT_EFFECT_APPLIED = 6,
    // An effect ends.
    UGAS_SUBJECT_EFFECT_REMOVED = 7,
    // An immunity refuses an effect.
    UGAS_SUBJECT_EFFECT_BLOCKED = 8,
    // A stack count changes.
    UGAS_SUBJECT_EFFECT_STACK_CHANGED = 9,
    // An ability is activated.
    UGAS_SUBJECT_ABILITY_ACTIVATED = 10,
    // An ability commits.
    UGAS_SUBJECT_ABILITY_COMMITTED = 11,
    // An ability ends.
    UGAS_SUBJECT_ABILITY_ENDED = 12,
    // The player confirms or declines.
    UGAS_SUBJECT_CONFIRMATION = 13,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_subject ugas_subject;
#else
typedef uint32_t ugas_subject;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Result of a call of a custom task.
enum ugas_task_progress
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // It waits for its subscriptions or its timer.
    UGAS_TASK_PROGRESS_WAITING = 0,
    // It is done: the ability continues.
    UGAS_TASK_PROGRESS_DONE = 1,
    // It failed: the ability is cancelled.
    UGAS_TASK_PROGRESS_FAILED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_task_progress ugas_task_progress;
#else
typedef uint32_t ugas_task_progress;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kind of result of a command in a batch.
enum ugas_batch_result_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Executed or refused, without a result.
    UGAS_BATCH_RESULT_KIND_DONE = 0,
    // Nothing to do: the activation, task or held input had already ended.
    UGAS_BATCH_RESULT_KIND_NOTHING = 1,
    // `handle` is a controller.
    UGAS_BATCH_RESULT_KIND_SPAWNED = 2,
    // An effect was applied; `handle` is the active effect that it became or joined, 0 if there is none.
    UGAS_BATCH_RESULT_KIND_APPLIED = 3,
    // `count` effects were removed.
    UGAS_BATCH_RESULT_KIND_REMOVED = 4,
    // `handle` is a granted ability.
    UGAS_BATCH_RESULT_KIND_GRANTED = 5,
    // `handle` is an activation.
    UGAS_BATCH_RESULT_KIND_ACTIVATED = 6,
    // `count` activations were cancelled or started.
    UGAS_BATCH_RESULT_KIND_COUNTED = 7,
    // An input was pressed; `handle` is the activation that it started, 0 if there is none.
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

// Text format of a character.
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

// Treatment of effects of a character whose instigator is not found.
enum ugas_orphans
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // They stay, with the last known values of the instigator.
    UGAS_ORPHANS_KEEP = 0,
    // Effects with a live capture of the instigator are removed.
    UGAS_ORPHANS_DROP_FOLLOWERS = 1,
    // They are removed.
    UGAS_ORPHANS_DROP = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_orphans ugas_orphans;
#else
typedef uint32_t ugas_orphans;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Whether the simulated state is equal to the recorded one.
enum ugas_agreement
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Unknown: inside a tick, and at the beginning, there is no recorded hash.
    UGAS_AGREEMENT_UNKNOWN = 0,
    // Equal.
    UGAS_AGREEMENT_SAME = 1,
    // Different: the definitions, native code or the library differ.
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
    // The client left on its own.
    UGAS_BYE_REASON_LEFT = 0,
    // The server shut down.
    UGAS_BYE_REASON_SHUTDOWN = 1,
    // The other side was silent for too long.
    UGAS_BYE_REASON_TIMED_OUT = 2,
    // The server's host kicked the client.
    UGAS_BYE_REASON_KICKED = 3,
    // The client sent too much, or messages that no correct client sends.
    UGAS_BYE_REASON_MISBEHAVED = 4,
    // A reason that this header has no name for.
    UGAS_BYE_REASON_OTHER = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_bye_reason ugas_bye_reason;
#else
typedef uint32_t ugas_bye_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Why a connection was refused.
enum ugas_refused_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Server and client have different protocol versions.
    UGAS_REFUSED_REASON_PROTOCOL = 0,
    // Server and client have different catalogs.
    UGAS_REFUSED_REASON_CATALOG = 1,
    // Server and client quantize numbers differently.
    UGAS_REFUSED_REASON_DICTIONARY = 2,
    // The server is full.
    UGAS_REFUSED_REASON_FULL = 3,
    // The server's host denied it.
    UGAS_REFUSED_REASON_DENIED = 4,
    // A reason that this header has no name for.
    UGAS_REFUSED_REASON_OTHER = 5,
    // The server does not know the session that the client asked to resume.
    UGAS_REFUSED_REASON_NO_SESSION = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_refused_reason ugas_refused_reason;
#else
typedef uint32_t ugas_refused_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Why the server rejected a command.
enum ugas_rejection
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Its tick is in the past.
    UGAS_REJECTION_TOO_LATE = 0,
    // Its tick is too far ahead.
    UGAS_REJECTION_TOO_EARLY = 1,
    // The client sent more commands than allowed.
    UGAS_REJECTION_TOO_MANY = 2,
    // A number is not finite, or a field is longer than allowed.
    UGAS_REJECTION_MALFORMED = 3,
    // The client does not own the controller.
    UGAS_REJECTION_NOT_OWNER = 4,
    // The ability or activation does not exist, or belongs to another controller.
    UGAS_REJECTION_NOT_GRANTED = 5,
    // Clients may not start or end the ability.
    UGAS_REJECTION_NOT_ALLOWED = 6,
    // The activation was refused: cost, cooldown, tags or another requirement.
    UGAS_REJECTION_NOT_ACTIVATED = 7,
    // A target is unknown or out of reach.
    UGAS_REJECTION_NOT_REACHABLE = 8,
    // The ability may not apply the effect.
    UGAS_REJECTION_EFFECT_NOT_ALLOWED = 9,
    // No task waits for it.
    UGAS_REJECTION_NOTHING_WAITS = 10,
    // A reason that this header has no name for.
    UGAS_REJECTION_OTHER = 11,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_rejection ugas_rejection;
#else
typedef uint32_t ugas_rejection;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Importance of a controller to a client: how often it is updated (§13.6).
enum ugas_actor_class
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Controlled by a player.
    UGAS_ACTOR_CLASS_PLAYER = 0,
    // Not controlled by a player, but important.
    UGAS_ACTOR_CLASS_IMPORTANT_AI = 1,
    // Far away, or in the background.
    UGAS_ACTOR_CLASS_DISTANT = 2,
    // Rarely changing: sent whenever it changes.
    UGAS_ACTOR_CLASS_STATIC = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_actor_class ugas_actor_class;
#else
typedef uint32_t ugas_actor_class;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kind of a server event.
enum ugas_server_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // A client joined: give it a controller.
    UGAS_SERVER_EVENT_KIND_JOINED = 0,
    // A client left; the controllers it owned have no owner now.
    UGAS_SERVER_EVENT_KIND_LEFT = 1,
    // A connection was refused.
    UGAS_SERVER_EVENT_KIND_REFUSED = 2,
    // A task waited too long for a client.
    UGAS_SERVER_EVENT_KIND_OVERDUE = 3,
    // A command was rejected, or several of one datagram for the same reason.
    UGAS_SERVER_EVENT_KIND_REJECTED = 4,
    // An event of the game.
    UGAS_SERVER_EVENT_KIND_GAME = 5,
    // The connection of a client was lost; its session is kept, and its controllers stay its own.
    UGAS_SERVER_EVENT_KIND_INTERRUPTED = 6,
    // A client continues its session over the connection `peer`.
    UGAS_SERVER_EVENT_KIND_RESUMED = 7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_server_event_kind ugas_server_event_kind;
#else
typedef uint32_t ugas_server_event_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Preset of what clients see of a controller.
enum ugas_lens_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Nothing, not even that it exists.
    UGAS_LENS_KIND_HIDDEN = 0,
    // Only that it exists.
    UGAS_LENS_KIND_NOTHING = 1,
    // Tags and cues.
    UGAS_LENS_KIND_MINIMAL = 2,
    // Tags, cues and abilities: the minimum for an owner.
    UGAS_LENS_KIND_MINIMAL_OWNER = 3,
    // Effects, attributes, tags and cues.
    UGAS_LENS_KIND_FULL = 4,
    // Everything that an owner needs for prediction.
    UGAS_LENS_KIND_OWNER = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_lens_kind ugas_lens_kind;
#else
typedef uint32_t ugas_lens_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kind of a client event. Changes are differences between the previously displayed state and the current
// one: each is reported once, however often it was predicted.
enum ugas_client_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The server accepted the client: `session`.
    UGAS_CLIENT_EVENT_KIND_CONNECTED = 0,
    // The server refused the connection: `session`, with a ugas_refused_reason.
    UGAS_CLIENT_EVENT_KIND_REFUSED = 1,
    // The session ended: `session`, with a ugas_bye_reason.
    UGAS_CLIENT_EVENT_KIND_DISCONNECTED = 2,
    // A controller became visible: `own`.
    UGAS_CLIENT_EVENT_KIND_APPEARED = 3,
    // A controller is no longer visible, or no longer exists.
    UGAS_CLIENT_EVENT_KIND_VANISHED = 4,
    // The client gained or lost the ownership of a controller: `own`.
    UGAS_CLIENT_EVENT_KIND_OWNERSHIP_CHANGED = 5,
    // The current value of an attribute changed: `attribute`.
    UGAS_CLIENT_EVENT_KIND_ATTRIBUTE_CHANGED = 6,
    // A tag was added: `tag`.
    UGAS_CLIENT_EVENT_KIND_TAG_ADDED = 7,
    // A tag was removed: `tag`.
    UGAS_CLIENT_EVENT_KIND_TAG_REMOVED = 8,
    // An effect was added: `effect`.
    UGAS_CLIENT_EVENT_KIND_EFFECT_ADDED = 9,
    // An effect was removed: `effect`.
    UGAS_CLIENT_EVENT_KIND_EFFECT_REMOVED = 10,
    // A predicted effect got another handle: `effect`, with old_active.
    UGAS_CLIENT_EVENT_KIND_EFFECT_RENAMED = 11,
    // The stack count of an effect changed: `effect`.
    UGAS_CLIENT_EVENT_KIND_STACKS_CHANGED = 12,
    // A looping cue started: `cue`.
    UGAS_CLIENT_EVENT_KIND_CUE_BEGAN = 13,
    // A looping cue ended: `cue`.
    UGAS_CLIENT_EVENT_KIND_CUE_ENDED = 14,
    // A cue was executed once: `cue`.
    UGAS_CLIENT_EVENT_KIND_CUE_FLASHED = 15,
    // An ability was granted: `granted`.
    UGAS_CLIENT_EVENT_KIND_ABILITY_GRANTED = 16,
    // An ability was revoked: `granted`.
    UGAS_CLIENT_EVENT_KIND_ABILITY_REVOKED = 17,
    // The server started an activation: `activation`.
    UGAS_CLIENT_EVENT_KIND_RUN_BEGAN = 18,
    // An activation that the server started ended: `activation`.
    UGAS_CLIENT_EVENT_KIND_RUN_ENDED = 19,
    // An event of the game that leaves no state behind: `event`.
    UGAS_CLIENT_EVENT_KIND_HAPPENED = 20,
    // An event of an ability that runs on this machine only: `event`.
    UGAS_CLIENT_EVENT_KIND_LOCAL = 21,
    // An event that was reported before did not happen after all: `event`.
    UGAS_CLIENT_EVENT_KIND_RETRACTED = 22,
    // The server executed a command: `command`.
    UGAS_CLIENT_EVENT_KIND_CONFIRMED = 23,
    // The server rejected a command; its predicted changes are undone: `command`.
    UGAS_CLIENT_EVENT_KIND_REJECTED = 24,
    // A tick was mispredicted and corrected: `tick`.
    UGAS_CLIENT_EVENT_KIND_CORRECTED = 25,
    // The server began to replicate an attribute: `attribute`, whose old_value is NaN.
    UGAS_CLIENT_EVENT_KIND_ATTRIBUTE_SHOWN = 26,
    // The server no longer replicates an attribute, and reading it returns UGAS_STATUS_NOT_REPLICATED:
    // `attribute`, whose values are both NaN.
    UGAS_CLIENT_EVENT_KIND_ATTRIBUTE_HIDDEN = 27,
    // The explicit count of a tag changed (T6), for a client whose configuration asks for tag counts:
    // `tag_count`.
    UGAS_CLIENT_EVENT_KIND_TAG_COUNT_CHANGED = 28,
    // The connection was lost, and the client asks to resume its session.
    UGAS_CLIENT_EVENT_KIND_INTERRUPTED = 29,
    // The session goes on over another connection: controllers, commands and predictions stay.
    UGAS_CLIENT_EVENT_KIND_RESUMED = 30,
    // The server does not know the session any more: `session`, with a ugas_refused_reason. All controllers
    // vanish, and the client asks for a new session.
    UGAS_CLIENT_EVENT_KIND_NOT_RESUMED = 31,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_client_event_kind ugas_client_event_kind;
#else
typedef uint32_t ugas_client_event_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// State of the host's transport.
enum ugas_link_state
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The server has not answered yet.
    UGAS_LINK_STATE_CONNECTING = 0,
    // Datagrams can be sent and received.
    UGAS_LINK_STATE_CONNECTED = 1,
    // The connection was lost, or not answered.
    UGAS_LINK_STATE_LOST = 2,
    // The server refused the connection for a reason that may pass.
    UGAS_LINK_STATE_BUSY = 3,
    // The server refused the connection for good.
    UGAS_LINK_STATE_REFUSED = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_link_state ugas_link_state;
#else
typedef uint32_t ugas_link_state;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// State of a client's connection, for its user.
enum ugas_connection_state
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The first session has not begun yet.
    UGAS_CONNECTION_STATE_CONNECTING = 0,
    // The session lasts.
    UGAS_CONNECTION_STATE_CONNECTED = 1,
    // The connection was lost: `attempt` and `next_try`.
    UGAS_CONNECTION_STATE_RECONNECTING = 2,
    // The client gave up: `words`.
    UGAS_CONNECTION_STATE_FAILED = 3,
    // The session ended: the player left, or the server ended it.
    UGAS_CONNECTION_STATE_ENDED = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_connection_state ugas_connection_state;
#else
typedef uint32_t ugas_connection_state;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A request to the host's transport.
enum ugas_link_action
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Nothing.
    UGAS_LINK_ACTION_NOTHING = 0,
    // Open another connection in place of the present one, with the secret of the session if the transport
    // authenticates. Do not tell the server that the present one ends.
    UGAS_LINK_ACTION_OPEN = 1,
    // As Open, but in the way in which the client connected first: the server does not know the secret.
    UGAS_LINK_ACTION_OPEN_ANEW = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ugas_link_action ugas_link_action;
#else
typedef uint32_t ugas_link_action;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// All objects of a host: its catalogs, simulations and snapshots. Created by `ugas_context_new`, freed by
// `ugas_context_free`, used by one thread at a time.
typedef struct ugas_context ugas_context;

// Text: UTF-8 with a length in bytes. A null pointer with length 0 is the empty text.
typedef struct {
    // The first byte.
    const char *data;
    // Length in bytes.
    size_t length;
} ugas_str;

// One reason of a refusal. Fields that do not apply are zero, UGAS_NO_ID or NaN.
typedef struct {
    // Stable identifier for programs, such as `OnCooldown`.
    ugas_str code;
    // Description of the reason, with names.
    ugas_str words;
    // Controller that does not exist.
    uint64_t controller;
    // Active effect that blocks.
    uint64_t active_effect;
    // Granted ability that blocks.
    uint64_t granted_ability;
    // Tag that is missing or blocks.
    uint32_t tag;
    // Attribute that is missing or too low.
    uint32_t attribute;
    // Value that the attribute would have, or the remaining cooldown in seconds.
    double value;
    // Minimum of the attribute.
    double limit;
} ugas_reason;

// Handle of a loader of this context: it collects files, loads them once, and keeps the diagnostics and the
// input documents until it is freed.
typedef uint64_t ugas_loader;

// Handle of a catalog of this context: the immutable definitions of a game.
typedef uint64_t ugas_catalog;

// One problem at one place of a pack. Texts are valid until the next call.
typedef struct {
    // Code such as `UG001`; `docs/diagnostics.md` explains each.
    ugas_str code;
    // The path of the file, or the name of the text.
    ugas_str file;
    // Description of the problem.
    ugas_str message;
    // How to fix it; may be empty.
    ugas_str help;
    // One of ugas_severity.
    uint32_t severity;
    // Line, from 1.
    uint32_t line;
    // Column in characters, from 1.
    uint32_t column;
    // Zero.
    uint32_t reserved;
} ugas_diagnostic;

// Attribute or tag that a calculation reads.
typedef struct {
    // Name of the attribute or tag.
    ugas_str name;
    // One of ugas_party.
    uint32_t party;
    // Not zero to capture an attribute when the effect is applied, instead of reading it at each execution.
    uint32_t frozen;
} ugas_reading;

// Input of a calculation. All lists are in the order of their declaration, and valid during the call.
typedef struct {
    // sizeof(ugas_calculation_input) of the library.
    size_t size;
    // Values of the declared attributes.
    const double *attributes;
    // For each declared tag, 1 if the controller has it or a descendant of it, otherwise 0.
    const uint8_t *tags;
    // Declared SetByCaller magnitudes; NaN if the caller did not provide one.
    const double *magnitudes;
    // Random numbers in [0, 1), the same on every machine that computes the simulation.
    const double *randoms;
    // Level of the effect.
    double level;
    // Controller that caused the effect; 0 if there is none.
    uint64_t source;
    // Controller that the effect is applied to.
    uint64_t target;
    // Stack count of the effect.
    uint32_t stacks;
    // Zero.
    uint32_t reserved;
} ugas_calculation_input;

// Attribute change that an execution requests.
typedef struct {
    // Magnitude of the change.
    double magnitude;
    // Index of the attribute in `outputs` of ugas_calculation.
    uint32_t output;
    // One of ugas_operation.
    uint32_t operation;
} ugas_calculation_change;

// Output of a calculation; zero when the call begins.
typedef struct {
    // sizeof(ugas_calculation_output) of the library.
    size_t size;
    // Value of a magnitude; for a requirement, not zero if it is met.
    double result;
    // Changes of an execution.
    ugas_calculation_change changes[UGAS_MOST_CHANGES];
    // Number of entries in `changes` that are used.
    uint32_t change_count;
    // Not zero if the changes already account for the stacks; otherwise they are multiplied by the stack
    // count.
    uint32_t handles_stacks;
} ugas_calculation_output;

// A calculation callback. Returns 0 on success; any other value refuses the effect. It must be a pure
// function of its input: no clock, no global state, no random numbers of its own. It must not call this
// library, and no exception may leave it.
typedef uint32_t (*ugas_calculate)(void *user,
                                   const ugas_calculation_input *input,
                                   ugas_calculation_output *output);

// Frees the `user` data of a callback.
typedef void (*ugas_free)(void *user);

// Registration of a calculation. Everything is copied.
typedef struct {
    // sizeof(ugas_calculation).
    size_t size;
    // Name by which packs refer to it.
    ugas_str name;
    // Attributes that it reads.
    const ugas_reading *attributes;
    // Number of entries in `attributes`.
    size_t attribute_count;
    // Tags that it reads.
    const ugas_reading *tags;
    // Number of entries in `tags`.
    size_t tag_count;
    // Tags of the SetByCaller magnitudes that it reads.
    const ugas_str *magnitudes;
    // Number of entries in `magnitudes`.
    size_t magnitude_count;
    // Attributes of the target that it may change.
    const ugas_str *outputs;
    // Number of entries in `outputs`.
    size_t output_count;
    // Number of random numbers that it needs, at most 256.
    size_t random_count;
    // The callback.
    ugas_calculate calculate;
    // Passed to the callback.
    void *user;
    // Called with `user` once nothing can call the calculation anymore, also if loading fails; may be null.
    // If the registration itself fails, `user` stays the host's. It runs on the thread that frees the last
    // catalog with the calculation.
    ugas_free free;
} ugas_calculation;

// Decides whether one point is visible from another; both have three numbers. `now` is the time of the simulation in
// microseconds. Not zero is yes.
typedef uint32_t (*ugas_line_of_sight)(void *user, uint64_t now, const double *from, const double *to);

// Area to search.
typedef struct {
    // sizeof(ugas_area) of the library.
    size_t size;
    // Origin of the area.
    double position[3];
    // Direction of the area; zero if it has none.
    double facing[3];
    // Range; infinite if it is not limited.
    double range;
    // Half the opening angle of a cone, in degrees.
    double half_angle;
    // Width of a line.
    double width;
    // Half extents of a box.
    double half_extents[3];
    // One of ugas_shape.
    uint32_t shape;
    // Zero.
    uint32_t reserved;
} ugas_area;

// Handle of a controller of a simulation; 0 is none. Handles of objects in a simulation are checked when
// they are used: dead ones find nothing.
typedef uint64_t ugas_controller;

// Finds the controllers in an area at the time `now` of the simulation, in microseconds. Writes at most `capacity` controllers to `found`, in any order and each
// once, and the total number to `count`; it is called again with more room if that is larger. Returns 0 to
// search the placements instead.
typedef uint32_t (*ugas_candidates)(void *user,
                                    uint64_t now,
                                    const ugas_area *area,
                                    ugas_controller *found,
                                    size_t capacity,
                                    size_t *count);

// Spatial queries of the host. The answers influence the simulation: they must be the same on every machine
// that computes it. The callbacks must not call this library, and no exception may leave them.
typedef struct {
    // sizeof(ugas_space).
    size_t size;
    // May be null: then every point is visible from every other.
    ugas_line_of_sight line_of_sight;
    // May be null: then the placements are searched.
    ugas_candidates candidates;
    // Passed to both callbacks.
    void *user;
    // Called with `user` once nothing can call the callbacks anymore; may be null. If the registration
    // itself fails, `user` stays the host's.
    ugas_free free;
} ugas_space;

// Handle of a simulation of this context.
typedef uint64_t ugas_simulation;

// Id of a tag. Ids of definitions belong to a catalog; equal packs have equal ids.
typedef uint32_t ugas_tag;

// Id of an attribute.
typedef uint32_t ugas_attribute;

// Id of an attribute set.
typedef uint32_t ugas_attribute_set;

// Id of an effect definition.
typedef uint32_t ugas_effect;

// Id of an ability definition.
typedef uint32_t ugas_ability;

// Configuration of a simulation. Zero selects the default for every limit.
typedef struct {
    // sizeof(ugas_config).
    size_t size;
    // Seed of the random number generator.
    uint64_t seed;
    // Maximum number of operations in the cascade of one call or timer.
    uint32_t cascade_limit;
    // Maximum number of controllers.
    uint32_t max_controllers;
    // Maximum number of effects on one controller.
    uint32_t max_effects_per_controller;
    // Maximum number of queued events.
    uint32_t max_events;
    // Shortest period of an effect in microseconds; set it for untrusted packs.
    int64_t min_period;
    // Not zero if the simulation predicts the decisions of an authority.
    uint32_t is_client;
    // Not zero to get UGAS_EVENT_KIND_BEFORE_EFFECT_APPLIED before each application.
    uint32_t audit;
    // Not zero to get UGAS_EVENT_KIND_TAG_COUNT_CHANGED for every change of a tag's explicit count (T6). A
    // server that takes over the simulation gets them too.
    uint32_t tag_counts;
    // Zero.
    uint32_t reserved;
    // Kinds of events that are not queued: the sum of `1 << kind` for each of them, as UGAS_EVENT_KIND. Zero
    // queues all. Neither the state nor its hash depends on it.
    uint64_t excluded_events;
} ugas_config;

// An actor of the host's world; a number that the host chooses.
typedef uint64_t ugas_actor;

// Parameters of a spawn.
typedef struct {
    // sizeof(ugas_spawn).
    size_t size;
    // Name of a template of the catalog.
    ugas_str template_name;
    // Logical owner, if has_owner is not zero.
    ugas_actor owner;
    // Actor that represents the controller in the world, if has_avatar is not zero.
    ugas_actor avatar;
    // Whether there is an owner.
    uint32_t has_owner;
    // Whether there is an avatar.
    uint32_t has_avatar;
} ugas_spawn;

// Base and current value of an attribute.
typedef struct {
    // Base value, without modifiers.
    double base;
    // Current value, with all modifiers.
    double current;
    // The attribute.
    ugas_attribute attribute;
    // Zero.
    uint32_t reserved;
} ugas_attribute_values;

// A tag with its count.
typedef struct {
    // The tag.
    ugas_tag tag;
    // Explicit count of the tag, without its descendants.
    uint32_t count;
} ugas_tag_count;

// Condition on tags: all of `all`, one of `any` unless it is empty, none of `none`. A tag also matches if a
// descendant of it is present. All zeros always match.
typedef struct {
    // sizeof(ugas_tag_query).
    size_t size;
    // Tags that must all be present.
    const ugas_tag *all;
    // Number of entries in `all`.
    size_t all_count;
    // Tags of which at least one must be present.
    const ugas_tag *any;
    // Number of entries in `any`.
    size_t any_count;
    // Tags that must not be present.
    const ugas_tag *none;
    // Number of entries in `none`.
    size_t none_count;
} ugas_tag_query;

// SetByCaller magnitude: a number that the caller of an effect provides under a tag.
typedef struct {
    // The magnitude.
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
    // Part of the actor that was hit; a number that the host chooses.
    uint32_t part;
    // Controller; 0 is possible for a hit.
    ugas_controller controller;
    // Location of a place or a hit.
    double location[3];
    // For a hit: surface normal.
    double normal[3];
    // For a hit: distance travelled.
    double distance;
    // For a hit: actor that was hit, if has_actor is not zero.
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
    // Length in bytes.
    size_t length;
} ugas_bytes;

// Effect to apply, with its context.
typedef struct {
    // sizeof(ugas_apply).
    size_t size;
    // Level, if has_level is not zero; otherwise it is 1.
    double level;
    // Controller that causes the effect; 0 is none.
    ugas_controller source;
    // Granted ability that applies the effect; 0 is none.
    uint64_t ability;
    // SetByCaller magnitudes.
    const ugas_magnitude *magnitudes;
    // Number of entries in `magnitudes`.
    size_t magnitude_count;
    // Tags to grant in addition to those of the definition.
    const ugas_tag *granted_tags;
    // Number of entries in `granted_tags`.
    size_t granted_tag_count;
    // Asset tags in addition to those of the definition.
    const ugas_tag *asset_tags;
    // Number of entries in `asset_tags`.
    size_t asset_tag_count;
    // Hit that led to the effect; null is none.
    const ugas_target *hit;
    // Actor that physically caused the effect, if has_causer is not zero.
    ugas_actor causer;
    // Object that the effect originates from, if has_source_object is not zero.
    ugas_actor source_object;
    // World location, if has_origin is not zero.
    double origin[3];
    // Duration that replaces the one of the definition, if has_duration is not zero.
    int64_t duration;
    // Period that replaces the one of the definition, if has_period is not zero.
    int64_t period;
    // Definition of the effect.
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

// Handle of an active effect; 0 is none.
typedef uint64_t ugas_active_effect;

// Filter on active effects. All given criteria must hold; all zeros select every effect.
typedef struct {
    // sizeof(ugas_effect_query).
    size_t size;
    // Effects that this controller caused; 0 is no condition.
    ugas_controller source;
    // Condition on the tags of the effect, granted ones included; null is no condition.
    const ugas_tag_query *tags;
    // Condition on the tags of its source; null is no condition.
    const ugas_tag_query *source_tags;
    // Definition of the effect, if has_effect is not zero.
    ugas_effect effect;
    // Whether the definition is a criterion.
    uint32_t has_effect;
    // Attribute that a modifier of the effect changes, if has_attribute is not zero.
    ugas_attribute attribute;
    // Whether the attribute is a criterion.
    uint32_t has_attribute;
    // Object that the effect originates from, if has_source_object is not zero; for example, an item that is
    // unequipped.
    ugas_actor source_object;
    // Whether the source object is a criterion.
    uint32_t has_source_object;
    // Zero.
    uint32_t reserved;
} ugas_effect_query;

// State of an active effect. Times are in microseconds.
typedef struct {
    // Handle of the active effect.
    ugas_active_effect active;
    // Controller that the effect is on.
    ugas_controller target;
    // Controller that caused the effect, which may no longer exist; 0 is none.
    ugas_controller source;
    // Level.
    double level;
    // Time at which the effect became active.
    uint64_t started;
    // Full duration; -1 is infinite.
    int64_t duration;
    // Remaining duration; -1 is infinite.
    int64_t remaining;
    // Time between executions; 0 if the effect is not periodic.
    int64_t period;
    // Definition of the effect.
    ugas_effect effect;
    // Stack count.
    uint32_t stacks;
    // Number of executions so far.
    uint32_t ticks;
    // Not zero if the effect is queued behind another one.
    uint32_t is_queued;
    // Not zero if the ongoing requirements fail, so that the effect is inhibited.
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

// Parameters of a grant.
typedef struct {
    // sizeof(ugas_grant).
    size_t size;
    // Input that activates the ability; empty is none.
    ugas_str input;
    // Tags of this grant, in addition to the tags of the definition.
    const ugas_tag *tags;
    // Number of entries in `tags`.
    size_t tag_count;
    // Object that grants the ability, if has_source_object is not zero.
    ugas_actor source_object;
    // Whether there is a source object.
    uint32_t has_source_object;
    // Not zero to activate the ability at once.
    uint32_t activate;
    // Definition of the ability.
    ugas_ability ability;
    // Level; 0 counts as 1.
    uint32_t level;
} ugas_grant;

// Handle of an ability that was granted to a controller; 0 is none.
typedef uint64_t ugas_granted_ability;

// State of a granted ability. Times are in microseconds.
typedef struct {
    // Handle of the granted ability.
    ugas_granted_ability granted;
    // Controller that has the ability.
    ugas_controller controller;
    // Most recent activation that is still running; 0 if there is none.
    uint64_t activation;
    // Remaining cooldown; 0 if there is none.
    int64_t cooldown_remaining;
    // Full length of the cooldown.
    int64_t cooldown_total;
    // Definition of the ability.
    ugas_ability ability;
    // Level.
    uint32_t level;
    // One of ugas_ability_state.
    uint32_t state;
    // Number of running activations.
    uint32_t activation_count;
    // Charges that are left; 0 for an ability without charges.
    uint32_t charges;
    // Zero.
    uint32_t reserved;
} ugas_ability_info;

// Abilities, effects and attribute sets that an ability set granted. The lists are valid until the next
// call: copy them to keep them.
typedef struct {
    // sizeof(ugas_granted_set).
    size_t size;
    // Granted abilities.
    const ugas_granted_ability *abilities;
    // Number of entries in `abilities`.
    size_t ability_count;
    // Applied effects, beginning with the one that grants the tags.
    const ugas_active_effect *effects;
    // Number of entries in `effects`.
    size_t effect_count;
    // Attribute sets that the controller did not have before.
    const ugas_attribute_set *attribute_sets;
    // Number of entries in `attribute_sets`.
    size_t attribute_set_count;
} ugas_granted_set;

// A number with a name.
typedef struct {
    // The name.
    ugas_str name;
    // The number.
    double value;
} ugas_named_number;

// Gameplay event sent to a controller; it can activate abilities and complete waiting tasks.
typedef struct {
    // sizeof(ugas_gameplay_event).
    size_t size;
    // Magnitude of the event.
    double magnitude;
    // Controller that caused the event; 0 is none.
    ugas_controller instigator;
    // Controller that the event is about; 0 is none.
    ugas_controller target;
    // Tag that identifies the kind of event.
    ugas_tag tag;
    // Zero.
    uint32_t reserved;
    // Context tags, such as Hit.Critical.
    const ugas_tag *context_tags;
    // Number of context tags.
    size_t context_tag_count;
    // Target data: targets in addition to, or instead of, `target` (A11).
    const ugas_target *targets;
    // Number of entries in `targets`.
    size_t target_count;
    // Named numbers, read by Event.Payload("name") in expressions.
    const ugas_named_number *payload;
    // Number of entries in `payload`.
    size_t payload_count;
} ugas_gameplay_event;

// Handle of one activation of a granted ability; 0 is none.
typedef uint64_t ugas_activation;

// Handle of a running task of an activation; 0 is none.
typedef uint64_t ugas_task;

// State of a task.
typedef struct {
    // Handle of the task.
    ugas_task task;
    // Controller that has the ability.
    ugas_controller controller;
    // Activation that the task belongs to.
    uint64_t activation;
    // Start time in microseconds.
    uint64_t started;
    // Index of the task in the ability's program.
    uint32_t step;
    // Zero.
    uint32_t reserved;
} ugas_task_info;

// Handle of an input mapper of this context: one per player, independent of the simulation.
typedef uint64_t ugas_mapper;

// Signal of an action. Texts are valid as long as the mapper.
typedef struct {
    // Name of the action.
    ugas_str action;
    // Input that abilities are bound to.
    ugas_str input;
    // Exact time in microseconds, not the time of the call that detected it.
    uint64_t time;
    // For a release: time for which it was pressed, in microseconds.
    int64_t held;
    // For a value: the axes.
    double value[3];
    // One of ugas_signal_kind.
    uint32_t kind;
    // For a release: one of ugas_release_cause.
    uint32_t cause;
} ugas_signal;

// Position and facing of a controller; a zero facing has no direction.
typedef struct {
    // Position in world coordinates.
    double position[3];
    // Direction that the controller faces.
    double facing[3];
} ugas_placement;

// Cause of an event. Zero and UGAS_NO_ID are none.
typedef struct {
    // Number of the operation: the call or timer that the whole cascade goes back to.
    uint64_t operation;
    // Active effect that caused the event.
    uint64_t active_effect;
    // Controller that caused the effect.
    ugas_controller source;
    // Granted ability that caused the event or applied the effect.
    uint64_t granted_ability;
    // Definition of the effect.
    uint32_t effect;
    // Zero.
    uint32_t reserved;
} ugas_cause;

// A changed owner or avatar.
typedef struct {
    // Previous actor, if has_before is not zero.
    ugas_actor before;
    // New actor, if has_now is not zero.
    ugas_actor now;
    // Whether there was an actor.
    uint32_t has_before;
    // Whether there is an actor.
    uint32_t has_now;
} ugas_event_actor;

// A changed attribute; or one that could not be evaluated, whose numbers are zero.
typedef struct {
    // Base value before.
    double old_base;
    // Base value now.
    double new_base;
    // Current value before.
    double old_value;
    // Current value now.
    double new_value;
    // The attribute.
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

// An effect. Fields that do not apply to the event are zero.
typedef struct {
    // Handle of the active effect; 0 if there is none.
    uint64_t active;
    // Active effect that makes the target immune.
    uint64_t by;
    // Remaining duration in microseconds; -1 is infinite.
    int64_t remaining;
    // Definition of the effect.
    ugas_effect effect;
    // One of ugas_removal_reason.
    uint32_t reason;
    // Stack count before.
    uint32_t old_stacks;
    // Stack count now; of a removed effect, the stack count it had.
    uint32_t stacks;
    // Number of reasons of a refusal; ugas_event_reasons makes them readable.
    uint32_t reason_count;
    // Attribute of an inert modifier.
    ugas_attribute attribute;
    // Index of that modifier in the effect.
    uint32_t modifier;
    // Zero.
    uint32_t reserved;
    // Context tags of an effect that was applied or executed (E14), valid as long as the event.
    const ugas_tag *context_tags;
    // Number of context tags.
    size_t context_tag_count;
} ugas_event_effect;

// An ability. Fields that do not apply to the event are zero.
typedef struct {
    // Granted ability; 0 if there is none.
    uint64_t granted;
    // Activation.
    uint64_t activation;
    // Granted ability that cancelled the activation.
    uint64_t by;
    // Length of the cooldown in microseconds; -1 if unknown.
    int64_t cooldown;
    // Definition of the ability; UGAS_NO_ID if the event does not have it.
    ugas_ability ability;
    // One of ugas_end_reason.
    uint32_t reason;
    // Tag that cancelled the activation; UGAS_NO_ID if none did.
    ugas_tag tag;
    // Level before.
    uint32_t old_level;
    // Level now.
    uint32_t level;
    // Charges now.
    uint32_t charges;
    // Number of reasons of a refusal; ugas_event_reasons makes them readable.
    uint32_t reason_count;
    // Zero.
    uint32_t reserved;
} ugas_event_ability;

// A gameplay event. Its lists are valid as long as the event.
typedef struct {
    // Magnitude of the event.
    double magnitude;
    // Controller that caused the event; 0 is none.
    ugas_controller instigator;
    // Controller that the event is about; 0 is none.
    ugas_controller target;
    // Tag that identifies the kind of event.
    ugas_tag tag;
    // Zero.
    uint32_t reserved;
    // Context tags, such as Hit.Critical.
    const ugas_tag *context_tags;
    // Number of context tags.
    size_t context_tag_count;
    // Target data: targets in addition to, or instead of, `target`.
    const ugas_target *targets;
    // Number of entries in `targets`.
    size_t target_count;
    // Named numbers, sorted by name.
    const ugas_named_number *payload;
    // Number of entries in `payload`.
    size_t payload_count;
} ugas_event_gameplay;

// An input.
typedef struct {
    // Name of the input.
    ugas_str input;
    // Time for which the input was held, in microseconds.
    int64_t held;
} ugas_event_input;

// A task. Fields that do not apply to the event are zero.
typedef struct {
    // Name of a host task.
    ugas_str kind;
    // Task to complete; 0 if the event is only about a step of a program.
    uint64_t task;
    // Definition of the ability; UGAS_NO_ID if the event does not have it.
    ugas_ability ability;
    // Index of the task in the ability's program.
    uint32_t step;
    // How targets are confirmed: 0 instantly, 1 by the user, 2 by the host, 3 by the host repeatedly.
    uint32_t confirmation;
    // Number of reasons of a failure; ugas_event_reasons makes them readable.
    uint32_t reason_count;
} ugas_event_task;

// Context of a cue: cause, hit, levels, tags and payload (C1). Lists and texts are valid as long as the
// event.
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
    // World location, if has_location is not zero.
    double location[3];
    // Tag of the cue.
    ugas_tag cue;
    // Whether there is a location.
    uint32_t has_location;
    // Rest of the context (C1), valid as long as the event; null if nothing is known of it, and when a cue
    // ends.
    const ugas_cue_details *details;
} ugas_event_cue;

// A cascade that reached its limit.
typedef struct {
    // Number of dropped operations.
    uint32_t dropped;
    // Zero.
    uint32_t reserved;
} ugas_event_limit;

// Body of an event; the kind of the event selects the member. Its size does not change when members are
// added.
typedef union {
    // Changed owners and avatars.
    ugas_event_actor actor;
    // Added and removed attribute sets.
    ugas_attribute_set attribute_set;
    // Changed attributes.
    ugas_event_attribute attribute;
    // Added and removed tags.
    ugas_tag tag;
    // Changed tag counts.
    ugas_event_tag_count tag_count;
    // Effects.
    ugas_event_effect effect;
    // Abilities.
    ugas_event_ability ability;
    // Gameplay events.
    ugas_event_gameplay gameplay;
    // Inputs.
    ugas_event_input input;
    // Tasks.
    ugas_event_task task;
    // Cues.
    ugas_event_cue cue;
    // Cascades that reached their limit.
    ugas_event_limit limit;
    // Logic errors.
    ugas_str message;
    // Reserves the size of the union.
    uint64_t raw[12];
} ugas_event_body;

// An event. `kind` selects the member of `body`; hosts must skip kinds that they do not know.
typedef struct {
    // One of ugas_event_kind.
    uint32_t kind;
    // One of ugas_category; events to show to players have the category UGAS_CATEGORY_CUE.
    uint32_t category;
    // Sequence number in the event stream.
    uint64_t sequence;
    // Time of the event in microseconds.
    uint64_t time;
    // Controller that the event is about; 0 is none.
    ugas_controller controller;
    // Cause of the event.
    ugas_cause cause;
    // Prediction key that the event belongs to, if has_prediction is not zero.
    uint64_t prediction;
    // Whether the event belongs to a prediction.
    uint32_t has_prediction;
    // Index among the events of the same poll, for ugas_event_text and ugas_event_reasons.
    uint32_t index;
    // Data of the event, selected by `kind`.
    ugas_event_body body;
} ugas_event;

// Number of a call of a callback. It is valid until the callback returns, on the thread that runs it; later it is
// refused with UGAS_STATUS_BAD_HANDLE. It is the only way in which a callback may use the library: functions that
// take a context are refused there. The functions return a status without a message.
typedef uint64_t ugas_call;

// Application that is about to happen.
typedef struct {
    // sizeof(ugas_before_apply_input) of the library.
    size_t size;
    // Controller that the effect is applied to.
    ugas_controller target;
    // Controller that caused the effect; 0 is none.
    ugas_controller source;
    // Level of the effect.
    double level;
    // Definition of the effect.
    ugas_effect effect;
    // Zero.
    uint32_t reserved;
} ugas_before_apply_input;

// Decides about an application: 0 accepts it, any other value refuses it, with the text of ugas_call_refuse.
typedef uint32_t (*ugas_before_apply)(void *user, ugas_call call, const ugas_before_apply_input *input);

// Current value that is about to change, aggregated and clamped.
typedef struct {
    // sizeof(ugas_pre_change_input) of the library.
    size_t size;
    // Controller whose attribute changes.
    ugas_controller controller;
    // Base value.
    double base;
    // Current value before the change.
    double old_value;
    // Current value after the change.
    double new_value;
    // Attribute that changes.
    ugas_attribute attribute;
    // Zero.
    uint32_t reserved;
} ugas_pre_change_input;

// Returns the new current value of an attribute; one that is not finite is ignored.
typedef double (*ugas_pre_change)(void *user, const ugas_pre_change_input *input);

// Base value that an execution changed.
typedef struct {
    // sizeof(ugas_post_execute_input) of the library.
    size_t size;
    // Controller whose base value changed: the target of the effect, or its source for an output to the source.
    ugas_controller controller;
    // Target of the effect.
    ugas_controller target;
    // Source of the effect; 0 is none.
    ugas_controller source;
    // Base value before the execution.
    double old_base;
    // Base value after the execution, before clamping. For a meta attribute that was drained, the drained amount.
    double new_base;
    // Level of the effect; 0 if it has ended.
    double level;
    // Attribute whose base value changed.
    ugas_attribute attribute;
    // Definition of the effect; UGAS_NO_ID if it has ended.
    ugas_effect effect;
} ugas_post_execute_input;

// Reacts to a base value that an execution changed, with ugas_call_set_base and ugas_call_apply.
typedef void (*ugas_post_execute)(void *user, ugas_call call, const ugas_post_execute_input *input);

// Hooks of the host. They must be functions of their input and of what the functions of ugas_call read: no clock, no
// state and no random numbers of their own, because clients and recordings run them again. No exception may leave them.
typedef struct {
    // sizeof(ugas_hooks).
    size_t size;
    // Attribute of pre_change and post_execute; empty if there is only before_apply.
    ugas_str attribute;
    // Called before every application; may be null.
    ugas_before_apply before_apply;
    // Called each time the current value of the attribute changes; may be null.
    ugas_pre_change pre_change;
    // Called after an execution changed the base value of the attribute; may be null.
    ugas_post_execute post_execute;
    // Passed to all given.
    void *user;
    // Called with `user` once nothing can call the callbacks anymore; may be null. If the registration itself
    // fails, `user` stays the host's.
    ugas_free free;
} ugas_hooks;

// Input of a call of a custom task.
typedef struct {
    // sizeof(ugas_task_input) of the library.
    size_t size;
    // Owner of the ability.
    ugas_controller owner;
    // Target of the activation; 0 is none.
    ugas_controller target;
    // Event that woke the task, valid during the call; null in `activate` and `timer`. Its sequence and cause are zero.
    const ugas_event *event;
} ugas_task_input;

// A call of a custom task. Returns one of ugas_task_progress; any other value is a failure.
typedef uint32_t (*ugas_task_function)(void *user, ugas_call call, const ugas_task_input *input);

// Registration of a custom task. Its functions must be functions of their input, of the numbers that the task stored,
// and of what the functions of ugas_call read: no clock, no state and no random numbers of their own, because clients
// and recordings run them again. No exception may leave them. A task needs no clean-up: its subscriptions and its
// timer end with it.
typedef struct {
    // sizeof(ugas_custom_task).
    size_t size;
    // Name by which abilities refer to it, as the `Type` of a task. It wins over a host task of the same name.
    ugas_str name;
    // Called when the task begins. It subscribes and sets the timer; it may be done at once.
    ugas_task_function activate;
    // Called when an event matches a subscription; a null function continues to wait.
    ugas_task_function wake;
    // Called when the timer fires; a null function is done.
    ugas_task_function timer;
    // Passed to all functions.
    void *user;
    // Called with `user` once nothing can call the functions anymore; may be null. If the registration itself
    // fails, `user` stays the host's.
    ugas_free free;
    // Not zero if the task never waits: abilities without instances may use it.
    uint32_t never_waits;
    // Zero.
    uint32_t reserved;
} ugas_custom_task;

// Result of a command in a batch.
typedef struct {
    // Status that the call would have returned outside a batch.
    uint32_t status;
    // One of ugas_batch_result_kind.
    uint32_t kind;
    // Meaning depends on `kind`.
    uint64_t handle;
    // Meaning depends on `kind`.
    uint32_t count;
    // Zero.
    uint32_t reserved;
} ugas_batch_result;

// Handle of a snapshot of this context.
typedef uint64_t ugas_snapshot;

// Maps an instigator of a character's effects to a controller of this simulation.
typedef struct {
    // Name of the instigator; empty if it is identified by its owner.
    ugas_str name;
    // Actor that owned the instigator, if has_owner is not zero.
    ugas_actor owner;
    // Controller that stands for it in this simulation.
    ugas_controller controller;
    // Whether it is identified by its owner.
    uint32_t has_owner;
    // Zero.
    uint32_t reserved;
} ugas_instigator;

// Options for restoring a character.
typedef struct {
    // sizeof(ugas_restore_options).
    size_t size;
    // Instigators that are known in this simulation.
    const ugas_instigator *instigators;
    // Number of entries in `instigators`.
    size_t instigator_count;
    // New owner, if has_owner is not zero.
    ugas_actor owner;
    // New avatar, if has_avatar is not zero.
    ugas_actor avatar;
    // Whether the owner is replaced.
    uint32_t has_owner;
    // Whether the avatar is replaced.
    uint32_t has_avatar;
    // One of ugas_orphans.
    uint32_t orphans;
    // Zero.
    uint32_t reserved;
} ugas_restore_options;

// Settings of a recording.
typedef struct {
    // sizeof(ugas_recording_settings).
    size_t size;
    // Ticks between key frames; 0 is the default.
    uint32_t key_every;
    // Not zero to omit the definitions from the recording: then it cannot be played without the pack.
    uint32_t omit_rules;
} ugas_recording_settings;

// Result of verifying a recording.
typedef struct {
    // sizeof(ugas_verification).
    size_t size;
    // Number of compared ticks.
    uint64_t ticks;
    // Number of compared key frames.
    uint64_t key_frames;
    // First tick that differs, if `differs` is not zero.
    uint64_t tick;
    // Recorded hash of that tick.
    uint64_t recorded;
    // Simulated hash of that tick.
    uint64_t simulated;
    // Not zero if a tick differs.
    uint32_t differs;
    // Zero.
    uint32_t reserved;
} ugas_verification;

// Handle of a player of this context: a recording that is played back. A player is a simulation too: its
// handle is accepted wherever a ugas_simulation is, to read the state at its position. Only the functions
// here change it; every other change is refused with UGAS_STATUS_RECORDING. Freed with ugas_simulation_free.
typedef uint64_t ugas_player;

// Position of a player. Times are in microseconds.
typedef struct {
    // sizeof(ugas_player_position).
    size_t size;
    // Number of completed ticks.
    uint64_t tick;
    // Number of ticks of the whole recording.
    uint64_t tick_count;
    // Time at the position.
    uint64_t time;
    // Time at the end of the recording.
    uint64_t end;
    // Number of commands of the next tick that were already executed.
    uint32_t command;
    // One of ugas_agreement.
    uint32_t agreement;
    // Not zero at the end of the recording.
    uint32_t is_at_end;
    // Not zero if the recording was finished; otherwise the recorder was interrupted, and the recording ends
    // with its last complete tick.
    uint32_t is_complete;
} ugas_player_position;

// A connection of the host's transport, such as an address or a socket; a number that the host chooses.
typedef uint64_t ugas_peer;

// Decides whether a connection is accepted: not zero is yes. The credential comes from the client.
typedef uint32_t (*ugas_admit)(void *user, ugas_peer peer, ugas_bytes credential);

// Id of an accepted client, chosen by the server.
typedef uint32_t ugas_client_id;

// Returns one of ugas_actor_class for a controller that the client does not own.
typedef uint32_t (*ugas_classify)(void *user, ugas_client_id client, ugas_controller controller);

// A client's request to act on a target.
typedef struct {
    // sizeof(ugas_reach) of the library.
    size_t size;
    // Controller that acts.
    ugas_controller instigator;
    // Target of the action.
    ugas_target target;
    // Maximum range of the ability's targeting; negative if it has none.
    double range;
    // Position of the target when the client saw it, if has_seen is not zero.
    double seen_position[3];
    // Tick that the client displayed when it acted.
    uint32_t seen_tick;
    // Client that sent the request.
    ugas_client_id client;
    // Default answer of the library: by distance, as far as it is known. Not zero is yes.
    uint32_t is_within_range;
    // Whether the position is known.
    uint32_t has_seen;
} ugas_reach;

// Decides whether a target can be reached: not zero is yes.
typedef uint32_t (*ugas_reaches)(void *user, const ugas_reach *reach);

// Decides whether a client may choose these targets together for an ability: not zero is yes. Each target is
// visible and reachable. `is_usual` is the default answer of the library: not zero if no target is named
// twice.
typedef uint32_t (*ugas_may_choose)(void *user,
                                    ugas_client_id client,
                                    ugas_ability ability,
                                    const ugas_target *targets,
                                    size_t target_count,
                                    uint32_t is_usual);

// Called for every rejected command with its ugas_rejection, and the number of this client's commands
// rejected for it so far. A result other than zero kicks the client.
typedef uint32_t (*ugas_on_rejection)(void *user, ugas_client_id client, uint32_t rejection, uint32_t count);

// Callbacks of a server's host; for a null callback the library uses its default. They must not call this
// library, and no exception may leave them.
typedef struct {
    // sizeof(ugas_server_host).
    size_t size;
    // By default every connection is accepted.
    ugas_admit admit;
    // By default every controller is UGAS_ACTOR_CLASS_IMPORTANT_AI.
    ugas_classify classify;
    // By default decided by distance.
    ugas_reaches reaches;
    // By default no target may be named twice.
    ugas_may_choose may_choose;
    // By default no client is kicked.
    ugas_on_rejection rejected;
    // Passed to all callbacks.
    void *user;
    // Called with `user` when the server is freed; may be null. If ugas_server_new fails, `user` stays the
    // host's.
    ugas_free free;
} ugas_server_host;

// Configuration of a server. Zero selects the default for every number.
typedef struct {
    // sizeof(ugas_server_config).
    size_t size;
    // Callbacks of the game; may be null. They are copied.
    const ugas_server_host *host;
    // A session ends if its client is silent for longer, in microseconds.
    int64_t timeout;
    // Time after which an executed cue is no longer sent, in microseconds.
    int64_t flash_lifetime;
    // Maximum time that a task waits for a client, in microseconds.
    int64_t client_deadline;
    // Length of a tick in microseconds: from a millisecond to a second.
    uint32_t tick_length;
    // Maximum number of clients.
    uint32_t max_clients;
    // Maximum number of ticks that a command may be ahead.
    uint32_t max_lead;
    // Maximum number of ticks that a command may be late and still be executed.
    uint32_t grace;
    // Maximum datagrams per second from one client.
    uint32_t datagrams_per_second;
    // Maximum commands per second from one client.
    uint32_t commands_per_second;
    // Maximum bytes per second to one client.
    uint32_t bytes_per_second;
    // Number of ticks for which past positions are kept.
    uint32_t rewind;
    // Not zero to choose targets for a client that missed its deadline; otherwise the activation is
    // cancelled.
    uint32_t generate_after_deadline;
    // Not zero if clients may report that a host task completed.
    uint32_t trust_host_tasks;
    // Not zero if clients may choose the event that activates an ability.
    uint32_t trust_events;
    // Not zero if clients see only controllers shown to them with ugas_server_show; otherwise they see all
    // that are not hidden.
    uint32_t show_nothing;
    // Time for which the session of a lost connection is kept, in microseconds, so that its client can resume
    // it. Negative keeps none.
    int64_t resume_time;
    // Not zero if a client may resume its session from any peer with its secret: for transports whose peers
    // are addresses. Otherwise it must be the same peer.
    uint32_t resume_from_any_peer;
    // Zero.
    uint32_t reserved;
} ugas_server_config;

// Handle of a server of this context. A server is a simulation too: its handle is accepted wherever a
// ugas_simulation is, to read the game and, between ticks, to change it. Freed with ugas_simulation_free.
typedef uint64_t ugas_server;

// Counters of a server.
typedef struct {
    // sizeof(ugas_server_statistics).
    size_t size;
    // Datagrams received.
    uint64_t received;
    // Received datagrams that could not be decoded, came from unknown peers or exceeded the rate limit.
    uint64_t dropped;
    // Datagrams sent.
    uint64_t sent;
    // Bytes sent.
    uint64_t sent_bytes;
    // Commands executed.
    uint64_t commands;
    // Commands rejected.
    uint64_t rejected;
    // The last completed tick.
    uint32_t tick;
    // Length of a tick in microseconds.
    uint32_t tick_length;
    // Sessions that were kept after a lost connection.
    uint64_t interrupted;
    // Sessions that were resumed.
    uint64_t resumed;
    // Kept sessions that nobody resumed in time.
    uint64_t expired;
} ugas_server_statistics;

// Event of a server. Fields that do not apply to the kind are zero.
typedef struct {
    // One of ugas_server_event_kind.
    uint32_t kind;
    // A ugas_bye_reason (left), a ugas_refused_reason (refused) or a ugas_rejection (rejected).
    uint32_t reason;
    // Client that joined, left, was interrupted or resumed, or sent the rejected command.
    ugas_client_id client;
    // Zero.
    uint32_t reserved;
    // Connection that joined, was refused or was lost, or over which a session goes on.
    ugas_peer peer;
    // Overdue task.
    ugas_task task;
    // Credential of the client that joined. Valid until the next poll of this server.
    ugas_bytes credential;
    // The reason as text. Valid until the next poll of this server.
    ugas_str words;
    // Event of the game.
    ugas_event game;
} ugas_server_event;

// A connected client.
typedef struct {
    // Round-trip time in microseconds; -1 before the first measurement.
    int64_t round_trip;
    // Id of the client.
    ugas_client_id client;
    // Number of its rejected commands.
    uint32_t rejected;
} ugas_server_client;

// Number of a client's commands that were rejected for one reason.
typedef struct {
    // One of ugas_rejection.
    uint32_t rejection;
    // Number of rejected commands.
    uint32_t count;
} ugas_rejection_count;

// Visibility of a controller: what clients see of it.
typedef struct {
    // sizeof(ugas_lens).
    size_t size;
    // Attributes to show instead of those of the kind; an empty list keeps those of the kind.
    const ugas_attribute *attributes;
    // Number of entries in `attributes`.
    size_t attribute_count;
    // One of ugas_lens_kind.
    uint32_t kind;
    // Not zero to include the position.
    uint32_t placement;
} ugas_lens;

// Configuration of a client. Zero selects the default for every number but the nonce.
typedef struct {
    // sizeof(ugas_client_config).
    size_t size;
    // Identifies a session of this client: a random number, a new one for each session.
    uint64_t nonce;
    // Credential that the server's host checks: a name, a ticket; at most 256 bytes. It is copied.
    ugas_bytes credential;
    // Interval between connection attempts, in microseconds.
    int64_t retry;
    // The session ends if the server is silent for longer, in microseconds.
    int64_t timeout;
    // Maximum number of ticks that are predicted ahead of the server.
    uint32_t window;
    // Not zero to show the player's actions only after the server has answered.
    uint32_t no_prediction;
    // Not zero to get UGAS_CLIENT_EVENT_KIND_TAG_COUNT_CHANGED for every change of a tag's explicit count
    // (T6).
    uint32_t tag_counts;
    // Maximum number of attempts to reconnect after a lost connection, for ugas_client_link.
    uint32_t reconnect_attempts;
    // Time for which the client tries to resume its session after a lost connection, in microseconds.
    // Negative ends the session at once.
    int64_t resume_time;
    // Silence of the server after which another connection is opened, in microseconds, for ugas_client_link.
    int64_t reconnect_silence;
} ugas_client_config;

// Handle of a client of this context. A client is a simulation too: its handle is accepted wherever a
// ugas_simulation is, to read the displayed state. Player actions go through the functions of the client;
// every other change of the game is refused with UGAS_STATUS_NETWORKED. Freed with ugas_simulation_free.
typedef uint64_t ugas_client;

// State and counters of a client.
typedef struct {
    // sizeof(ugas_client_statistics).
    size_t size;
    // Datagrams received.
    uint64_t received;
    // Bytes received.
    uint64_t received_bytes;
    // Received datagrams that could not be decoded.
    uint64_t dropped;
    // Datagrams sent.
    uint64_t sent;
    // Bytes sent.
    uint64_t sent_bytes;
    // Commands that the server executed.
    uint64_t confirmed;
    // Commands that the server rejected.
    uint64_t rejected;
    // Mispredicted ticks of its own controllers.
    uint64_t mispredicted;
    // Ticks that were simulated again after a correction.
    uint64_t replayed;
    // Round-trip time in microseconds; 0 before the first measurement.
    int64_t round_trip;
    // Id of the client, if is_playing is not zero.
    ugas_client_id client;
    // Not zero if the client is connected.
    uint32_t is_playing;
    // The displayed tick.
    uint32_t tick;
    // Newest server tick that the displayed state is based on, if has_confirmed_tick is not zero.
    uint32_t confirmed_tick;
    // Whether there is a confirmed tick.
    uint32_t has_confirmed_tick;
    // Not zero if the connection was lost and the client asks to resume its session.
    uint32_t is_resuming;
    // Number of times that the session was resumed.
    uint64_t resumed;
} ugas_client_statistics;

// Prediction key of a client's command: identifies it in its confirmation or rejection, and in the events
// that it caused. 0 is none.
typedef uint64_t ugas_command_key;

// Body of session events.
typedef struct {
    // Id of the client.
    ugas_client_id client;
    // One of ugas_refused_reason or ugas_bye_reason.
    uint32_t reason;
    // The reason as text. Valid until the next poll of this client.
    ugas_str words;
} ugas_client_event_session;

// Body of attribute events.
typedef struct {
    // Current value before.
    double old_value;
    // Current value now.
    double new_value;
    // The attribute.
    ugas_attribute attribute;
    // Zero.
    uint32_t reserved;
} ugas_client_event_attribute;

// Body of effect events. Fields that do not apply to the kind are zero, or UGAS_NO_ID.
typedef struct {
    // Handle of the active effect.
    uint64_t active;
    // Previous handle of the active effect, if its handle changed.
    uint64_t old_active;
    // Definition of the effect.
    ugas_effect effect;
    // Stack count before.
    uint32_t old_stacks;
    // Stack count now.
    uint32_t stacks;
    // Zero.
    uint32_t reserved;
} ugas_client_event_effect;

// Body of cue events. Fields that do not apply to the kind are zero.
typedef struct {
    // Controller that caused the cue; 0 is none.
    ugas_controller source;
    // Magnitude of the cue.
    double magnitude;
    // Level of the effect behind the cue.
    double level;
    // World location, if has_location is not zero.
    double location[3];
    // Time at which the cue started, in microseconds of game time; -1 if unknown.
    int64_t since;
    // Tag of the cue.
    ugas_tag cue;
    // Whether there is a location.
    uint32_t has_location;
    // Rest of the context (C1), valid until the next poll of this client; null if nothing is known of it.
    const ugas_cue_details *details;
} ugas_client_event_cue;

// Body of command events.
typedef struct {
    // Key of the command.
    ugas_command_key command;
    // The reason of a rejection as text. Valid until the next poll of this client.
    ugas_str words;
    // For a rejected command: one of ugas_rejection.
    uint32_t rejection;
    // For a confirmed command: number of ticks by which it was late.
    uint32_t shift;
} ugas_client_event_command;

// Body of a client event; the kind of the event selects the member. Its size does not change when members
// are added.
typedef union {
    // Session events.
    ugas_client_event_session session;
    // Not zero if the client owns the controller.
    uint32_t own;
    // Attribute events.
    ugas_client_event_attribute attribute;
    // Tag events.
    ugas_tag tag;
    // Changed tag counts.
    ugas_event_tag_count tag_count;
    // Effect events.
    ugas_client_event_effect effect;
    // Cue events.
    ugas_client_event_cue cue;
    // Ability events.
    ugas_granted_ability granted;
    // Activation events.
    ugas_activation activation;
    // Events of the game.
    ugas_event event;
    // Command events.
    ugas_client_event_command command;
    // Corrected tick.
    uint32_t tick;
    // Reserves the size of the union.
    uint64_t raw[24];
} ugas_client_event_body;

// Event of a client. Handles are those of the client's own simulation.
typedef struct {
    // One of ugas_client_event_kind. Hosts must skip kinds that they do not know.
    uint32_t kind;
    // Zero.
    uint32_t reserved;
    // Controller that the event is about; 0 is none.
    ugas_controller controller;
    // Data of the event, selected by `kind`.
    ugas_client_event_body body;
} ugas_client_event;

// Connection of a client.
typedef struct {
    // sizeof(ugas_connection).
    size_t size;
    // Time of the next attempt to reconnect, in microseconds of the host's clock.
    uint64_t next_try;
    // Why the client gave up. Valid until the next poll of this client.
    ugas_str words;
    // One of ugas_connection_state.
    uint32_t state;
    // Number of the present or next attempt, from 1.
    uint32_t attempt;
    // One of ugas_link_action.
    uint32_t action;
    // Zero.
    uint32_t reserved;
} ugas_connection;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Version of the library's interface, to be compared with UGAS_ABI_VERSION of the header.
uint32_t ugas_abi_version(void);

// Optional parts that the library was built with: a sum of UGAS_FEATURE_NET and UGAS_FEATURE_REPLAY. The header declares
// the functions of all parts; those of a missing part are not in the library.
uint32_t ugas_features(void);

// Anchor symbol with the version in its name: a program that refers to it does not link with a library of
// another version.
uint32_t ugas_abi_1(void);

// A status as text, valid forever.
ugas_str ugas_status_words(uint32_t status);

// Creates a context. Pass UGAS_ABI_VERSION; the result is to be freed with ugas_context_free.
ugas_status ugas_context_new(uint32_t abi_version, ugas_context **out);

// Frees a context with everything in it, and sets the caller's pointer to null. Null, or a pointer to null,
// is ignored. Copies of the pointer must not be used anymore: a context is the only handle that cannot be
// checked after it is freed.
ugas_status ugas_context_free(ugas_context **context);

// Error message of the last call with this context; empty if it succeeded. Valid until the next call.
ugas_status ugas_last_error(const ugas_context *context, ugas_str *out);

// Reasons why the last call was refused: each with its code and the objects involved. `row_size` is
// sizeof(ugas_reason). Texts are valid until the next call.
ugas_status ugas_last_reasons(const ugas_context *context,
                              ugas_reason *out,
                              size_t row_size,
                              size_t capacity,
                              size_t *count);

// Converts seconds to microseconds: rounded to the nearest, saturating, and zero for NaN.
int64_t ugas_micros_from_seconds(double seconds);

// Creates a loader, to be freed with ugas_loader_free.
ugas_status ugas_loader_new(ugas_context *context, ugas_loader *out);

// Frees a loader with its diagnostics. Zero is ignored.
ugas_status ugas_loader_free(ugas_context *context, ugas_loader loader);

// Adds a file, or a folder with everything in it. It is read by ugas_loader_load.
ugas_status ugas_loader_add_path(ugas_context *context, ugas_loader loader, ugas_str path);

// Adds a text as if it were a file of this name; a name that ends in `.json` selects JSON. The text is
// copied.
ugas_status ugas_loader_add_text(ugas_context *context, ugas_loader loader, ugas_str name, ugas_str text);

// Loads everything that was added, once. UGAS_STATUS_LOAD_FAILED if there is an error; in either case the
// diagnostics can be read until the loader is freed. The catalog is to be freed with ugas_catalog_free.
ugas_status ugas_loader_load(ugas_context *context, ugas_loader loader, ugas_catalog *out);

// Diagnostics of the load, in order of file and position. `row_size` is sizeof(ugas_diagnostic).
ugas_status ugas_loader_diagnostics(ugas_context *context,
                                    ugas_loader loader,
                                    ugas_diagnostic *out,
                                    size_t row_size,
                                    size_t capacity,
                                    size_t *count);

// Registers a calculation with a loader, so that packs can use it by name. If the catalog is shared with
// another context, the thread that uses that context may call it too.
ugas_status ugas_loader_add_calculation(ugas_context *context,
                                        ugas_loader loader,
                                        const ugas_calculation *calculation);

// Registers the spatial queries of the host with a loader, for all simulations of the catalog that have none of
// their own (ugas_simulation_set_space). If the catalog is shared with another context, the thread that uses that
// context may call them too.
ugas_status ugas_loader_set_space(ugas_context *context,
                                  ugas_loader loader,
                                  const ugas_space *space);

// Sets the spatial queries of one simulation, server, client or player, instead of those of its catalog: rooms with
// different walls share one catalog. Null removes them. They are not part of snapshots and recordings.
ugas_status ugas_simulation_set_space(ugas_context *context,
                                      ugas_simulation simulation,
                                      const ugas_space *space);

// Frees a catalog. Simulations and snapshots that use it stay valid. Zero is ignored.
ugas_status ugas_catalog_free(ugas_context *context, ugas_catalog catalog);

// Shares a catalog with another context, for simulations on another thread. Each context frees its own
// handle with ugas_catalog_free.
ugas_status ugas_catalog_share(ugas_context *context,
                               ugas_catalog catalog,
                               ugas_context *other,
                               ugas_catalog *out);

// The catalog of a simulation as a handle of its own, to be freed with ugas_catalog_free: for hosts that
// have only the simulation, such as one played from a recording that contains its definitions.
ugas_status ugas_catalog_of(ugas_context *context, ugas_simulation simulation, ugas_catalog *out);

// A hash of the definitions: equal on machines that have the same definitions.
ugas_status ugas_catalog_hash(ugas_context *context, ugas_catalog catalog, uint64_t *out);

// The tag of this name.
ugas_status ugas_catalog_tag(ugas_context *context, ugas_catalog catalog, ugas_str name, ugas_tag *out);

// The description of a tag in the registry of the pack, for people and tools; empty if it has none. Valid
// until the next call.
ugas_status ugas_catalog_tag_description(ugas_context *context,
                                         ugas_catalog catalog,
                                         ugas_tag tag,
                                         ugas_str *out);

// The developers' comment on a tag in the registry of the pack; empty if it has none. Valid until the next
// call.
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

// Creates an empty simulation of a catalog, to be freed with ugas_simulation_free. `config` may be null.
ugas_status ugas_simulation_new(ugas_context *context,
                                ugas_catalog catalog,
                                const ugas_config *config,
                                ugas_simulation *out);

// Frees a simulation, a server, a client or a player; a recording in progress ends unfinished. Zero is
// ignored.
ugas_status ugas_simulation_free(ugas_context *context, ugas_simulation simulation);

// Advances the time. Due timers fire in order; their events are polled with ugas_events_poll. Refused for a
// server and a client, whose time advances in ugas_server_tick and ugas_client_update.
ugas_status ugas_simulation_advance(ugas_context *context, ugas_simulation simulation, int64_t micros);

// Time of a simulation, in microseconds since it began.
ugas_status ugas_simulation_now(ugas_context *context, ugas_simulation simulation, uint64_t *out);

// A hash of the whole state: equal for simulations that will continue identically.
ugas_status ugas_simulation_hash(ugas_context *context, ugas_simulation simulation, uint64_t *out);

// Spawns a controller from a template.
ugas_status ugas_controller_spawn(ugas_context *context,
                                  ugas_simulation simulation,
                                  const ugas_spawn *spawn,
                                  ugas_controller *out);

// Despawns a controller, with all its effects and abilities.
ugas_status ugas_controller_despawn(ugas_context *context,
                                    ugas_simulation simulation,
                                    ugas_controller controller);

// Sets the avatar of a controller; clears it if `has_avatar` is zero.
ugas_status ugas_controller_set_avatar(ugas_context *context,
                                       ugas_simulation simulation,
                                       ugas_controller controller,
                                       ugas_actor avatar,
                                       uint32_t has_avatar);

// Sets the owner of a controller; clears it if `has_owner` is zero.
ugas_status ugas_controller_set_owner(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_controller controller,
                                      ugas_actor owner,
                                      uint32_t has_owner);

// The controller that has this actor as its avatar; 0 if there is none.
ugas_status ugas_controller_of_avatar(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_actor avatar,
                                      ugas_controller *out);

// All controllers, in the order of their handles. At most `capacity` are written; `count` gets the number of
// all.
ugas_status ugas_controllers(ugas_context *context,
                             ugas_simulation simulation,
                             ugas_controller *out,
                             size_t capacity,
                             size_t *count);

// Reads an attribute; `value` is one of ugas_value. On a client, a value that the server does not replicate
// is refused with UGAS_STATUS_NOT_REPLICATED, and `out` is left unchanged.
ugas_status ugas_attribute_read(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_controller controller,
                                ugas_attribute attribute,
                                uint32_t value,
                                double *out);

// Reads many attributes of many controllers at once: one row per controller, one column per attribute. `out`
// has room for controller_count × attribute_count numbers. A value that does not exist or is not replicated
// to this client is NaN, and is counted in `missing`, which may be null.
ugas_status ugas_attributes_read(ugas_context *context,
                                 ugas_simulation simulation,
                                 const ugas_controller *controllers,
                                 size_t controller_count,
                                 const ugas_attribute *attributes,
                                 size_t attribute_count,
                                 uint32_t value,
                                 double *out,
                                 size_t *missing);

// All attributes of a controller, in evaluation order. On a client, attributes that the server does not
// replicate are left out; `ugas_attribute_read` returns UGAS_STATUS_NOT_REPLICATED for them.
ugas_status ugas_attributes_of(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_controller controller,
                               ugas_attribute_values *out,
                               size_t row_size,
                               size_t capacity,
                               size_t *count);

// Adds an attribute set to a controller. Refused if the controller has it already, or has one of its
// attributes.
ugas_status ugas_attribute_set_register(ugas_context *context,
                                        ugas_simulation simulation,
                                        ugas_controller controller,
                                        ugas_attribute_set set);

// Removes an attribute set and its values from a controller.
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

// Counts of a tag of a controller: explicit, and cumulative with its descendants. Either pointer may be
// null.
ugas_status ugas_tag_counts(ugas_context *context,
                            ugas_simulation simulation,
                            ugas_controller controller,
                            ugas_tag tag,
                            uint32_t *own,
                            uint32_t *cumulative);

// Explicit tags of a controller, in the order of their ids.
ugas_status ugas_tags_of(ugas_context *context,
                         ugas_simulation simulation,
                         ugas_controller controller,
                         ugas_tag_count *out,
                         size_t row_size,
                         size_t capacity,
                         size_t *count);

// Whether a query matches the tags of a controller: `out` gets 1 or 0.
ugas_status ugas_tags_match(ugas_context *context,
                            ugas_simulation simulation,
                            ugas_controller controller,
                            const ugas_tag_query *query,
                            uint32_t *out);

// Applies an effect. `application` gets one of ugas_application and `active` the active effect that it
// became or joined, 0 if there is none; both may be null.
ugas_status ugas_effect_apply(ugas_context *context,
                              ugas_simulation simulation,
                              const ugas_apply *apply,
                              ugas_controller target,
                              uint32_t *application,
                              ugas_active_effect *active);

// Removes an active effect, or some of its stacks; 0 stacks are all of them.
ugas_status ugas_effect_remove(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_active_effect active,
                               uint32_t stacks);

// Removes all effects on a controller that match a query, or some of their stacks; 0 stacks are all of them.
// `count`, which may be null, gets the number of effects. A null query is refused: it would remove
// everything.
ugas_status ugas_effects_remove(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_controller controller,
                                const ugas_effect_query *query,
                                uint32_t stacks,
                                uint32_t *count);

// Effects on a controller that match a query, in the order of their application; a null query matches all.
// `row_size` is sizeof(ugas_effect_info).
ugas_status ugas_effects_of(ugas_context *context,
                            ugas_simulation simulation,
                            ugas_controller controller,
                            const ugas_effect_query *query,
                            ugas_effect_info *out,
                            size_t row_size,
                            size_t capacity,
                            size_t *count);

// Changes the duration of an active effect, counted from its start; a negative duration is infinite.
ugas_status ugas_effect_set_duration(ugas_context *context,
                                     ugas_simulation simulation,
                                     ugas_active_effect active,
                                     int64_t duration);

// Changes a SetByCaller magnitude of an active effect.
ugas_status ugas_effect_set_magnitude(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_active_effect active,
                                      ugas_tag tag,
                                      double value);

// Changes the level of an active effect; its magnitudes are evaluated again.
ugas_status ugas_effect_set_level(ugas_context *context,
                                  ugas_simulation simulation,
                                  ugas_active_effect active,
                                  double level);

// Defines an effect at run time, from the text of one `gameplay_effect` document as in a pack. A `name` that
// ends in `.json` selects JSON. Names in the text refer to the simulation's catalog. `out` gets the id of
// the effect, which is not part of the catalog; an equal effect that is already defined gives the same id.
// UGAS_STATUS_LOAD_FAILED, with all diagnostics, if the text cannot be used.
ugas_status ugas_effect_define(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_str name,
                               ugas_str text,
                               ugas_effect *out);

// Removes an effect that was defined at run time. Refused while it is active anywhere. Its id is not used
// again.
ugas_status ugas_effect_forget(ugas_context *context, ugas_simulation simulation, ugas_effect effect);

// Executes a cue on a controller once. Clients that see the controller get it with its context.
ugas_status ugas_cue_execute(ugas_context *context,
                             ugas_simulation simulation,
                             ugas_controller controller,
                             const ugas_cue *cue);

// Adds a cue to a controller until ugas_cue_remove removes it. Several holders of one cue are counted.
// `active`, which may be null, gets the internal effect that holds the cue.
ugas_status ugas_cue_add(ugas_context *context,
                         ugas_simulation simulation,
                         ugas_controller controller,
                         const ugas_cue *cue,
                         ugas_active_effect *active);

// Removes a cue that ugas_cue_add added, the oldest of several. `count`, which may be null, gets 1, or 0 if
// there is none. A cue that an effect or an ability holds as well stays.
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

// Revokes an ability; its activations are cancelled.
ugas_status ugas_ability_revoke(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_granted_ability granted);

// Sets the level of a granted ability.
ugas_status ugas_ability_set_level(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_granted_ability granted,
                                   uint32_t level);

// Binds a granted ability to an input; an empty input unbinds it.
ugas_status ugas_ability_bind_input(ugas_context *context,
                                    ugas_simulation simulation,
                                    ugas_granted_ability granted,
                                    ugas_str input);

// Revokes an ability when its last activation ends; at once if none is running.
ugas_status ugas_ability_revoke_on_end(ugas_context *context,
                                       ugas_simulation simulation,
                                       ugas_granted_ability granted);

// Sets a numeric parameter that the pack declares for the ability.
ugas_status ugas_ability_set_parameter(ugas_context *context,
                                       ugas_simulation simulation,
                                       ugas_granted_ability granted,
                                       ugas_str name,
                                       double value);

// Reads a number or boolean (1 or 0) of a granted ability. UGAS_STATUS_NOT_FOUND if it has no such parameter;
// tags and texts belong to the definition: see ugas_catalog_ability_parameter.
ugas_status ugas_ability_parameter(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_granted_ability granted,
                                   ugas_str name,
                                   double *out);

// Reads a parameter of an ability's definition. `kind`, which may be null, gets one of ugas_parameter_kind and
// `out` the value as text: a number, `true` or `false`, the name of a tag, or the text itself. Valid until the
// next call. UGAS_STATUS_NOT_FOUND if the ability has no such parameter.
ugas_status ugas_catalog_ability_parameter(ugas_context *context,
                                           ugas_catalog catalog,
                                           ugas_ability ability,
                                           ugas_str name,
                                           uint32_t *kind,
                                           ugas_str *out);

// Granted abilities of a controller, in the order of their grants. `row_size` is sizeof(ugas_ability_info).
ugas_status ugas_abilities_of(ugas_context *context,
                              ugas_simulation simulation,
                              ugas_controller controller,
                              ugas_ability_info *out,
                              size_t row_size,
                              size_t capacity,
                              size_t *count);

// State of one granted ability. `row_size` is sizeof(ugas_ability_info).
ugas_status ugas_ability_look(ugas_context *context,
                              ugas_simulation simulation,
                              ugas_granted_ability granted,
                              ugas_ability_info *out,
                              size_t row_size);

// Grants the named ability set to a controller, all or nothing. `out` gets what was granted.
ugas_status ugas_ability_set_grant(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_controller controller,
                                   ugas_str name,
                                   ugas_granted_set *out);

// Revokes what an ability set granted, as far as the controller still has it.
ugas_status ugas_ability_set_revoke(ugas_context *context,
                                    ugas_simulation simulation,
                                    ugas_controller controller,
                                    const ugas_granted_set *granted);

// Activates a granted ability. `targets` and `event` may be null. If it is refused, ugas_last_reasons has
// all reasons. `out`, which may be null, gets the activation.
ugas_status ugas_ability_activate(ugas_context *context,
                                  ugas_simulation simulation,
                                  ugas_granted_ability granted,
                                  const ugas_target *targets,
                                  size_t target_count,
                                  const ugas_gameplay_event *event,
                                  ugas_activation *out);

// Whether an ability could be activated on these targets now: UGAS_STATUS_OK, or UGAS_STATUS_REFUSED with
// all reasons. Changes nothing.
ugas_status ugas_ability_can_activate(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_granted_ability granted,
                                      const ugas_target *targets,
                                      size_t target_count);

// Commits an activation: pays its cost and starts its cooldown. Abilities usually commit themselves.
ugas_status ugas_activation_commit(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_activation activation);

// Cancels an activation.
ugas_status ugas_activation_cancel(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_activation activation);

// Ends an activation as completed.
ugas_status ugas_activation_end(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_activation activation);

// Cancels all activations of a granted ability. `count`, which may be null, gets their number.
ugas_status ugas_ability_cancel(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_granted_ability granted,
                                uint32_t *count);

// Sends a gameplay event to a controller: activates the abilities that it triggers and completes the tasks
// that wait for it.
ugas_status ugas_gameplay_event_send(ugas_context *context,
                                     ugas_simulation simulation,
                                     ugas_controller controller,
                                     const ugas_gameplay_event *event);

// Activates all abilities of a controller that have all of these tags. `count`, which may be null, gets the
// number of activations.
ugas_status ugas_abilities_activate(ugas_context *context,
                                    ugas_simulation simulation,
                                    ugas_controller controller,
                                    const ugas_tag *tags,
                                    size_t tag_count,
                                    uint32_t *count);

// Cancels the activations of a controller whose ability has one of the tags in `with` and none of those in
// `without`. Without any tags, cancels all activations but those of the granted ability `except`, which may
// be 0. Tags in `without` alone are refused: put the root tag of all abilities into `with`. `count`, which
// may be null, gets the number of cancelled activations.
ugas_status ugas_abilities_cancel(ugas_context *context,
                                  ugas_simulation simulation,
                                  ugas_controller controller,
                                  const ugas_tag *with,
                                  size_t with_count,
                                  const ugas_tag *without,
                                  size_t without_count,
                                  ugas_granted_ability except,
                                  uint32_t *count);

// Tasks that the abilities of a controller wait for. `row_size` is sizeof(ugas_task_info).
ugas_status ugas_tasks_of(ugas_context *context,
                          ugas_simulation simulation,
                          ugas_controller controller,
                          ugas_task_info *out,
                          size_t row_size,
                          size_t capacity,
                          size_t *count);

// Kind of a task; for a host task, its name in the pack. Valid until the next call.
ugas_status ugas_task_kind(ugas_context *context, ugas_simulation simulation, ugas_task task, ugas_str *out);

// Parameters of a host task, as a JSON object. Valid until the next call.
ugas_status ugas_task_parameters(ugas_context *context,
                                 ugas_simulation simulation,
                                 ugas_task task,
                                 ugas_str *out);

// Reports the outcome of a host task; `outcome` is one of ugas_task_outcome.
ugas_status ugas_task_complete(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_task task,
                               uint32_t outcome);

// Provides the chosen targets to a task that waits for targets.
ugas_status ugas_task_provide_targets(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_task task,
                                      const ugas_target *targets,
                                      size_t target_count);

// Targets that a task waiting for targets would choose now, for a reticle. `row_size` is
// sizeof(ugas_target).
ugas_status ugas_task_preview_targets(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_task task,
                                      ugas_target *out,
                                      size_t row_size,
                                      size_t capacity,
                                      size_t *count);

// Presses an input. `pressed` gets one of ugas_pressed and `activation` the activation that started; both
// may be null. UGAS_STATUS_REFUSED, with the reasons, if the abilities that are bound to it cannot be
// activated; the input counts as held all the same.
ugas_status ugas_input_press(ugas_context *context,
                             ugas_simulation simulation,
                             ugas_controller controller,
                             ugas_str input,
                             uint32_t *pressed,
                             ugas_activation *activation);

// Presses an input like ugas_input_press, with targets for the abilities that the press activates, also from
// the buffer.
ugas_status ugas_input_press_at(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_controller controller,
                                ugas_str input,
                                const ugas_target *targets,
                                size_t target_count,
                                uint32_t *pressed,
                                ugas_activation *activation);

// Releases an input. UGAS_STATUS_NOT_FOUND if it was not held.
ugas_status ugas_input_release(ugas_context *context,
                               ugas_simulation simulation,
                               ugas_controller controller,
                               ugas_str input);

// Confirms the tasks that wait for the player's confirmation.
ugas_status ugas_input_confirm(ugas_context *context, ugas_simulation simulation, ugas_controller controller);

// Declines the tasks that wait for the player's confirmation.
ugas_status ugas_input_decline(ugas_context *context, ugas_simulation simulation, ugas_controller controller);

// Configures the input buffer of a controller: the time in microseconds for which an early input is kept,
// and the maximum number of inputs; a size of 0 disables the buffer (§11.3).
ugas_status ugas_input_set_buffer(ugas_context *context,
                                  ugas_simulation simulation,
                                  ugas_controller controller,
                                  int64_t window,
                                  uint32_t size);

// Creates a mapper from the input documents that a loader has loaded, for one of ugas_platform; to be freed
// with ugas_mapper_free. It stays valid when the loader is freed.
ugas_status ugas_mapper_new(ugas_context *context, ugas_loader loader, uint32_t platform, ugas_mapper *out);

// Frees a mapper. Zero is ignored.
ugas_status ugas_mapper_free(ugas_context *context, ugas_mapper mapper);

// Reports the new state of a control at the time `now`. A button has 1 or 0 in `x`, an axis its value; a
// stick has `y` too. The device is `Keyboard`, `Mouse`, `Gamepad`, `Touch`, `Gyro` or a custom name of the
// host. Controls without a binding are ignored.
ugas_status ugas_mapper_device(ugas_context *context,
                               ugas_mapper mapper,
                               uint64_t now,
                               ugas_str device,
                               ugas_str control,
                               double x,
                               double y,
                               double z);

// Updates the active action sets from the tags of a controller: call it after they changed, or once per
// frame.
ugas_status ugas_mapper_tags(ugas_context *context,
                             ugas_mapper mapper,
                             uint64_t now,
                             ugas_simulation simulation,
                             ugas_controller controller);

// Enables an action set, or disables it if `enabled` is zero. All sets are enabled at first.
ugas_status ugas_mapper_enable_set(ugas_context *context,
                                   ugas_mapper mapper,
                                   uint64_t now,
                                   ugas_str set,
                                   uint32_t enabled);

// Advances the time of the mapper: bindings that must be held trigger.
ugas_status ugas_mapper_advance(ugas_context *context, ugas_mapper mapper, uint64_t now);

// Releases all controls: for when the window loses its focus, or a gamepad is unplugged.
ugas_status ugas_mapper_release_all(ugas_context *context, ugas_mapper mapper, uint64_t now);

// Takes the oldest signals, at most `capacity`; `count` gets their number. `row_size` is
// sizeof(ugas_signal).
ugas_status ugas_mapper_poll(ugas_context *context,
                             ugas_mapper mapper,
                             ugas_signal *out,
                             size_t row_size,
                             size_t capacity,
                             size_t *count);

// Binds a slot of an action to another control; an empty control unbinds it. `conflicts`, which may be null,
// gets the number of other bindings of the same set that use exactly the same controls; they are not
// changed.
ugas_status ugas_mapper_remap(ugas_context *context,
                              ugas_mapper mapper,
                              ugas_str action,
                              uint32_t slot,
                              ugas_str device,
                              ugas_str control,
                              size_t *conflicts);

// The player's changed bindings as text, to be saved; valid until the next call.
ugas_status ugas_mapper_save(ugas_context *context, ugas_mapper mapper, ugas_str *out);

// Loads saved bindings; an empty text restores the bindings of the pack. `skipped`, which may be null, gets
// the number of lines that no longer apply.
ugas_status ugas_mapper_load(ugas_context *context, ugas_mapper mapper, ugas_str text, size_t *skipped);

// Sets the placements of many controllers: `placements` has one entry per controller, in the same order. All
// numbers must be finite, or nothing is changed. Controllers that do not exist are skipped and counted in
// `missing`, which may be null.
ugas_status ugas_placements_set(ugas_context *context,
                                ugas_simulation simulation,
                                const ugas_controller *controllers,
                                const ugas_placement *placements,
                                size_t count,
                                size_t *missing);

// Clears the placement of a controller: it has no position, and no area contains it.
ugas_status ugas_placement_clear(ugas_context *context,
                                 ugas_simulation simulation,
                                 ugas_controller controller);

// Sets the team of a controller; an empty name is no team.
ugas_status ugas_team_set(ugas_context *context,
                          ugas_simulation simulation,
                          ugas_controller controller,
                          ugas_str team);

// Takes the oldest events, at most `capacity`; `count` gets their number. `row_size` is sizeof(ugas_event).
// Texts and lists in them are valid until the next poll, restore, reload or migration of this simulation.
// For a player, these are the events of the last movement.
ugas_status ugas_events_poll(ugas_context *context,
                             ugas_simulation simulation,
                             ugas_event *out,
                             size_t row_size,
                             size_t capacity,
                             size_t *count);

// Number of events that wait to be polled, and number of events that were dropped because they were not
// polled in time. Either pointer may be null.
ugas_status ugas_events_pending(ugas_context *context,
                                ugas_simulation simulation,
                                size_t *pending,
                                uint64_t *dropped);

// Description of an event of the last poll, with names. Valid until the next call.
ugas_status ugas_event_text(ugas_context *context, ugas_simulation simulation, uint32_t index, ugas_str *out);

// Makes the reasons of a refusal event of the last poll the last reasons of the context: read them with
// ugas_last_reasons. `count`, which may be null, gets their number.
ugas_status ugas_event_reasons(ugas_context *context,
                               ugas_simulation simulation,
                               uint32_t index,
                               size_t *count);

// Looping cues of a controller, each with the number of its holders: for a client that joins late.
ugas_status ugas_cues_of(ugas_context *context,
                         ugas_simulation simulation,
                         ugas_controller controller,
                         ugas_tag_count *out,
                         size_t row_size,
                         size_t capacity,
                         size_t *count);

// Time of the simulation, in microseconds.
ugas_status ugas_call_now(ugas_call call, uint64_t *out);

// Looks a name up in the catalog of the simulation. `kind` is one of ugas_name_kind.
ugas_status ugas_call_find(ugas_call call, uint32_t kind, ugas_str name, uint32_t *out);

// Reads an attribute; `value` is one of ugas_value.
ugas_status ugas_call_attribute(ugas_call call,
                                ugas_controller controller,
                                ugas_attribute attribute,
                                uint32_t value,
                                double *out);

// Whether a controller has a tag or a descendant of it: `out` gets 1 or 0.
ugas_status ugas_call_has_tag(ugas_call call, ugas_controller controller, ugas_tag tag, uint32_t *out);

// Effects on a controller that match a query, in the order of their application; a null query matches all.
// `row_size` is sizeof(ugas_effect_info).
ugas_status ugas_call_effects(ugas_call call,
                              ugas_controller controller,
                              const ugas_effect_query *query,
                              ugas_effect_info *out,
                              size_t row_size,
                              size_t capacity,
                              size_t *count);

// SetByCaller magnitude of the effect that is applied or executed. UGAS_STATUS_NOT_FOUND if it has none under the tag,
// or if the call has no effect.
ugas_status ugas_call_magnitude(ugas_call call,
                                ugas_tag tag,
                                double *out);

// In before_apply: the text of the refusal, if the callback refuses the application.
ugas_status ugas_call_refuse(ugas_call call, ugas_str reason);

// In post_execute: writes a base value of the controller whose base value changed, as part of the same execution and
// without a further post_execute. UGAS_STATUS_REFUSED if the controller lacks the attribute, the attribute is derived,
// or the value is not finite.
ugas_status ugas_call_set_base(ugas_call call,
                               ugas_attribute attribute,
                               double value);

// In post_execute and custom tasks: applies an effect to any controller, after this execution or this call of the
// task. A later refusal is an event. `context` is one of ugas_call_context.
//
// A custom task applies effects in the context of its ability, which must name the effect in a task or in its allowed
// effects: `context` must be UGAS_CALL_CONTEXT_INHERITED, and `apply` may have a level and magnitudes only. The
// default level is that of the ability.
ugas_status ugas_call_apply(ugas_call call,
                            const ugas_apply *apply,
                            ugas_controller target,
                            uint32_t context);

// In custom tasks: a parameter of the task, evaluated when it began. UGAS_STATUS_NOT_FOUND if it has none of this
// name.
ugas_status ugas_call_parameter(ugas_call call,
                                ugas_str name,
                                double *out);

// In custom tasks: the numbers that the task stored last; none if it has stored nothing.
ugas_status ugas_call_memory(ugas_call call, double *out, size_t capacity, size_t *count);

// In custom tasks: stores numbers until the next call of the task, in place of those that it stored before. They are
// the only state that a task may have: snapshots, hashes and the network carry them. At most UGAS_MOST_MEMORY; numbers
// that are not finite become zero.
ugas_status ugas_call_store(ugas_call call,
                            const double *numbers,
                            size_t count);

// In custom tasks: subscribes to a subject of a controller until the task ends; 0 is the owner. `subject` is one of
// ugas_subject, `id` its attribute or tag.
ugas_status ugas_call_subscribe(ugas_call call,
                                ugas_controller controller,
                                uint32_t subject,
                                uint32_t id);

// In custom tasks: sets the timer of the task, in microseconds from now; replaces an earlier one. Less than zero is
// zero.
ugas_status ugas_call_wake_in(ugas_call call,
                              int64_t micros);

// In custom tasks: removes an active effect, or some of its stacks, after this call of the task; 0 stacks are all.
ugas_status ugas_call_remove(ugas_call call,
                             ugas_active_effect active,
                             uint32_t stacks);

// In custom tasks: sends a gameplay event after this call of the task. The owner is its instigator unless it has
// another.
ugas_status ugas_call_send_event(ugas_call call,
                                 ugas_controller controller,
                                 const ugas_gameplay_event *event);

// In custom tasks: leaves a number for later tasks of the activation, which read it with Param("name").
ugas_status ugas_call_output(ugas_call call, ugas_str name, double value);

// Registers hooks with a loader: several times for several attributes. For one attribute, a later pre_change or
// post_execute replaces an earlier one; every before_apply is called. If the catalog is shared with another context, the
// thread that uses that context may call them too.
ugas_status ugas_loader_add_hooks(ugas_context *context,
                                  ugas_loader loader,
                                  const ugas_hooks *hooks);

// Registers a custom task with a loader, so that abilities of packs can use it by name. If the catalog is shared with
// another context, the thread that uses that context may call it too.
ugas_status ugas_loader_add_task(ugas_context *context,
                                 ugas_loader loader,
                                 const ugas_custom_task *task);

// Begins a batch: calls that change the simulation are queued, in order, and executed by ugas_batch_end.
// Until then such calls only check their arguments and write no results; reads see the state from before the
// batch. Refused for a client, and if a batch is open already.
ugas_status ugas_batch_begin(ugas_context *context, ugas_simulation simulation);

// Executes a batch: consequences are processed once, at its end. `out` gets the result of each command, in
// order; at most `capacity` are written, and `count` gets the number of all. `row_size` is
// sizeof(ugas_batch_result).
ugas_status ugas_batch_end(ugas_context *context,
                           ugas_simulation simulation,
                           ugas_batch_result *out,
                           size_t row_size,
                           size_t capacity,
                           size_t *count);

// Discards a batch without executing it.
ugas_status ugas_batch_drop(ugas_context *context, ugas_simulation simulation);

// Explains the value of an attribute, as an indented tree. Valid until the next call.
ugas_status ugas_explain_text(ugas_context *context,
                              ugas_simulation simulation,
                              ugas_controller controller,
                              ugas_attribute attribute,
                              ugas_str *out);

// Explains the value of an attribute, as JSON with the fields of `ugas explain --format json`, and
// `present`, which is false if the controller does not have the attribute. Controllers are 64-bit handles.
// Valid until the next call.
ugas_status ugas_explain_json(ugas_context *context,
                              ugas_simulation simulation,
                              ugas_controller controller,
                              ugas_attribute attribute,
                              ugas_str *out);

// The complete state of a controller as text. Valid until the next call.
ugas_status ugas_controller_text(ugas_context *context,
                                 ugas_simulation simulation,
                                 ugas_controller controller,
                                 ugas_str *out);

// Takes a snapshot of a simulation, to be freed with ugas_snapshot_free. Events that were not polled are not
// part of it.
ugas_status ugas_snapshot_take(ugas_context *context, ugas_simulation simulation, ugas_snapshot *out);

// Overwrites a snapshot with the state of a simulation and reuses its memory: for a rollback that saves
// every tick.
ugas_status ugas_snapshot_retake(ugas_context *context, ugas_simulation simulation, ugas_snapshot snapshot);

// Frees a snapshot. Zero is ignored.
ugas_status ugas_snapshot_free(ugas_context *context, ugas_snapshot snapshot);

// Restores a simulation to a snapshot; the same commands then lead to identical results. Events that were
// not polled are dropped. Refused while a recording is in progress, which cannot represent it, and for a
// server's or client's simulation.
ugas_status ugas_snapshot_restore(ugas_context *context, ugas_simulation simulation, ugas_snapshot snapshot);

// The hash of a snapshot's state; equal to that of a simulation restored to it.
ugas_status ugas_snapshot_hash(ugas_context *context, ugas_snapshot snapshot, uint64_t *out);

// A snapshot as bytes, to be saved or sent. Valid until the next call.
ugas_status ugas_snapshot_bytes(ugas_context *context, ugas_snapshot snapshot, ugas_bytes *out);

// ugas_snapshot_bytes with all definitions, for a saved game that outlives an update of its pack:
// ugas_simulation_migrate reads it under another catalog, and ugas_snapshot_from_bytes under the same. Valid
// until the next call.
ugas_status ugas_snapshot_bytes_with_rules(ugas_context *context, ugas_snapshot snapshot, ugas_bytes *out);

// Decodes a snapshot that was taken with the same catalog; to be freed with ugas_snapshot_free. The bytes
// may come from an untrusted source: UGAS_STATUS_BAD_BYTES if they are not a snapshot,
// UGAS_STATUS_OTHER_RULES if they are of another catalog.
ugas_status ugas_snapshot_from_bytes(ugas_context *context,
                                     ugas_catalog catalog,
                                     ugas_bytes bytes,
                                     ugas_snapshot *out);

// Saves a controller as bytes, with names instead of ids: attributes, tags, effects with their timers,
// abilities. Changes nothing. Valid until the next call.
ugas_status ugas_character_bytes(ugas_context *context,
                                 ugas_simulation simulation,
                                 ugas_controller controller,
                                 ugas_bytes *out);

// Saves a controller as text; `format` is one of ugas_text_format. Valid until the next call.
ugas_status ugas_character_text(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_controller controller,
                                uint32_t format,
                                ugas_str *out);

// Restores a character from bytes as a new controller, whose timers go on where they were. `options` may be
// null. `report`, which may be null, gets one line per difference to the saved state, valid until the next
// call; it is empty if there is none.
ugas_status ugas_character_restore(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_bytes character,
                                   const ugas_restore_options *options,
                                   ugas_controller *out,
                                   ugas_str *report);

// ugas_character_restore from text. A `name` that ends in `.json` selects JSON; error messages mention the
// name.
ugas_status ugas_character_restore_text(ugas_context *context,
                                        ugas_simulation simulation,
                                        ugas_str name,
                                        ugas_str text,
                                        const ugas_restore_options *options,
                                        ugas_controller *out,
                                        ugas_str *report);

// Switches a running simulation to another catalog, by names: handles stay valid, ids of definitions are
// those of the new catalog afterwards. All or nothing. `is_lossless` gets 0 if something could not be
// carried over, and `report` one line per changed definition and per loss, valid until the next call; both
// may be null. Refused while a recording is in progress, and for a server's or client's simulation.
ugas_status ugas_simulation_reload(ugas_context *context,
                                   ugas_simulation simulation,
                                   ugas_catalog catalog,
                                   uint32_t *is_lossless,
                                   ugas_str *report);

// Restores a snapshot of ugas_snapshot_bytes_with_rules under the catalog of this simulation, which may have
// changed since; the previous state is replaced. A snapshot of the same catalog need not contain the
// definitions. All or nothing; `is_lossless` and `report` are those of ugas_simulation_reload. The bytes may
// come from an untrusted source: UGAS_STATUS_BAD_BYTES if they are not a snapshot, UGAS_STATUS_OTHER_RULES
// if they are of another catalog and do not contain its definitions. Refused while a recording is in
// progress, and for a server's or client's simulation.
ugas_status ugas_simulation_migrate(ugas_context *context,
                                    ugas_simulation simulation,
                                    ugas_bytes snapshot,
                                    uint32_t *is_lossless,
                                    ugas_str *report);

// Starts to record a simulation in memory, from its present state. `settings` may be null.
ugas_status ugas_recording_start(ugas_context *context,
                                 ugas_simulation simulation,
                                 const ugas_recording_settings *settings);

// Starts to record a simulation in a file, which is overwritten. `settings` may be null.
ugas_status ugas_recording_start_file(ugas_context *context,
                                      ugas_simulation simulation,
                                      ugas_str path,
                                      const ugas_recording_settings *settings);

// Stores a name for a controller in the recording.
ugas_status ugas_recording_name(ugas_context *context,
                                ugas_simulation simulation,
                                ugas_controller controller,
                                ugas_str name);

// Finishes a recording. `out`, which may be null, gets the bytes of a recording in memory, valid until the
// next call; for a recording in a file it gets no bytes. Write errors of the file are reported here.
ugas_status ugas_recording_finish(ugas_context *context, ugas_simulation simulation, ugas_bytes *out);

// Simulates a recording again and compares every tick. `catalog` is needed if the definitions have native
// code or were omitted from the recording; 0 uses the recorded definitions. It takes as long as the
// recording asks for: verify an untrusted recording with ugas_player_verify, which has a limit.
ugas_status ugas_recording_verify(ugas_context *context,
                                  ugas_catalog catalog,
                                  ugas_bytes recording,
                                  ugas_verification *out);

// ugas_recording_verify with a file.
ugas_status ugas_recording_verify_file(ugas_context *context,
                                       ugas_catalog catalog,
                                       ugas_str path,
                                       ugas_verification *out);

// Plays a recording from its beginning. `catalog` is needed if the definitions have native code or were
// omitted from the recording; 0 uses the recorded definitions, which ugas_catalog_of returns. The bytes are
// copied, and may come from an untrusted source: `limit` is the maximum number of moments that one movement
// visits, so that a malicious recording cannot run for years; 0 is no limit. To be freed with
// ugas_simulation_free.
ugas_status ugas_player_new(ugas_context *context,
                            ugas_catalog catalog,
                            ugas_bytes recording,
                            uint64_t limit,
                            ugas_player *out);

// ugas_player_new with a file, which is read during playback. To be freed with ugas_simulation_free.
ugas_status ugas_player_new_file(ugas_context *context,
                                 ugas_catalog catalog,
                                 ugas_str path,
                                 uint64_t limit,
                                 ugas_player *out);

// Position of a player.
ugas_status ugas_player_look(ugas_context *context, ugas_player player, ugas_player_position *out);

// Moves to the end of the given tick, forwards or backwards, at most to the end of the recording. Events on
// the way are polled with ugas_events_poll; of a long movement, the last few thousand. If a part cannot be
// read, or the limit is reached, the player stays at the position it reached.
ugas_status ugas_player_seek_tick(ugas_context *context, ugas_player player, uint64_t tick);

// Moves to a time, also inside a tick; otherwise like ugas_player_seek_tick.
ugas_status ugas_player_seek_time(ugas_context *context, ugas_player player, uint64_t time);

// Moves to the end of the current or next tick. `has_moved`, which may be null, gets 0 at the end of the
// recording; otherwise like ugas_player_seek_tick.
ugas_status ugas_player_step(ugas_context *context, ugas_player player, uint32_t *has_moved);

// Moves back to the beginning of the current or previous tick. `has_moved`, which may be null, gets 0 at the
// beginning of the recording; otherwise like ugas_player_seek_tick.
ugas_status ugas_player_back(ugas_context *context, ugas_player player, uint32_t *has_moved);

// The controller that was named with ugas_recording_name; if there are several, one that exists at this
// position.
ugas_status ugas_player_controller(ugas_context *context,
                                   ugas_player player,
                                   ugas_str name,
                                   ugas_controller *out);

// Name of a controller in the recording. Valid until the next call. UGAS_STATUS_NOT_FOUND if it has none.
ugas_status ugas_player_name(ugas_context *context,
                             ugas_player player,
                             ugas_controller controller,
                             ugas_str *out);

// ugas_recording_verify within the limit of a player. Afterwards the player is at the beginning and has no
// events.
ugas_status ugas_player_verify(ugas_context *context, ugas_player player, ugas_verification *out);

// Creates a server from a simulation, which it takes over: the handle of the simulation is dead afterwards,
// and `out` gets the handle of the server, to be freed with ugas_simulation_free. `config` may be null.
// Refused while the simulation is recorded or a batch is open.
ugas_status ugas_server_new(ugas_context *context,
                            ugas_simulation simulation,
                            const ugas_server_config *config,
                            ugas_server *out);

// Passes in a datagram that arrived from `peer` at the time `now`, in microseconds of the host's clock,
// which must be monotonic. The game changes in ugas_server_tick only.
ugas_status ugas_server_receive(ugas_context *context,
                                ugas_server server,
                                uint64_t now,
                                ugas_peer peer,
                                ugas_bytes datagram);

// Runs one tick at the time `now`: executes the commands that are due, advances the game and queues updates
// for clients. Call it once per tick length.
ugas_status ugas_server_tick(ugas_context *context, ugas_server server, uint64_t now);

// Takes the oldest queued datagram and its peer; `length` gets 0 if there is none. A buffer of
// UGAS_MAX_DATAGRAM bytes is always enough; a datagram that does not fit stays queued.
ugas_status ugas_server_transmit(ugas_context *context,
                                 ugas_server server,
                                 ugas_peer *peer,
                                 uint8_t *buffer,
                                 size_t capacity,
                                 size_t *length);

// Counters of a server.
ugas_status ugas_server_look(ugas_context *context, ugas_server server, ugas_server_statistics *out);

// Takes the oldest events, at most `capacity`; `count` gets their number. `row_size` is sizeof(ugas_event).
// Texts and lists in them are valid until the next poll, restore, reload or migration of this simulation.
// For a player, these are the events of the last movement.
ugas_status ugas_events_poll(ugas_context *context,
                             ugas_simulation simulation,
                             ugas_event *out,
                             size_t row_size,
                             size_t capacity,
                             size_t *count);

// Number of events that wait to be polled, and number of events that were dropped because they were not
// polled in time. Either pointer may be null.
ugas_status ugas_events_pending(ugas_context *context,
                                ugas_simulation simulation,
                                size_t *pending,
                                uint64_t *dropped);

// Description of an event of the last poll, with names. Valid until the next call.
ugas_status ugas_event_text(ugas_context *context, ugas_simulation simulation, uint32_t index, ugas_str *out);

// Makes the reasons of a refusal event of the last poll the last reasons of the context: read them with
// ugas_last_reasons. `count`, which may be null, gets their number.
ugas_status ugas_event_reasons(ugas_context *context,
                               ugas_simulation simulation,
                               uint32_t index,
                               size_t *count);

// Looping cues of a controller, each with the number of its holders: for a client that joins late.
ugas_status ugas_cues_of(ugas_context *context,
                         ugas_simulation simulation,
                         ugas_controller controller,
                         ugas_tag_count *out,
                         size_t row_size,
                         size_t capacity,
                         size_t *count);

// Takes the oldest events of a server, at most `capacity`; `count` gets their number. `row_size` is
// sizeof(ugas_server_event). ugas_event_text describes events of the game, by their index.
ugas_status ugas_server_events_poll(ugas_context *context,
                                    ugas_server server,
                                    ugas_server_event *out,
                                    size_t row_size,
                                    size_t capacity,
                                    size_t *count);

// The connected clients. `row_size` is sizeof(ugas_server_client).
ugas_status ugas_server_clients(ugas_context *context,
                                ugas_server server,
                                ugas_server_client *out,
                                size_t row_size,
                                size_t capacity,
                                size_t *count);

// Rejected commands of a client, counted by reason. `row_size` is sizeof(ugas_rejection_count).
ugas_status ugas_server_rejections(ugas_context *context,
                                   ugas_server server,
                                   ugas_client_id client,
                                   ugas_rejection_count *out,
                                   size_t row_size,
                                   size_t capacity,
                                   size_t *count);

// Makes a client the owner of a controller: it may act with it, and predicts it.
ugas_status ugas_server_give(ugas_context *context,
                             ugas_server server,
                             ugas_controller controller,
                             ugas_client_id client);

// Removes the owner of a controller.
ugas_status ugas_server_take_back(ugas_context *context, ugas_server server, ugas_controller controller);

// The client that owns a controller. UGAS_STATUS_NOT_FOUND if none does.
ugas_status ugas_server_owner(ugas_context *context,
                              ugas_server server,
                              ugas_controller controller,
                              ugas_client_id *out);

// Shows a controller to a client; needed only if show_nothing is set.
ugas_status ugas_server_show(ugas_context *context,
                             ugas_server server,
                             ugas_controller controller,
                             ugas_client_id client);

// Hides a controller from a client. Its own controllers stay visible.
ugas_status ugas_server_hide(ugas_context *context,
                             ugas_server server,
                             ugas_controller controller,
                             ugas_client_id client);

// Sets what the owner of a controller sees of it if `own` is not zero, or what all others see if it is zero,
// instead of what its replication mode says.
ugas_status ugas_server_set_lens(ugas_context *context,
                                 ugas_server server,
                                 ugas_controller controller,
                                 uint32_t own,
                                 const ugas_lens *lens);

// Kicks a client. It is notified.
ugas_status ugas_server_kick(ugas_context *context, ugas_server server, ugas_client_id client);

// Reports that the transport lost a connection. Its session is kept for resume_time, so that its client can
// resume it. Unknown peers are ignored.
ugas_status ugas_server_disconnected(ugas_context *context, ugas_server server, ugas_peer peer);

// Reports that a client closed its connection: its session ends at once. Unknown peers are ignored.
ugas_status ugas_server_left(ugas_context *context, ugas_server server, ugas_peer peer);

// Secret of a client's session, UGAS_SECRET_BYTES bytes, with which a transport can verify that a new
// connection belongs to the same client. UGAS_STATUS_NOT_FOUND if the client has no session that is kept.
ugas_status ugas_server_resume_secret(ugas_context *context,
                                      ugas_server server,
                                      ugas_client_id client,
                                      uint8_t *buffer,
                                      size_t capacity,
                                      size_t *length);

// Ends all sessions; the goodbyes to the clients are queued for ugas_server_transmit. The simulation stays.
ugas_status ugas_server_shut_down(ugas_context *context, ugas_server server);

// Creates a client of a server with the same catalog, to be freed with ugas_simulation_free. The first
// ugas_client_update begins to connect.
ugas_status ugas_client_new(ugas_context *context,
                            ugas_catalog catalog,
                            const ugas_client_config *config,
                            ugas_client *out);

// Passes in a datagram that arrived from the server at the time `now`, in microseconds of the host's clock,
// which must be monotonic.
ugas_status ugas_client_receive(ugas_context *context, ugas_client client, uint64_t now, ugas_bytes datagram);

// Advances the client to `now`: simulates ticks and sends the player's commands. Call it once per frame.
ugas_status ugas_client_update(ugas_context *context, ugas_client client, uint64_t now);

// Takes the oldest datagram that is queued for the server; `length` gets 0 if there is none. A buffer of
// UGAS_MAX_DATAGRAM bytes is always enough; a datagram that does not fit stays queued.
ugas_status ugas_client_transmit(ugas_context *context,
                                 ugas_client client,
                                 uint8_t *buffer,
                                 size_t capacity,
                                 size_t *length);

// Ends the session. The goodbye to the server is queued for ugas_client_transmit.
ugas_status ugas_client_leave(ugas_context *context, ugas_client client);

// Switches prediction on, or off if `predicts` is zero.
ugas_status ugas_client_set_prediction(ugas_context *context, ugas_client client, uint32_t predicts);

// State and counters of a client.
ugas_status ugas_client_look(ugas_context *context, ugas_client client, ugas_client_statistics *out);

// Controllers that the client owns. At most `capacity` are written; `count` gets the number of all.
ugas_status ugas_client_own_controllers(ugas_context *context,
                                        ugas_client client,
                                        ugas_controller *out,
                                        size_t capacity,
                                        size_t *count);

// Server handle of a controller that the client sees: the handle that both sides can refer to.
ugas_status ugas_client_remote(ugas_context *context,
                               ugas_client client,
                               ugas_controller controller,
                               ugas_controller *out);

// Client handle of a controller of the server. UGAS_STATUS_NOT_FOUND if the client does not see the
// controller.
ugas_status ugas_client_local(ugas_context *context,
                              ugas_client client,
                              ugas_controller remote,
                              ugas_controller *out);

// Takes the oldest events, at most `capacity`; `count` gets their number. `row_size` is sizeof(ugas_event).
// Texts and lists in them are valid until the next poll, restore, reload or migration of this simulation.
// For a player, these are the events of the last movement.
ugas_status ugas_events_poll(ugas_context *context,
                             ugas_simulation simulation,
                             ugas_event *out,
                             size_t row_size,
                             size_t capacity,
                             size_t *count);

// Number of events that wait to be polled, and number of events that were dropped because they were not
// polled in time. Either pointer may be null.
ugas_status ugas_events_pending(ugas_context *context,
                                ugas_simulation simulation,
                                size_t *pending,
                                uint64_t *dropped);

// Description of an event of the last poll, with names. Valid until the next call.
ugas_status ugas_event_text(ugas_context *context, ugas_simulation simulation, uint32_t index, ugas_str *out);

// Makes the reasons of a refusal event of the last poll the last reasons of the context: read them with
// ugas_last_reasons. `count`, which may be null, gets their number.
ugas_status ugas_event_reasons(ugas_context *context,
                               ugas_simulation simulation,
                               uint32_t index,
                               size_t *count);

// Looping cues of a controller, each with the number of its holders: for a client that joins late.
ugas_status ugas_cues_of(ugas_context *context,
                         ugas_simulation simulation,
                         ugas_controller controller,
                         ugas_tag_count *out,
                         size_t row_size,
                         size_t capacity,
                         size_t *count);

// Requests the activation of an ability. `targets` and `event` may be null. A predicted activation that
// cannot happen is refused at once, with the reasons. `out`, which may be null, gets the command.
ugas_status ugas_client_activate(ugas_context *context,
                                 ugas_client client,
                                 ugas_granted_ability granted,
                                 const ugas_target *targets,
                                 size_t target_count,
                                 const ugas_gameplay_event *event,
                                 ugas_command_key *out);

// Activates an ability that runs on this machine only, on a copy of the state; nothing is sent. Its events
// have the kind UGAS_CLIENT_EVENT_KIND_LOCAL. `out`, which may be null, gets the activation, for
// ugas_client_cancel_local.
ugas_status ugas_client_activate_local(ugas_context *context,
                                       ugas_client client,
                                       ugas_granted_ability granted,
                                       const ugas_target *targets,
                                       size_t target_count,
                                       const ugas_gameplay_event *event,
                                       ugas_activation *out);

// Cancels an activation that runs on this machine only. UGAS_STATUS_NOT_FOUND if it has ended.
ugas_status ugas_client_cancel_local(ugas_context *context, ugas_client client, ugas_activation activation);

// Requests the end of an activation. `out`, which may be null, gets the command.
ugas_status ugas_client_end(ugas_context *context,
                            ugas_client client,
                            ugas_activation activation,
                            ugas_command_key *out);

// Requests the cancellation of an activation. `out`, which may be null, gets the command.
ugas_status ugas_client_cancel(ugas_context *context,
                               ugas_client client,
                               ugas_activation activation,
                               ugas_command_key *out);

// The activation that a command started. Handles of predicted activations are valid until the next
// ugas_client_update; the command stays valid. UGAS_STATUS_NOT_FOUND if the activation has not started, or
// has ended.
ugas_status ugas_client_run_of(ugas_context *context,
                               ugas_client client,
                               ugas_command_key command,
                               ugas_activation *out);

// Requests the end of the activation that a command starts, even one of the same tick. `out`, which may be
// null, gets the new command.
ugas_status ugas_client_end_begun(ugas_context *context,
                                  ugas_client client,
                                  ugas_command_key command,
                                  ugas_command_key *out);

// Provides targets to the first branch of the activation that a command starts, even one of the same tick.
// `out`, which may be null, gets the new command.
ugas_status ugas_client_target_begun(ugas_context *context,
                                     ugas_client client,
                                     ugas_command_key command,
                                     const ugas_target *targets,
                                     size_t target_count,
                                     ugas_command_key *out);

// Presses an input. `out`, which may be null, gets the command.
ugas_status ugas_client_press(ugas_context *context,
                              ugas_client client,
                              ugas_controller controller,
                              ugas_str input,
                              ugas_command_key *out);

// Releases an input. `out`, which may be null, gets the command.
ugas_status ugas_client_release(ugas_context *context,
                                ugas_client client,
                                ugas_controller controller,
                                ugas_str input,
                                ugas_command_key *out);

// Confirms the tasks that wait for the player's confirmation. `out`, which may be null, gets the command.
ugas_status ugas_client_confirm(ugas_context *context,
                                ugas_client client,
                                ugas_controller controller,
                                ugas_command_key *out);

// Declines the tasks that wait for the player's confirmation. `out`, which may be null, gets the command.
ugas_status ugas_client_decline(ugas_context *context,
                                ugas_client client,
                                ugas_controller controller,
                                ugas_command_key *out);

// Provides the targets that the player chose to a task that waits for targets. `out`, which may be null,
// gets the command.
ugas_status ugas_client_provide_targets(ugas_context *context,
                                        ugas_client client,
                                        ugas_task task,
                                        const ugas_target *targets,
                                        size_t target_count,
                                        ugas_command_key *out);

// Reports the outcome of a task that the client's host carries out, with one of ugas_task_outcome; the
// server accepts it only if its configuration trusts clients with host tasks. `out`, which may be null, gets
// the command.
ugas_status ugas_client_complete_task(ugas_context *context,
                                      ugas_client client,
                                      ugas_task task,
                                      uint32_t outcome,
                                      ugas_command_key *out);

// Takes the oldest events of a client, at most `capacity`; `count` gets their number. `row_size` is
// sizeof(ugas_client_event). ugas_event_text describes those with an `event`, by its index.
ugas_status ugas_client_events_poll(ugas_context *context,
                                    ugas_client client,
                                    ugas_client_event *out,
                                    size_t row_size,
                                    size_t capacity,
                                    size_t *count);

// Follows the connection of a client; call it once per frame, after datagrams were received and before
// ugas_client_update. `link` is a ugas_link_state and `words` describes the reason of a loss. If the action in
// `out` is to open a connection, do so and report its state from then on. Hosts that never call it keep their
// sessions over short losses, and may use ugas_client_connection_lost.
ugas_status ugas_client_link(ugas_context *context,
                             ugas_client client,
                             uint64_t now,
                             uint32_t link,
                             ugas_str words,
                             ugas_connection *out);

// Reports that the connection of a client was lost or replaced, for hosts that decide themselves when to
// reconnect: the client asks for its session over the next connection.
ugas_status ugas_client_connection_lost(ugas_context *context, ugas_client client, uint64_t now);

// Secret of the client's session, UGAS_SECRET_BYTES bytes, with which its transport can prove that a new
// connection belongs to the same client. UGAS_STATUS_NOT_FOUND without a session that can be resumed.
ugas_status ugas_client_resume_secret(ugas_context *context,
                                      ugas_client client,
                                      uint8_t *buffer,
                                      size_t capacity,
                                      size_t *length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* UGAS_H */
