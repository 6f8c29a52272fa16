//! Activations that a client may end or cancel (§13.7).

use ugas_core::ability::GameplayEvent;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::{ActivationId, ControllerId};
use ugas_core::input::InputId;
use ugas_core::targeting::TargetData;
use ugas_core::task::TaskOutcome;
use ugas_net::message::{ActivationRef, CommandOutcome, NetCommand, Rejection};

use super::raw_server::{RawServer, activate};

const NOT_ALLOWED: CommandOutcome = CommandOutcome::Rejected(Rejection::NotAllowed);

/// Who begins the activation.
#[derive(Clone, Copy, PartialEq, Debug)]
enum By {
    Client,
    Press,
    Server,
    Grant,
    Trigger,
}

fn newest(raw: &RawServer, hero: ControllerId) -> ActivationId {
    *raw.server.simulation().controller(hero).unwrap().activations().last().unwrap()
}

/// Outcome of the first command of the last tick.
fn outcome(raw: &mut RawServer, command: NetCommand) -> CommandOutcome {
    raw.command(0, 1, vec![command]);
    let key = PredictionKey::new(raw.server.current_tick().0, 0);
    raw.last_results.iter().find(|result| result.key == key).unwrap().outcome
}

/// Outcomes of `End` and `Cancel` for an activation that somebody began.
fn end_and_cancel(name: &str, by: By) -> [CommandOutcome; 2] {
    let (mut raw, hero) = RawServer::with_hero();
    let ability = raw.server.catalog().ability(name).unwrap();
    let end: fn(ActivationRef) -> NetCommand = NetCommand::End;
    [end, NetCommand::Cancel].map(|command| {
        let handle = raw.server.simulation_mut().grant(hero, ability, 1).unwrap();
        match by {
            By::Client => {
                let begun = outcome(&mut raw, activate(handle, TargetData::new()));
                assert_eq!(begun, CommandOutcome::Done, "{name}");
            }
            By::Press => {
                let input = InputId::from("Slot.Test");
                raw.server.simulation_mut().bind_input(handle, Some(input.clone())).unwrap();
                let press = NetCommand::Press { controller: hero, input, targets: TargetData::default() };
                assert_eq!(outcome(&mut raw, press), CommandOutcome::Done);
            }
            By::Server => drop(raw.server.simulation_mut().activate(handle).unwrap()),
            By::Grant => {}
            By::Trigger => {
                let event = GameplayEvent::new(raw.server.catalog().tag("Event.Hit").unwrap());
                raw.server.simulation_mut().send_event(hero, event).unwrap();
            }
        }
        raw.tick();
        let run = newest(&raw, hero);
        let ended = outcome(&mut raw, command(ActivationRef::Known(run)));
        assert_eq!(
            raw.server.simulation().activation(run).is_some(),
            ended != CommandOutcome::Done,
            "{name} by {by:?}"
        );
        raw.server.simulation_mut().revoke(handle).unwrap();
        ended
    })
}

#[test]
fn section_13_7_client_ends_only_predicted_activations_that_it_began() {
    let cases = [
        ("GA_Channel", By::Client, CommandOutcome::Done),
        ("GA_Channel", By::Press, CommandOutcome::Done),
        ("GA_Channel", By::Server, NOT_ALLOWED),
        ("GA_Curse", By::Client, NOT_ALLOWED), // asked for, and run by the server
        ("GA_Curse", By::Press, NOT_ALLOWED),
        ("GA_Curse", By::Server, NOT_ALLOWED),
        ("GA_March", By::Client, NOT_ALLOWED),
        ("GA_March", By::Server, NOT_ALLOWED),
        ("GA_Undying", By::Grant, NOT_ALLOWED),
        ("GA_Wrath", By::Trigger, NOT_ALLOWED),
        ("GA_Oath", By::Client, NOT_ALLOWED),
    ];
    for (ability, by, expected) in cases {
        assert_eq!(end_and_cancel(ability, by), [expected; 2], "{ability} by {by:?}");
    }
}

#[test]
fn section_13_7_net_security_lets_a_client_end_what_the_server_began_but_no_passive() {
    assert_eq!(end_and_cancel("GA_Lent", By::Server), [CommandOutcome::Done; 2]);
    assert_eq!(end_and_cancel("GA_Lent", By::Client), [CommandOutcome::Done; 2]);
    assert_eq!(end_and_cancel("GA_OpenUndying", By::Grant), [NOT_ALLOWED; 2]);
}

#[test]
fn client_host_does_not_end_activations_of_the_server_by_failed_tasks() {
    let (mut raw, hero) = RawServer::with_hero();
    let dance = raw.ability(hero, "GA_Dance");
    raw.server.simulation_mut().activate(dance).unwrap();
    raw.tick();
    let run = ActivationRef::Known(newest(&raw, hero));
    for outcome_of_task in [TaskOutcome::Failed, TaskOutcome::Interrupted, TaskOutcome::Cancelled] {
        let finish = NetCommand::Finish { run, branch: 0, outcome: outcome_of_task };
        assert_eq!(outcome(&mut raw, finish), NOT_ALLOWED);
    }
}

#[test]
fn client_declines_a_question_of_the_server() {
    let (mut raw, hero) = RawServer::with_hero();
    let ask = raw.ability(hero, "GA_Ask");
    raw.server.simulation_mut().activate(ask).unwrap();
    raw.tick();
    assert_eq!(outcome(&mut raw, NetCommand::Decline(hero)), CommandOutcome::Done);
    assert_eq!(raw.server.simulation().controller(hero).unwrap().activations(), []);
}
