//! Plays a script: carries out its steps and checks its expectations.

use std::time::{Duration, Instant};

use ugas_core::handle::GrantedAbilityId;
use ugas_core::number::short;
use ugas_core::random::RandomStream;

use super::player::{LastAction, Player};
use super::script::{Count, Expectation, Script, Step, StepAction};
use super::session::End;
use crate::online;

/// Maximum time to join and to receive the player's own controller.
const JOIN_TIMEOUT: Duration = Duration::from_secs(15);

/// A step that failed: an expectation that was not met, or an action that could not be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Failure {
    /// Index of the step, from 0.
    pub(super) step: usize,
    /// Line of the step in the file.
    pub(super) line: u32,
    /// Description of the failure.
    pub(super) message: String,
}

/// Plays a script to its end or its first failure.
pub(super) fn play(player: &mut Player, script: &Script) -> anyhow::Result<Vec<Failure>> {
    let has_come = wait(player, JOIN_TIMEOUT, |player| player.own().is_some())?;
    if !has_come {
        let line = script.steps.first().map_or(1, |step| step.line);
        // A refusal is reported by the outcome.
        let is_refused = matches!(player.session.end(), Some(End::Refused(_) | End::Lost(_)));
        let message = unfinished(player, "the server did not assign a controller to the player");
        return Ok(if is_refused { Vec::new() } else { vec![Failure { step: 0, line, message }] });
    }
    for (at, step) in script.steps.iter().enumerate() {
        let next = script.steps.get(at + 1);
        if let Err(message) = perform(player, step, next)? {
            return Ok(vec![Failure { step: at, line: step.line, message }]);
        }
    }
    // Wait for the answer to the last action.
    wait(player, Duration::from_secs(1), |player| !matches!(player.last, LastAction::Waiting(_)))?;
    Ok(Vec::new())
}

/// Result of a step; the error is its description.
type StepResult = Result<(), String>;

/// Performs a step of the script. The inner result is that of the step, with the reason why it failed; the
/// outer error ends the session.
fn perform(player: &mut Player, step: &Step, next: Option<&Step>) -> anyhow::Result<StepResult> {
    match &step.act {
        StepAction::Wait(seconds) => {
            let over = Instant::now() + Duration::from_secs_f64(*seconds);
            wait(player, Duration::MAX, |_| Instant::now() >= over)?;
        }
        StepAction::Random { seconds, every, seed } => {
            let mut random = RandomStream::new(*seed);
            let over = Instant::now() + Duration::from_secs_f64(*seconds);
            while Instant::now() < over && !player.is_over() {
                act_randomly(player, &mut random);
                let pause = Instant::now() + Duration::from_secs_f64(*every);
                wait(player, Duration::MAX, |_| Instant::now() >= pause.min(over))?;
            }
        }
        StepAction::Expect(expectation) => return expect(player, expectation),
        StepAction::Activate { ability, target } => {
            let Some(handle) = player.ability(ability) else {
                return Ok(Err(format!("`{ability}` is not granted")));
            };
            let target = match target {
                None => None,
                Some(name) => {
                    let is_there =
                        wait(player, Duration::from_secs(5), |player| player.target(name).is_some())?;
                    if !is_there {
                        return Ok(Err(unfinished(player, &format!("the target `{name}` is not visible"))));
                    }
                    player.target(name)
                }
            };
            player.activate(handle, target);
        }
        StepAction::Cancel(ability) => match player.ability(ability) {
            Some(handle) => player.cancel(handle),
            None => return Ok(Err(format!("`{ability}` is not granted"))),
        },
        StepAction::Press(input) => player.act(|client, own| client.press(own, input.as_str())),
        StepAction::Release(input) => player.act(|client, own| client.release(own, input.as_str())),
        StepAction::Confirm => player.act(|client, own| client.confirm(own)),
        StepAction::Decline => player.act(|client, own| client.decline(own)),
    }
    if player.is_over() {
        return Ok(Err(unfinished(player, "the script did not finish")));
    }
    if matches!(step.act, StepAction::Wait(_) | StepAction::Random { .. }) {
        return Ok(Ok(()));
    }
    // As in scenarios: a refusal fails unless the next step expects it.
    let is_expected =
        next.is_some_and(|next| matches!(&next.act, StepAction::Expect(next) if next.last.is_some()));
    Ok(match &player.last {
        LastAction::Refused(_, why) if !is_expected => Err(why.clone()),
        _ => Ok(()),
    })
}

