//! Playing without a terminal: whatever happens is a line.

use super::player::Player;
use super::words;
use crate::output::{self, Format};

/// Watches until it is over.
pub(super) fn play(player: &mut Player, format: Format) -> anyhow::Result<()> {
    let mut has_begun = false;
    while !player.is_over() {
        let events = player.breathe()?;
        if format == Format::Json {
            continue;
        }
        if !has_begun {
            has_begun = true;
            output::print(&format!("connecting to {}\n", player.session.server()))?;
        }
        for event in &events {
            if let Some(line) = words::line(player, event) {
                output::print(&format!("{:8.2} s  {line}\n", player.session.elapsed().as_secs_f64()))?;
            }
        }
    }
    Ok(())
}
