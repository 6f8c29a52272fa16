//! Load of a server with a hundred clients.

use std::time::Duration;

use super::stage::{Load, Setting, Stage};
use super::steps_of_eight;
use crate::line::{Goal, Line, duration};
use crate::measure::{Effort, Timing};
use crate::workloads::fights::Battle;

const HEROES: usize = 10;
const MINIONS: usize = 200;
const CLIENTS: usize = 100;

/// A tick of a MOBA with a hundred clients: ten play a hero each, the others are spectators, and all see all
/// units. Datagrams received, the tick and datagrams sent count; the links and clients do not.
pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let seconds = if effort.is_quick { 1 } else { 10 };
    let clients = if effort.is_quick { HEROES } else { CLIENTS };
    let host = Battle { casters: HEROES, mob: MINIONS };
    let in_view = (0..HEROES + MINIONS).collect();
    // Views remember removed pieces for 512 ticks, and are warm after as many.
    let settling = if effort.is_quick { 3 } else { 20 };
    let setting = Setting { owned: HEROES, settling, ..Setting::new(30, 1_000.0, steps_of_eight(), in_view) };
    let alone = Stage::new(host.clone(), setting.clone(), 0).alone(seconds);
    let watched = Stage::new(host, setting, clients).watch(seconds);
    let times: Vec<Duration> = watched.loads.iter().map(|load| load.time).collect();
    let allocations: u64 = watched.loads.iter().map(|load: &Load| load.allocations).sum();
    let bytes = watched.trace.bytes() as f64 / f64::from(seconds);
    let longest = times.iter().max().map_or(0.0, |time| time.as_nanos() as f64);
    let line = Line::new("server", Timing::mean(&times), Goal::AtMost(500_000.0));
    let line = Line { allocations: Some(allocations as f64 / times.len().max(1) as f64), ..line };
    vec![line.must_not_allocate().note(format!(
        "a tick of a MOBA, {HEROES} heroes and {MINIONS} minions, with {clients} clients who see all of them; the longest {}; \
         without clients {}; {bytes:.0} B a second to the first client; one pass, mean",
        duration(longest),
        duration(alone.median)
    ))]
}
