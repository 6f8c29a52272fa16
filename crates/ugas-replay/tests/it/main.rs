//! Recordings as files: written, read back, torn, damaged, played, verified and compared.

mod compare;
mod damage;
mod golden;
mod player;
mod story;
mod sync_test;
mod verify;
