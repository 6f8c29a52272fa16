//! How the game is played with others, and how bad the way to the server is made on purpose.

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
        Self {
            latency: latency.clamp(0.0, Self::MOST_LATENCY),
            loss: loss.clamp(0.0, Self::MOST_LOSS),
            ..self
        }
    }
}

/// How it goes, in words and numbers, for the panel.
#[derive(Resource, Clone, PartialEq, Debug, Default)]
pub struct Status {
    /// What is played: alone, as a host, as a guest.
    pub mode: String,
    /// Milliseconds there and back, as measured.
    pub round_trip: f64,
    /// Ticks that were predicted wrongly.
    pub mispredicted: u64,
    /// What the server carried out.
    pub confirmed: u64,
    /// What the server did not carry out.
    pub rejected: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_way_is_worse_than_can_be_chosen() {
        let way = Way::default().with(1_000.0, -3.0);
        assert_eq!((way.latency, way.loss), (300.0, 0.0));
        assert!(way.is_predicted);
    }
}
