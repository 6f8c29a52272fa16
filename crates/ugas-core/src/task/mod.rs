//! Ability tasks (§10, A5): a structured program whose whole state is plain data.
//!
//! [`TaskDef`] is the definition, [`Routine`] the resolved program in a flat layout, [`RunningTask`] a wait
//! in progress. A wait subscribes to the events that can end it and is woken by them: nothing is polled
//! (§10.1).

mod custom;
mod def;
mod memory;
mod routine;
mod running;
mod summon;

pub use custom::{CustomTask, TaskApplication, TaskContext, TaskProgress};
pub(crate) use custom::{TaskAction, TaskRequests};
pub use def::{
    ActionDef, ApplyDef, CommitDef, Comparison, ContainerUseDef, CueTaskDef, EffectFilterDef, HostValue,
    NumberDef, OnFail, Recipient, RemoveDef, SendEventDef, TaskDef, WaitDef,
};
pub use memory::TaskMemory;
pub use routine::Routine;
pub(crate) use routine::{
    Action, Apply, CueTask, EffectFilter, HostTask, Number, Remove, Repetition, SendEvent, Step, Task, Wait,
};
pub(crate) use running::Occurrence;
pub use running::{RunningTask, Subject, TaskOutcome};
pub use summon::{DespawnDef, OffsetDef, SpawnDef, SpawnPlace};
pub(crate) use summon::{DespawnTask, SpawnTask};
