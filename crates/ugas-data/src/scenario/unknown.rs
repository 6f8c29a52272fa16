//! Unknown names in a step, and the refusal codes for them.

use ugas_core::catalog::Catalog;

use super::Runner;
use super::steps::UNKNOWN_HANDLE;
use crate::decode::{Field, ReferenceKind, Visitor};
use crate::model::scenario::StepRecord;
use crate::source::Spanned;

impl Runner<'_> {
    /// Refusal code of a step that failed: `UnknownEffect`, `UnknownAbility` or `UnknownController` for the
    /// first unknown name. Otherwise `UnknownHandle` for `Revoke`, `Cancel`, `Remove` and `SetRemaining`,
    /// whose only other reason is an unknown `As` name, and for an unknown `Ability` of `SetLevel` or
    /// `Apply`; `None` for other reasons.
    pub(super) fn unknown_name(&self, step: &StepRecord) -> Option<&'static str> {
        let mut unknown = Unknown { catalog: self.simulation.catalog(), code: None };
        step.visit(&mut unknown);
        let handles = [
            step.revoke.is_some(),
            step.cancel.is_some(),
            step.remove.is_some(),
            step.set_remaining.is_some(),
        ];
        let given = step.set_level.as_ref().and_then(|level| level.ability.as_ref());
        let given = given.or_else(|| step.apply.as_ref()?.ability.as_ref());
        let is_unknown = given.is_some_and(|name| self.grants_called(&name.value, None).is_err());
        unknown
            .code
            .or_else(|| self.has_unknown_controller(step).then_some("UnknownController"))
            .or_else(|| (is_unknown || handles.contains(&true)).then_some(UNKNOWN_HANDLE))
    }

    /// Whether one of the controllers that a step names does not exist. Lists of targets are not checked.
    fn has_unknown_controller(&self, step: &StepRecord) -> bool {
        let StepRecord { apply, remove, remove_matching, grant, activate, input, event, cancel_all, .. } =
            step;
        let names = [
            apply.as_ref().and_then(|apply| apply.source.as_ref()),
            apply.as_ref().and_then(|apply| apply.target.as_ref()),
            remove.as_ref().and_then(|remove| remove.target.as_ref()),
            remove_matching.as_ref().and_then(|remove| remove.target.as_ref()),
            remove_matching.as_ref().and_then(|remove| remove.source.as_ref()),
            step.despawn.as_ref(),
            step.set_avatar.as_ref().and_then(|set| set.controller.as_ref()),
            step.set_owner.as_ref().and_then(|set| set.controller.as_ref()),
            step.register_set.as_ref().and_then(|set| set.controller.as_ref()),
            step.unregister_set.as_ref().and_then(|set| set.controller.as_ref()),
            step.set_remaining.as_ref().and_then(|set| set.target.as_ref()),
            apply.as_ref().and_then(|apply| apply.hit.as_ref()).and_then(|hit| hit.controller.as_ref()),
            grant.as_ref().and_then(|grant| grant.controller.as_ref()),
            activate.as_ref().and_then(|activate| activate.controller.as_ref()),
            activate.as_ref().and_then(|activate| activate.target.as_ref()),
            input.as_ref().and_then(|input| input.controller.as_ref()),
            input.as_ref().and_then(|input| input.target.as_ref()),
            event.as_ref().and_then(|event| event.controller.as_ref()),
            event.as_ref().and_then(|event| event.hit.as_ref()).and_then(|hit| hit.controller.as_ref()),
            event.as_ref().and_then(|event| event.target.as_ref()),
            event.as_ref().and_then(|event| event.instigator.as_ref()),
            cancel_all.as_ref().and_then(|cancel| cancel.controller.as_ref()),
            step.targets.as_ref().and_then(|targets| targets.controller.as_ref()),
            step.move_to.as_ref().and_then(|to| to.controller.as_ref()),
            step.set_level.as_ref().and_then(|level| level.controller.as_ref()),
            step.complete_task.as_ref().and_then(|task| task.controller.as_ref()),
        ];
        names.into_iter().flatten().any(|name| self.controller(&name.value).is_none())
    }
}

/// Visitor that finds the first effect or ability that the catalog does not have.
struct Unknown<'c> {
    catalog: &'c Catalog,
    code: Option<&'static str>,
}

impl<'a> Visitor<'a> for Unknown<'_> {
    /// Keeps the code of the first unknown effect or ability.
    fn reference(&mut self, kind: ReferenceKind, name: &'a Spanned<String>) {
        let code = match kind {
            ReferenceKind::Effect if self.catalog.effect(&name.value).is_err() => "UnknownEffect",
            ReferenceKind::Ability if self.catalog.ability(&name.value).is_err() => "UnknownAbility",
            _ => return,
        };
        self.code.get_or_insert(code);
    }
}
