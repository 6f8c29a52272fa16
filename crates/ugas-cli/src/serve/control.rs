//! Signals of a server, handled on a thread of their own, which also reads files at a reload: the loop only
//! takes the results.
//!
//! | signal | first | second |
//! |---|---|---|
//! | SIGINT (Ctrl-C) | orderly stop | stop now, status 130 |
//! | SIGTERM | drain: no newcomers, stop when the last player has left or the time is over | orderly stop, then stop now |
//! | SIGHUP | reload | reload |

use std::sync::mpsc::{Receiver, Sender, channel};

use anyhow::Context;

use super::access::Bans;
use super::settings::Settings;

/// Message to the loop.
pub(super) enum ControlEvent {
    /// Stop in order: disconnect the players, finish the recording.
    Stop,
    /// Let no more players in, and stop when the last has left.
    Drain,
    /// Take new settings.
    Reload(Box<Reloaded>),
    /// Settings could not be read: keep the old ones.
    ReloadFailed(String),
}

/// Content of the files at a reload.
pub(super) struct Reloaded {
    pub(super) settings: Settings,
    pub(super) keys: Vec<ugas_transport::ServerKey>,
    pub(super) bans: Bans,
}

/// How far a server was asked to stop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
enum StopLevel {
    #[default]
    Running,
    Draining,
    Stopping,
    Now,
}

impl StopLevel {
    /// The level after SIGINT.
    fn interrupted(self) -> Self {
        if self >= Self::Stopping { Self::Now } else { Self::Stopping }
    }

    /// The level after SIGTERM.
    fn terminated(self) -> Self {
        match self {
            Self::Running => Self::Draining,
            Self::Draining => Self::Stopping,
            Self::Stopping | Self::Now => Self::Now,
        }
    }
}

/// Exit status after the second SIGINT: 128 and the number of the signal, as shells report it.
const INTERRUPTED: i32 = 130;

/// Installs the signal handlers. `load` reads the settings again, on the thread of the signals.
///
/// # Errors
/// If the handlers or the thread cannot be installed.
#[cfg(unix)]
pub(super) fn start(
    load: impl Fn() -> anyhow::Result<Reloaded> + Send + 'static,
) -> anyhow::Result<Receiver<ControlEvent>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let (sender, events) = channel();
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])
        .context("the signal handlers cannot be installed")?;
    std::thread::Builder::new().name("ugas-signals".to_owned()).spawn(move || {
        let mut level = StopLevel::default();
        for signal in signals.forever() {
            level = match signal {
                SIGHUP => {
                    reload(&load, &sender);
                    continue;
                }
                SIGTERM => level.terminated(),
                _ => level.interrupted(),
            };
            super::service::stopping();
            let _ = match level {
                StopLevel::Now => std::process::exit(INTERRUPTED),
                StopLevel::Draining => sender.send(ControlEvent::Drain),
                StopLevel::Running | StopLevel::Stopping => sender.send(ControlEvent::Stop),
            };
        }
    })?;
    Ok(events)
}

/// Without Unix signals: Ctrl-C stops, and a second one stops now.
#[cfg(not(unix))]
pub(super) fn start(
    load: impl Fn() -> anyhow::Result<Reloaded> + Send + 'static,
) -> anyhow::Result<Receiver<ControlEvent>> {
    let (sender, events) = channel();
    let stop = crate::online::StopSignal::on_signals().context("the signal handlers cannot be installed")?;
    std::thread::Builder::new().name("ugas-signals".to_owned()).spawn(move || {
        while !stop.is_requested() {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let _ = (INTERRUPTED, StopLevel::Running.terminated(), StopLevel::Running.interrupted(), &load);
        let _ = sender.send(ControlEvent::Stop);
    })?;
    Ok(events)
}

#[cfg(unix)]
fn reload(load: &impl Fn() -> anyhow::Result<Reloaded>, events: &Sender<ControlEvent>) {
    super::service::reloading();
    let loaded = load();
    super::service::ready();
    let event = match loaded {
        Ok(reloaded) => ControlEvent::Reload(Box::new(reloaded)),
        Err(error) => ControlEvent::ReloadFailed(format!("{error:#}")),
    };
    let _ = events.send(event);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_interrupt_stops_now() {
        let running = StopLevel::default();
        assert_eq!(running.interrupted(), StopLevel::Stopping);
        assert_eq!(running.interrupted().interrupted(), StopLevel::Now);
        assert_eq!(running.terminated(), StopLevel::Draining);
        assert_eq!(running.terminated().interrupted(), StopLevel::Stopping);
        assert_eq!(running.terminated().terminated().terminated(), StopLevel::Now);
    }
}
