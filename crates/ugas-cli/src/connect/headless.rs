//! A session without a terminal: prints a line for each event.

use super::event_lines;
use super::player::Player;
use crate::output::{self, Format};

/// Prints events until the session ends; nothing with JSON, whose only output is the outcome.
pub(super) fn play(player: &mut Player, format: Format) -> anyhow::Result<()> {
    let mut has_begun = false;
    while !player.is_over() {
        let events = player.pump()?;
        if format == Format::Json {
            continue;
        }
        if !has_begun {
            has_begun = true;
            output::print(&format!("connecting to {}\n", player.session.server()))?;
        }
        for event in &events {
            if let Some(line) = event_lines::line(player, event) {
                output::print(&format!("{:8.2} s  {line}\n", player.session.elapsed().as_secs_f64()))?;
            }
        }
    }
    Ok(())
}
