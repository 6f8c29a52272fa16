//! Role of this process, simulated link conditions, and connection status.

use std::fmt;

use bevy_ecs::prelude::Resource;

/// Role of this process.
#[derive(Resource, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// Authority: a single-player game, or a server.
    #[default]
    Authority,
    /// Client of a server.
    Client,
}

/// Simulated latency and loss, and whether the client predicts.
#[derive(Resource, Clone, Copy, PartialEq, Debug)]
pub struct LinkSettings {
    /// Added round-trip latency in milliseconds.
    pub latency: f32,
    /// Datagram loss in percent.
    pub loss: f32,
    /// Whether the player's actions are predicted.
    pub is_predicted: bool,
}

impl Default for LinkSettings {
    fn default() -> Self {
        Self { latency: 0.0, loss: 0.0, is_predicted: true }
    }
}

impl LinkSettings {
    /// Maximum latency in milliseconds.
    pub const MAX_LATENCY: f32 = 300.0;
    /// Maximum loss in percent.
    pub const MAX_LOSS: f32 = 30.0;

    /// Settings with other latency and loss, clamped to the limits.
    #[must_use]
    pub fn with(self, latency: f32, loss: f32) -> Self {
        // NaN becomes 0.
        let within = |number: f32, most: f32| if number.is_nan() { 0.0 } else { number.clamp(0.0, most) };
        Self { latency: within(latency, Self::MAX_LATENCY), loss: within(loss, Self::MAX_LOSS), ..self }
    }
}

/// Connection status for the panel.
#[derive(Resource, Clone, PartialEq, Debug, Default)]
pub struct Status {
    /// Mode of play: single player, host or guest.
    pub mode: String,
    /// Why the connection was lost; `None` while it is not.
    pub lost: Option<String>,
    /// Measured round-trip time in milliseconds.
    pub round_trip: f64,
    /// Mispredicted ticks.
    pub mispredicted: u64,
    /// Confirmed commands.
    pub confirmed: u64,
    /// Rejected commands.
    pub rejected: u64,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mode, round_trip, mispredicted, confirmed, rejected, lost: _ } = self;
        writeln!(f, "{mode}, round trip {round_trip:.0} ms")?;
        write!(f, "commands: {confirmed} confirmed, {rejected} rejected; mispredicted ticks: {mispredicted}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_clamped_to_the_limits() {
        let link = LinkSettings::default().with(1_000.0, -3.0);
        assert_eq!((link.latency, link.loss), (300.0, 0.0));
        assert!(link.is_predicted);
        let link = link.with(f32::NAN, f32::NAN);
        assert_eq!((link.latency, link.loss), (0.0, 0.0));
    }
}