/// Activates a random ability that is ready, on a random target, itself included. Does nothing if none is; a
/// refusal by the client's own prediction is no failure.
fn act_randomly(player: &mut Player, random: &mut RandomStream) {
    let mut targets = player.others();
    targets.extend(player.own());
    let target = pick(random, &targets);
    let simulation = player.client().simulation();
    let can = |ability: &GrantedAbilityId| {
        online::is_player_ability(simulation, *ability)
            && match target {
                Some(target) => simulation.is_ready_on(*ability, target),
                None => simulation.is_ready(*ability),
            }
    };
    let ready: Vec<GrantedAbilityId> = player.abilities().into_iter().filter(can).collect();
    if let Some(ability) = pick(random, &ready) {
        player.activate(ability, target);
        // The server may still reject it, which is counted.
        if matches!(player.last, LastAction::Refused(..)) {
            player.last = LastAction::Nothing;
        }
    }
}

/// Random item; `None` if there is none.
fn pick<T: Copy>(random: &mut RandomStream, among: &[T]) -> Option<T> {
    let at = random.below(among.len().max(1) as u64);
    among.get(usize::try_from(at).unwrap_or(0)).copied()
}

/// Waits until an expectation is met, at most for its time; otherwise the result names all differences.
fn expect(player: &mut Player, expectation: &Expectation) -> anyhow::Result<StepResult> {
    let timeout = Duration::from_secs_f64(expectation.within);
    wait(player, timeout, |player| differences(player, expectation).is_empty())?;
    let differences = differences(player, expectation);
    Ok(if differences.is_empty() { Ok(()) } else { Err(unfinished(player, &differences.join("; "))) })
}

/// Differences between the shown state and an expectation, as messages; empty if it is met.
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
            None => found.push(format!("`{name}` does not exist")),
        }
    }
    let has =
        |tag: &String| own.zip(catalog.tag(tag).ok()).is_some_and(|(own, tag)| simulation.has_tag(own, tag));
    found.extend(expectation.has.iter().filter(|tag| !has(tag)).map(|tag| format!("`{tag}` is missing")));
    found.extend(expectation.has_not.iter().filter(|tag| has(tag)).map(|tag| format!("`{tag}` is present")));
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
            found.push(format!("the previous step was {long}, not {expected}"));
        }
    }
    found
}

/// Result of the previous step: its kind, and the code of the reason.
fn last(last: &LastAction) -> (&'static str, String) {
    match last {
        LastAction::Nothing => ("Nothing", "Nothing".to_owned()),
        LastAction::Waiting(_) => ("Waiting", "Waiting".to_owned()),
        LastAction::Done => ("Ok", "Ok".to_owned()),
        LastAction::Refused(code, _) => ("Refused", code.clone()),
        LastAction::Rejected(rejection) => ("Rejected", format!("{rejection:?}")),
    }
}

/// Plays on until a condition holds; false if the time is up or the session has ended before.
fn wait(
    player: &mut Player,
    most: Duration,
    mut condition: impl FnMut(&Player) -> bool,
) -> anyhow::Result<bool> {
    let start = Instant::now();
    loop {
        if condition(player) {
            return Ok(true);
        }
        if start.elapsed() >= most || player.is_over() {
            return Ok(false);
        }
        player.pump()?;
    }
}

/// A problem, with the end of the session if it has ended.
fn unfinished(player: &Player, problem: &str) -> String {
    match player.session.end() {
        Some(End::Refused(why) | End::Closed(why) | End::Lost(why)) => {
            format!("{problem}; the session has ended: {why}")
        }
        Some(End::Left) => format!("{problem}; the session has ended"),
        None if player.is_stopped() => format!("{problem}; the time is up"),
        None => problem.to_owned(),
    }
}
