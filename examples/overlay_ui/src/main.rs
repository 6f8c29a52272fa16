//! Prints the text that the debug overlay draws about one controller.

use bevy_ugas::overlay::DebugOverlay;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut app = overlay_ui::app()?;
    app.world_mut().resource_mut::<DebugOverlay>().is_shown = true;
    println!("{}", overlay_ui::drawn(&mut app).ok_or("the overlay is not drawn")?);
    Ok(())
}
