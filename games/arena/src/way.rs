//! How the game is played with others, and how bad the way to the server is made on purpose.

use std::fmt;

use bevy_ecs::prelude::Resource;

/// Who decides in this process.
#[derive(Resource, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// This one: a game alone, or the server of one.
    #[default]
    Decides,
    /// A server; this is a window on its game.
    Follows,
}

/// What the player makes of the network: how long datagrams take, how many are lost, and whether the client predicts.
#[derive(Resource, Clone, Copy, PartialEq, Debug)]
pub struct Way {
    /// There and back, in milliseconds, on top of what the network takes.
    pub latency: f32,
    /// How many of a hundred datagrams are lost.
    pub loss: f32,
    /// Whether what the player does is shown before the server has answered.
    pub is_predicted: bool,
}

impl Default for Way {
    fn default() -> Self {
        Self { latency: 0.0, loss: 0.0, is_predicted: true }
    }
}

impl Way {
    /// The longest way that can be chosen.
    pub const MOST_LATENCY: f32 = 300.0;
    /// The worst way that can be chosen.
    pub const MOST_LOSS: f32 = 30.0;

    /// Another way, within what can be chosen.
    #[must_use]
    pub fn with(self, latency: f32, loss: f32) -> Self {
        // What is no number is none at all.
        let within = |number: f32, most: f32| if number.is_nan() { 0.0 } else { number.clamp(0.0, most) };
        Self { latency: within(latency, Self::MOST_LATENCY), loss: within(loss, Self::MOST_LOSS), ..self }
    }
}

/// How it goes, in words and numbers, for the panel.
#[derive(Resource, Clone, PartialEq, Debug, Default)]
pub struct Status {
    /// What is played: alone, as a host, as a guest.
    pub mode: String,
    /// Why there is no server any more.
    pub lost: Option<String>,
    /// Milliseconds there and back, as measured.
    pub round_trip: f64,
    /// Ticks that were predicted wrongly.
    pub mispredicted: u64,
    /// What the server carried out.
    pub confirmed: u64,
    /// What the server did not carry out.
    pub rejected: u64,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mode, round_trip, mispredicted, confirmed, rejected, lost: _ } = self;
        writeln!(f, "{mode}, {round_trip:.0} ms there and back")?;
        write!(
            f,
            "commands: {confirmed} carried out, {rejected} not; ticks predicted wrongly: {mispredicted}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_way_is_worse_than_can_be_chosen() {
        let way = Way::default().with(1_000.0, -3.0);
        assert_eq!((way.latency, way.loss), (300.0, 0.0));
        assert!(way.is_predicted);
        let way = way.with(f32::NAN, f32::NAN);
        assert_eq!((way.latency, way.loss), (0.0, 0.0));
    }
}
