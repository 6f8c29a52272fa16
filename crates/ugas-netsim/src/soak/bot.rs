//! Honest player that gives random commands.

use ugas_core::effect::PredictionKey;
use ugas_core::handle::ControllerId;
use ugas_core::random::RandomStream;
use ugas_core::simulation::ActivationRequest;
use ugas_core::targeting::TargetData;

use super::game::ABILITIES;
use ugas_net::{ActError, Client};

/// Chance of a command in a step.
const EAGERNESS: f64 = 0.12;

/// Gives any number of random commands in a step; returns the keys of those that the client accepted.
pub(super) fn act(client: &mut Client, dice: &mut RandomStream) -> Vec<PredictionKey> {
    let mut done = Vec::new();
    while dice.chance(EAGERNESS) {
        let own: Vec<ControllerId> = client.own_controllers().collect();
        let Some(&hero) = pick(dice, &own) else { break };
        done.extend(one(client, hero, dice).ok());
    }
    done
}

/// Gives one random command for a hero. `Unknown` if there is nothing to give it for, as no activation to
/// cancel.
fn one(client: &mut Client, hero: ControllerId, dice: &mut RandomStream) -> Result<PredictionKey, ActError> {
    let simulation = client.simulation();
    let controller = simulation.controller(hero).ok_or(ActError::Unknown)?;
    let input = ABILITIES[dice.below(ABILITIES.len() as u64) as usize];
    let runs = controller.activations().to_vec();
    match dice.below(12) {
        0..6 => {
            let abilities = controller.abilities().to_vec();
            let everybody: Vec<ControllerId> = simulation.controllers().map(|(id, _)| id).collect();
            let ability = *pick(dice, &abilities).ok_or(ActError::Unknown)?;
            let target = *pick(dice, &everybody).ok_or(ActError::Unknown)?;
            client.activate(ability, ActivationRequest::on(target))
        }
        6 => client.press(hero, input),
        7 => client.release(hero, input),
        8 => client.cancel_activation(*pick(dice, &runs).ok_or(ActError::Unknown)?),
        9 => client.end_activation(*pick(dice, &runs).ok_or(ActError::Unknown)?),
        10 if dice.chance(0.5) => client.confirm(hero),
        10 => client.decline(hero),
        _ => {
            let waiting: Vec<_> = simulation
                .tasks_of(hero)
                .filter(|task| simulation.task_kind(*task) == Some("WaitTargetData"))
                .collect();
            let everybody: Vec<ControllerId> = simulation.controllers().map(|(id, _)| id).collect();
            let task = *pick(dice, &waiting).ok_or(ActError::Unknown)?;
            let target = *pick(dice, &everybody).ok_or(ActError::Unknown)?;
            client.provide_targets(task, &TargetData::from(target))
        }
    }
}

/// Picks a random item; `None` if there are none. Always draws one number.
pub(super) fn pick<'a, T>(dice: &mut RandomStream, among: &'a [T]) -> Option<&'a T> {
    among.get(dice.below(among.len().max(1) as u64) as usize)
}
