//! Events of the oracle, by name.

use ugas_core::event::RemovalReason;

use super::Actor;

/// Event of the oracle.
#[derive(Clone, PartialEq, Debug)]
pub enum OracleEvent {
    /// A base or current value changed.
    Attribute {
        /// Controller that has the attribute.
        actor: Actor,
        /// Name of the attribute.
        attribute: String,
        /// Old base, new base, old current, new current.
        values: [f64; 4],
    },
    /// Event without numbers: its kind and its subject.
    Plain(&'static str, String),
}

impl OracleEvent {
    /// Creates an event of this kind about an effect on a controller.
    pub fn effect(kind: &'static str, effect: &str, target: Actor) -> Self {
        Self::Plain(kind, format!("{effect} on #{target}"))
    }

    /// Creates an event of this kind about a tag or a cue of a controller.
    pub fn tag(kind: &'static str, actor: Actor, tag: &str) -> Self {
        Self::Plain(kind, format!("{tag} of #{actor}"))
    }

    /// Creates an event about a changed stack count of an effect on a controller.
    pub fn stacks(effect: &str, target: Actor, old: u32, new: u32) -> Self {
        Self::Plain("EffectStackChanged", format!("{effect} on #{target}: {old} -> {new}"))
    }

    /// Creates an event about a removed effect, with its stacks and the reason.
    pub fn removed(effect: &str, target: Actor, stacks: u32, reason: RemovalReason) -> Self {
        Self::Plain("EffectRemoved", format!("{effect} on #{target}, {stacks} stacks: {reason:?}"))
    }

    /// Kind and subject, without the numbers of a change: the sort key by which events of core and oracle are
    /// paired.
    pub fn key(&self) -> (&'static str, String) {
        match self {
            Self::Attribute { actor, attribute, .. } => {
                ("AttributeChanged", format!("{attribute} of #{actor}"))
            }
            Self::Plain(kind, subject) => (kind, subject.clone()),
        }
    }
}
