//! Display of an explanation as a tree of text.

use core::fmt;

use super::{BoundExplanation, Explanation, Reason, Term};
use crate::modifier::Operation;
use crate::number::short;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.not_replicated {
            let Self { name, controller, time, .. } = self;
            return write!(f, "{name} of {controller:?} at {time}: NotReplicated, withheld from this client");
        }
        if !self.present {
            write!(f, "{} of {:?} at {}: it has no such attribute", self.name, self.controller, self.time)?;
            for term in self.layers.iter().flat_map(|layer| &layer.terms) {
                write!(f, "\n└─ {term}")?;
            }
            return Ok(());
        }
        write!(f, "{} of {:?} at {}: {}", self.name, self.controller, self.time, short(self.current))?;
        if self.stale {
            write!(f, " (from before: changes wait for the end of a batch)")?;
        }
        write!(f, "\n├─ base {}", short(self.base))?;
        if let Some(expression) = &self.derived_from {
            write!(f, " = {expression}")?;
        }
        for layer in &self.layers {
            write!(f, "\n├─ layer {}: {} -> {}", layer.index, short(layer.input), short(layer.output))?;
            let last = layer.terms.len().saturating_sub(1);
            for (at, term) in layer.terms.iter().enumerate() {
                write!(f, "\n│  {} {term}", if at == last { "└─" } else { "├─" })?;
            }
        }
        let clamping = match (&self.clamp.min, &self.clamp.max) {
            (None, None) => "no bounds",
            (Some(min), Some(max)) if min.value > max.value => "the bounds cross, the minimum wins",
            _ if self.clamp.applied => "applied",
            _ => "not reached",
        };
        write!(f, "\n└─ clamp")?;
        if let Some(min) = &self.clamp.min {
            write!(f, " min {min}")?;
        }
        if let Some(max) = &self.clamp.max {
            write!(f, " max {max}")?;
        }
        write!(f, ": {clamping}")?;
        if let Some(value) = self.adjusted_by_hook {
            write!(f, ", then {} by a hook", short(value))?;
        }
        Ok(())
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.qualifies { "" } else { "not counted: " };
        let sign = match self.operation {
            Operation::Add | Operation::AddPost | Operation::Multiply if self.magnitude >= 0.0 => "+",
            _ => "",
        };
        write!(f, "{mark}{} {sign}{}", self.operation, short(self.magnitude))?;
        if self.stacks != 1 {
            write!(f, " x{} stacks", self.stacks)?;
        }
        if let Some(channel) = &self.channel {
            write!(f, " [{channel}]")?;
        }
        write!(f, " by {}", self.effect_name)?;
        if let Some(source) = self.source {
            write!(f, " from {source:?}")?;
        }
        match &self.reason {
            Some(reason) => write!(f, " ({reason})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingTag { party, tag } => write!(f, "the {party} lacks {tag}"),
            Self::BlockedTag { party, tag } => write!(f, "the {party} has {tag}"),
            Self::TagFilter { tag } => write!(f, "filtered out: it does not carry {tag}"),
            Self::Inhibited => f.write_str("its effect is inhibited"),
            Self::LayerNotEvaluated => f.write_str("wrong channel: its layer is not evaluated"),
            Self::HiddenByLayer { layer, effect } => {
                write!(f, "wrong channel: hidden by the override of {effect} in layer {layer}")
            }
            Self::Overridden { effect } => write!(f, "replaced by the override of {effect}"),
            Self::OverrideLost { effect } => write!(f, "the override of {effect} won"),
            Self::PredictedOnly => f.write_str("predicted only"),
            Self::IgnoredEffect => f.write_str("its effect is ignored here"),
            Self::NotMostNegative => f.write_str("a stronger negative modifier counts instead"),
            Self::Qualifier => f.write_str("excluded by the attribute's own qualifier"),
            Self::MissingAttribute => f.write_str("inert: the attribute is missing"),
            Self::EffectGone => f.write_str("its effect is gone"),
            Self::Queued => f.write_str("waits in the queue"),
        }
    }
}

impl fmt::Display for BoundExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&short(self.value))?;
        match &self.attribute {
            Some(attribute) => write!(f, " ({attribute})"),
            None => Ok(()),
        }
    }
}
