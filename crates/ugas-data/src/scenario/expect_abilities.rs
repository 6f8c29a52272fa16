//! Evaluation of expectations of abilities and tasks.

use ugas_core::ability::{AbilityState, GrantedAbility};
use ugas_core::handle::{ControllerId, GrantedAbilityId};

use super::Runner;
use super::expect::known_count;
use crate::decode::Word;
use crate::model::scenario::{AbilityStatus, ControllerExpectRecord, ExpectedParameter};

impl Runner<'_> {
    /// Checks the expected status, cooldowns, charges, parameters and tasks of a controller's abilities. Of
    /// several grants of an ability, the longest cooldown counts; charges and parameters are those of the
    /// first.
    pub(super) fn check_abilities(
        &mut self,
        name: &str,
        id: ControllerId,
        expected: &ControllerExpectRecord,
        tolerance: f64,
    ) {
        for (ability, status) in expected.abilities.iter().flat_map(|abilities| &abilities.0) {
            let (wanted, actual) = (status.0.value, self.status(id, &ability.value));
            // An activation that has not committed yet is active too.
            let is_it =
                wanted == actual || (wanted == AbilityStatus::Active && actual == AbilityStatus::Activating);
            if !is_it {
                self.differs(
                    ability.span,
                    format!("{} of {name}", ability.value),
                    wanted.word(),
                    actual.word(),
                );
            }
        }
        for (ability, seconds) in expected.cooldown.iter().flat_map(|cooldown| &cooldown.0) {
            let what = format!("the cooldown of {} of {name}", ability.value);
            let handles = self.handles(id, &ability.value).into_iter();
            let left = handles.filter_map(|handle| self.simulation.ability_cooldown(handle)).max();
            let actual = left.map_or(0.0, |(left, _)| left.as_seconds());
            self.check_number(ability.span, what, seconds, known(Some(actual)), tolerance);
        }
        for (ability, charges) in expected.charges.iter().flat_map(|charges| &charges.0) {
            let what = format!("the charges of {} of {name}", ability.value);
            let granted = self.granted(id, &ability.value);
            let actual = granted.map(GrantedAbility::charges).map(u64::from).ok_or("no such grant");
            self.check_count(ability.span, what, charges, actual);
        }
        for (ability, parameters) in expected.parameters.iter().flat_map(|parameters| &parameters.0) {
            for (parameter, value) in &parameters.0 {
                let what = format!("{} of {} of {name}", parameter.value, ability.value);
                let granted = self.granted(id, &ability.value);
                match value {
                    ExpectedParameter::Number(value) => {
                        let actual = granted.and_then(|granted| granted.parameter(&parameter.value));
                        self.check_number(parameter.span, what, value, known(actual), tolerance);
                    }
                    ExpectedParameter::Text(text) => {
                        let catalog = self.simulation.catalog().clone();
                        let ability = granted.and_then(|granted| catalog.ability_by_id(granted.ability()));
                        let actual =
                            ability.and_then(|ability| ability.parameter(&parameter.value)?.as_text());
                        if actual != Some(text.value.as_str()) {
                            self.differs(text.span, what, &text.value, actual.unwrap_or("none"));
                        }
                    }
                }
            }
        }
        for (kind, count) in expected.tasks.iter().flat_map(|tasks| &tasks.0) {
            let what = format!("the {} tasks of {name}", kind.value);
            let tasks = self.simulation.tasks_of(id);
            let tasks = tasks.filter(|&task| self.simulation.task_kind(task) == Some(&kind.value));
            let actual = known_count(u32::try_from(tasks.count()).unwrap_or(u32::MAX));
            self.check_count(kind.span, what, count, actual);
        }
    }

    /// Status of an ability; of several grants, the most active one.
    fn status(&self, id: ControllerId, ability: &str) -> AbilityStatus {
        let states = self.handles(id, ability).into_iter();
        let states = states.filter_map(|handle| self.simulation.ability_state(handle));
        let statuses = states.map(|state| match state {
            AbilityState::Inactive => AbilityStatus::Inactive,
            AbilityState::Activating => AbilityStatus::Activating,
            AbilityState::Active => AbilityStatus::Active,
            AbilityState::Ending => AbilityStatus::Ending,
        });
        let rank = |status: &AbilityStatus| match status {
            AbilityStatus::NotGranted => 0,
            AbilityStatus::Inactive => 1,
            AbilityStatus::Ending => 2,
            AbilityStatus::Activating => 3,
            AbilityStatus::Active => 4,
        };
        statuses.max_by_key(rank).unwrap_or(AbilityStatus::NotGranted)
    }

    /// First grant of an ability to a controller; `None` if it has none.
    fn granted(&self, id: ControllerId, ability: &str) -> Option<&GrantedAbility> {
        self.handles(id, ability).into_iter().find_map(|handle| self.simulation.ability(handle))
    }

    /// All grants of an ability to a controller; empty for an unknown name.
    fn handles(&self, id: ControllerId, ability: &str) -> Vec<GrantedAbilityId> {
        let Ok(ability) = self.simulation.catalog().ability(ability) else { return Vec::new() };
        let handles = self.simulation.controller(id).map(|controller| controller.abilities());
        let is_it = |handle: &GrantedAbilityId| {
            self.simulation.ability(*handle).is_some_and(|granted| granted.ability() == ability)
        };
        handles.unwrap_or_default().iter().copied().filter(is_it).collect()
    }
}

/// Optional number as a result that cannot fail.
fn known(number: Option<f64>) -> Result<Option<f64>, std::convert::Infallible> {
    Ok(number)
}
