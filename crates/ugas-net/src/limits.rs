//! Limits of datagrams and their content. Checked before anything is allocated.

/// Most bytes of a datagram, so that no network fragments it.
pub const MAX_DATAGRAM: usize = 1_200;
/// Most bytes of the context of a cue.
pub const MAX_CUE_DETAILS: usize = ugas_core::replica::Piece::MOST_CUE_CONTEXT;
/// Most bytes of a credential.
pub const MAX_CREDENTIAL: usize = 256;
/// Most bytes of the text of a refusal.
pub const MAX_REASON: usize = 200;
/// Most frames in one datagram.
pub const MAX_FRAMES: usize = 32;
/// Most commands in one frame.
pub const MAX_COMMANDS: usize = 8;
/// Most ticks that a command may come late and still run. It bounds
/// [`ServerConfig::grace`](crate::ServerConfig::grace), so that clients know when a command does not run any
/// more.
pub const MAX_GRACE: u32 = 8;
/// Most targets of one command.
pub const MAX_TARGETS: usize = 32;
/// Most context tags, and most numbers, of one event.
pub const MAX_EVENT_ITEMS: usize = 16;
/// Most bytes of an input's name, and of the name of a number of an event.
pub const MAX_INPUT_NAME: usize = 64;
/// Most bytes of a payload of the host's own, and of its kind.
pub const MAX_PAYLOAD: usize = 256;
