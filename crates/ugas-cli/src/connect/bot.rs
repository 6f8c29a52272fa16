//! A script plays.

use std::time::{Duration, Instant};

use ugas_core::handle::AbilityHandle;
use ugas_core::random::RandomStream;

use super::player::{Last, Player};
use super::script::{Act, Count, Expectation, Script, Step};
use super::session::End;
use crate::online;
use crate::output::short;

/// How long a client may take to be let in and to see its own controller.
const WELCOME: Duration = Duration::from_secs(15);

/// An expectation that did not come true, or something that could not be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Failure {
    /// Which step, from 0.
    pub(super) step: usize,
    /// Where it is written.
    pub(super) line: u32,
    /// What is wrong.
    pub(super) message: String,
}

/// Plays a script to its end, or to its first failure.
pub(super) fn play(player: &mut Player, script: &Script) -> anyhow::Result<Vec<Failure>> {
    let has_come = wait(player, WELCOME, |player| player.own().is_some())?;
    if !has_come {
        let line = script.steps.first().map_or(1, |step| step.line);
        // A server that refuses says so by itself.
        let is_refused = matches!(player.session.end(), Some(End::Refused(_) | End::Lost(_)));
        let message = unfinished(player, "the server gave the player nothing to play");
        return Ok(if is_refused { Vec::new() } else { vec![Failure { step: 0, line, message }] });
    }
    for (at, step) in script.steps.iter().enumerate() {
        let next = script.steps.get(at + 1);
        if let Err(message) = perform(player, step, next)? {
            return Ok(vec![Failure { step: at, line: step.line, message }]);
        }
    }
    // What was done last is worth an answer.
    wait(player, Duration::from_secs(1), |player| !matches!(player.last, Last::Waiting(_)))?;
    Ok(Vec::new())
}

/// What went wrong in a step, if anything did.
type Done = Result<(), String>;

fn perform(player: &mut Player, step: &Step, next: Option<&Step>) -> anyhow::Result<Done> {
    match &step.act {
        Act::Wait(seconds) => {
            let over = Instant::now() + Duration::from_secs_f64(*seconds);
            wait(player, Duration::MAX, |_| Instant::now() >= over)?;
        }
        Act::Random { seconds, every, seed } => {
            let mut dice = RandomStream::new(*seed);
            let over = Instant::now() + Duration::from_secs_f64(*seconds);
            while Instant::now() < over && !player.is_over() {
                act_by_chance(player, &mut dice);
                let pause = Instant::now() + Duration::from_secs_f64(*every);
                wait(player, Duration::MAX, |_| Instant::now() >= pause.min(over))?;
            }
        }
        Act::Expect(expectation) => return expect(player, expectation),
        Act::Activate { ability, target } => {
            let Some(handle) = player.ability(ability) else {
                return Ok(Err(format!("`{ability}` is not granted")));
            };
            let target = match target {
                None => None,
                Some(name) => {
                    let is_there =
                        wait(player, Duration::from_secs(5), |player| player.target(name).is_some())?;
                    if !is_there {
                        return Ok(Err(unfinished(player, &format!("`{name}` is not in view"))));
                    }
                    player.target(name)
                }
            };
            player.activate(handle, target);
        }
        Act::Cancel(ability) => match player.ability(ability) {
            Some(handle) => player.cancel(handle),
            None => return Ok(Err(format!("`{ability}` is not granted"))),
        },
        Act::Press(input) => player.act(|client, own| client.press(own, input.as_str())),
        Act::Release(input) => player.act(|client, own| client.release(own, input.as_str())),
        Act::Confirm => player.act(|client, own| client.confirm(own)),
        Act::Decline => player.act(|client, own| client.decline(own)),
    }
    if player.is_over() {
        return Ok(Err(unfinished(player, "the script is not at its end")));
    }
    if matches!(step.act, Act::Wait(_) | Act::Random { .. }) {
        return Ok(Ok(()));
    }
    // As in scenarios: what fails must be expected to.
    let is_expected = next.is_some_and(|next| matches!(&next.act, Act::Expect(next) if next.last.is_some()));
    Ok(match &player.last {
        Last::Refused(_, why) if !is_expected => Err(why.clone()),
        _ => Ok(()),
    })
}

