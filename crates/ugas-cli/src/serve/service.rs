//! Notifications of a service manager (systemd's protocol `sd_notify`). Without one, nothing happens.

use super::ops::Vitals;

/// The server accepts clients.
#[cfg(unix)]
pub(super) fn ready() {
    send(&[sd_notify::NotifyState::Ready]);
}

/// A reload begins.
#[cfg(unix)]
pub(super) fn reloading() {
    let mut states = vec![sd_notify::NotifyState::Reloading];
    states.extend(sd_notify::NotifyState::monotonic_usec_now());
    send(&states);
}

/// The server drains or stops.
#[cfg(unix)]
pub(super) fn stopping() {
    send(&[sd_notify::NotifyState::Stopping]);
}

/// Reports at intervals that the loop runs, if the service manager asks for it (`WatchdogSec=`). A server whose
/// loop stands still is restarted.
///
/// # Errors
/// If no thread can be started.
#[cfg(unix)]
pub(super) fn watch(vitals: Vitals) -> std::io::Result<()> {
    let mut micros = 0;
    if !sd_notify::watchdog_enabled(false, &mut micros) {
        return Ok(());
    }
    let pause = std::time::Duration::from_micros(micros / 3);
    std::thread::Builder::new().name("ugas-watchdog".to_owned()).spawn(move || {
        loop {
            if vitals.is_alive() {
                send(&[sd_notify::NotifyState::Watchdog]);
            }
            std::thread::sleep(pause);
        }
    })?;
    Ok(())
}

/// Sends a notification. One that does not arrive is no reason to end the game.
#[cfg(unix)]
fn send(states: &[sd_notify::NotifyState<'_>]) {
    let _ = sd_notify::notify(false, states);
}

#[cfg(not(unix))]
mod elsewhere {
    use super::Vitals;

    pub(in super::super) fn ready() {}

    pub(in super::super) fn stopping() {}

    pub(in super::super) fn watch(_vitals: Vitals) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(not(unix))]
pub(super) use elsewhere::{ready, stopping, watch};
