//! Names of the numbers that events, waits and tasks leave to later tasks of an activation (A11, A18).
//! Expressions read them with `Param("Name")`.

/// Magnitude of the event that triggered the activation or was awaited last; `Event.Magnitude` reads it.
pub const EVENT_MAGNITUDE: &str = "Event.Magnitude";

/// Prefix of the numbers in the payload of that event; `Event.Payload("name")` reads the number with this
/// prefix and the name.
pub const EVENT_PAYLOAD: &str = "Event.Payload.";

/// Value of the attribute that a wait was for.
pub const ATTRIBUTE_VALUE: &str = "Attribute.Value";

/// Seconds for which the awaited input was held.
pub const INPUT_HELD_TIME: &str = "Input.HeldTime";

/// Index of the controller that a `SpawnController` task creates, from 0 (A17).
pub const SPAWN_INDEX: &str = "Spawn.Index";

/// All numbers with a fixed name, sorted. Numbers of a payload have the prefix [`EVENT_PAYLOAD`] instead.
pub const STORED_NUMBERS: [&str; 4] = [ATTRIBUTE_VALUE, EVENT_MAGNITUDE, INPUT_HELD_TIME, SPAWN_INDEX];
