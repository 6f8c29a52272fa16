//! Recordings as files: written, read back, torn, damaged, played, verified and compared.

mod compare;
mod damage;
mod fight;
mod golden;
mod player;
mod sync_test;
mod verify;