fn act_by_chance(player: &mut Player, dice: &mut RandomStream) {
    let mut targets = player.others();
    targets.extend(player.own());
    let target = pick(dice, &targets);
    let simulation = player.client().simulation();
    let can = |ability: &AbilityHandle| {
        online::is_chosen(simulation, *ability)
            && match target {
                Some(target) => simulation.can_activate_on(*ability, target).is_ok(),
                None => simulation.can_activate(*ability).is_ok(),
            }
    };
    let ready: Vec<AbilityHandle> = player.abilities().into_iter().filter(can).collect();
    if let Some(ability) = pick(dice, &ready) {
        player.activate(ability, target);
        // The server may be of another opinion; that is counted.
        if matches!(player.last, Last::Refused(..)) {
            player.last = Last::Nothing;
        }
    }
}

fn pick<T: Copy>(dice: &mut RandomStream, among: &[T]) -> Option<T> {
    let at = dice.below(among.len().max(1) as u64);
    among.get(usize::try_from(at).unwrap_or(0)).copied()
}

/// Waits until all of it is so.
fn expect(player: &mut Player, expectation: &Expectation) -> anyhow::Result<Done> {
    let patience = Duration::from_secs_f64(expectation.within);
    wait(player, patience, |player| differences(player, expectation).is_empty())?;
    let differences = differences(player, expectation);
    Ok(if differences.is_empty() { Ok(()) } else { Err(unfinished(player, &differences.join("; "))) })
}

fn differences(player: &Player, expectation: &Expectation) -> Vec<String> {
    let simulation = player.client().simulation();
    let catalog = simulation.catalog();
    let own = player.own();
    let mut found = Vec::new();
    for (name, bounds) in &expectation.attributes {
        let attribute = catalog.attribute(name).ok();
        let value = own.zip(attribute).map(|(own, attribute)| simulation.value(own, attribute));
        match value {
            Some(Ok(value)) if bounds.admits(value.current) => {}
            Some(Ok(value)) => {
                found.push(format!("`{name}` is {}, not {}", short(value.current), bounds.describe()));
            }
            Some(Err(error)) => found.push(error.describe(simulation)),
            None => found.push(format!("`{name}` is not there")),
        }
    }
    let has =
        |tag: &String| own.zip(catalog.tag(tag).ok()).is_some_and(|(own, tag)| simulation.has_tag(own, tag));
    found.extend(expectation.has.iter().filter(|tag| !has(tag)).map(|tag| format!("`{tag}` is not there")));
    found.extend(expectation.has_not.iter().filter(|tag| has(tag)).map(|tag| format!("`{tag}` is there")));
    let statistics = player.client().statistics();
    for (count, bounds) in &expectation.counts {
        let value = match count {
            Count::Confirmed => statistics.confirmed as f64,
            Count::Rejected => statistics.rejected as f64,
            Count::Mispredicted => statistics.mispredicted as f64,
            Count::Others => player.others().len() as f64,
        };
        if !bounds.admits(value) {
            found.push(format!("`{}` is {}, not {}", count.name(), short(value), bounds.describe()));
        }
    }
    if let Some(expected) = &expectation.last {
        let (short, long) = last(&player.last);
        if *expected != short && *expected != long {
            found.push(format!("the step before was {long}, not {expected}"));
        }
    }
    found
}

/// What became of the step before: in general, and with the code of the reason.
fn last(last: &Last) -> (&'static str, String) {
    match last {
        Last::Nothing => ("Nothing", "Nothing".to_owned()),
        Last::Waiting(_) => ("Waiting", "Waiting".to_owned()),
        Last::Done => ("Ok", "Ok".to_owned()),
        Last::Refused(code, _) => ("Refused", code.clone()),
        Last::Rejected(rejection) => ("Rejected", format!("{rejection:?}")),
    }
}

/// Lets time pass until something is so. Says whether it is; if not, the time is over, or the session.
fn wait(player: &mut Player, most: Duration, mut is_so: impl FnMut(&Player) -> bool) -> anyhow::Result<bool> {
    let start = Instant::now();
    loop {
        if is_so(player) {
            return Ok(true);
        }
        if start.elapsed() >= most || player.is_over() {
            return Ok(false);
        }
        player.breathe()?;
    }
}

/// A problem, and that the session is over if it is.
fn unfinished(player: &Player, problem: &str) -> String {
    match player.session.end() {
        Some(End::Refused(why) | End::Closed(why) | End::Lost(why)) => {
            format!("{problem}, and the session is over: {why}")
        }
        Some(End::Left) => format!("{problem}, and the session is over"),
        None if player.is_stopped() => format!("{problem}, and the time is over"),
        None => problem.to_owned(),
    }
}
