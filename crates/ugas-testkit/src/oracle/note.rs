//! What happened, by name: the oracle's events.

use ugas_core::event::RemovalReason;

use super::Actor;

/// One event.
#[derive(Clone, PartialEq, Debug)]
pub enum Note {
    /// A base or current value changed.
    Attribute {
        /// Whose.
        actor: Actor,
        /// Which.
        attribute: String,
        /// Old base, new base, old current, new current.
        values: [f64; 4],
    },
    /// Something that has no numbers: its kind and about what it is.
    Plain(&'static str, String),
}

impl Note {
    /// An event of this kind about an effect on a controller.
    pub fn effect(kind: &'static str, effect: &str, target: Actor) -> Self {
        Self::Plain(kind, format!("{effect} on #{target}"))
    }

    /// An event of this kind about a tag or a cue of a controller.
    pub fn tag(kind: &'static str, actor: Actor, tag: &str) -> Self {
        Self::Plain(kind, format!("{tag} of #{actor}"))
    }

    /// A stack count changed.
    pub fn stacks(effect: &str, target: Actor, old: u32, new: u32) -> Self {
        Self::Plain("EffectStackChanged", format!("{effect} on #{target}: {old} -> {new}"))
    }

    /// An effect is gone.
    pub fn removed(effect: &str, target: Actor, stacks: u32, reason: RemovalReason) -> Self {
        Self::Plain("EffectRemoved", format!("{effect} on #{target}, {stacks} stacks: {reason:?}"))
    }

    /// Kind and subject: what events are sorted by for a comparison.
    pub fn key(&self) -> (&'static str, String) {
        match self {
            Self::Attribute { actor, attribute, .. } => {
                ("AttributeChanged", format!("{attribute} of #{actor}"))
            }
            Self::Plain(kind, subject) => (kind, subject.clone()),
        }
    }
}
