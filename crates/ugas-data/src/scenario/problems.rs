//! Problems since the last expectation, which may explain why an expectation fails.

use std::collections::VecDeque;

use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;

use super::Runner;

/// Most problems that are kept; older ones are dropped.
const MOST_KEPT: usize = 64;

/// Most problems that one failure lists.
const MOST_LISTED: usize = 8;

/// Events since the last expectation that prevented something.
#[derive(Default)]
pub(super) struct Problems {
    kept: VecDeque<Event>,
    /// Number of dropped events.
    dropped: usize,
}

impl Problems {
    /// Keeps an event that prevented something; ignores all others.
    pub(super) fn keep(&mut self, event: &Event) {
        if !is_problem(&event.kind) {
            return;
        }
        if self.kept.len() == MOST_KEPT {
            self.kept.pop_front();
            self.dropped += 1;
        }
        self.kept.push_back(event.clone());
    }

    /// A line for each problem, oldest first. Of too many, those that involve one of these controllers are
    /// preferred, then the latest.
    pub(super) fn lines(self, runner: &Runner<'_>, controllers: &[ControllerId]) -> Vec<String> {
        let Self { kept, dropped } = self;
        let involves = |event: &Event| {
            let involved = [event.kind.subject(), event.cause.source];
            involved.into_iter().flatten().any(|id| controllers.contains(&id))
        };
        let mut listed: Vec<(usize, &Event)> = kept.iter().enumerate().rev().collect();
        // The sort is stable: the latest come first.
        listed.sort_by_key(|(_, event)| !involves(event));
        listed.truncate(MOST_LISTED);
        listed.sort_unstable_by_key(|(position, _)| *position);
        let left_out = dropped + kept.len() - listed.len();
        let line = |(_, event): &(usize, &Event)| {
            let (simulation, names) = (runner.simulation(), runner.names());
            let text = names.replace_handles(simulation, event.describe(simulation).to_string().trim());
            // Refusals are described without their controller.
            match (&event.kind, event.kind.subject()) {
                (EventKind::EffectRefused(_) | EventKind::AbilityRefused(_), Some(subject)) => {
                    format!("{text} (on {})", names.of(simulation, subject))
                }
                _ => text,
            }
        };
        let mut lines: Vec<String> = listed.iter().map(line).collect();
        if left_out > 0 {
            lines.push(format!("and {left_out} more"));
        }
        lines
    }
}

/// Whether an event prevented something: a refusal, a cancellation, a failed task, a limit.
fn is_problem(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::AbilityRefused(_)
            | EventKind::AbilityCancelled { .. }
            | EventKind::TaskFailed { .. }
            | EventKind::NoTarget { .. }
            | EventKind::EffectRefused(_)
            | EventKind::EffectBlockedByImmunity { .. }
            | EventKind::EvaluationFailed { .. }
            | EventKind::OccurrenceLimit { .. }
            | EventKind::CascadeLimit { .. }
            | EventKind::LogicError { .. }
    )
}
