//! Input (§11): from device events to the input ids that abilities are bound to.
//!
//! The specification's chain is hardware, action, input id, ability (§11.1). This module is the chain up to
//! the id: definitions ([`InputActionDef`], [`InputActionSetDef`], [`InputMappingDef`], [`InputModifierDef`],
//! and draft 1's [`KeyMappingDef`]) are checked into an [`InputScheme`]; an [`InputMapper`] runs on it, takes
//! device events and tags, and emits [`InputSignal`]s. There is one for each player, beside the simulation,
//! and it is as deterministic: plain data, times passed in. [`InputBuffer`] is the queue of §11.3.

mod buffer;
mod builder;
mod def;
mod device;
mod error;
mod id;
mod mapper;
mod modifier;
mod modifier_check;
mod remap;
mod resolve;
mod saved;
mod scheme;
mod settle;
mod signal;

pub use buffer::{BufferedInput, InputBuffer, InputBufferConfig};
pub use builder::InputSchemeBuilder;
pub use def::{
    BindingDef, BindingSource, CompositeInputs, InputActionDef, InputActionSetDef, InputMappingDef,
    KeyActionDef, KeyMappingDef, TriggerBehavior, ValueType,
};
pub use device::{Device, DeviceInput, Platform};
pub use error::{InputDefinitionError, InputDefinitionKind, InputProblem, InputSchemeErrors};
pub use id::InputId;
pub use mapper::InputMapper;
pub use modifier::{
    CustomModifier, DeadZoneShape, InputModifierDef, InputModifierKind, InputValue, ResponseCurve, Swizzle,
    SwizzleError,
};
pub use remap::{BindingConflict, BindingSlot, RemapError};
pub use saved::{SavedMapping, SavedMappings, SavedMappingsError, SavedMappingsProblem};
pub use scheme::{BindingPart, InputActionId, InputScheme};
pub use signal::{InputSignal, InputSignalKind, ReleaseCause};
