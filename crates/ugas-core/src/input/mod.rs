//! Input (§11): from what a device reports to the input ids that abilities are bound to.

mod buffer;
mod id;

pub use buffer::{BufferedInput, InputBuffer, InputBufferConfig};
pub use id::InputId;
