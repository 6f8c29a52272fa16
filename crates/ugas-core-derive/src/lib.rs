//! Derive macros of `ugas-core`, which only that crate uses: their code names items of it.
//!
//! The fields of a record, in the order of their declaration, are its hash and its bytes. So the declaration is the only
//! list of them, and a field cannot be forgotten. What a field is not, an attribute at the field says:
//!
//! | attribute | hashed | encoded | decoded |
//! |---|---|---|---|
//! | none | yes | yes | yes |
//! | `#[state(derived)]`: follows from other fields, and starts empty | yes | no | default |
//! | `#[state(unhashed)]`: pending work | no | yes | yes |
//! | `#[state(index)]`: follows from encoded fields or is not worth keeping, and starts empty | no | no | default |
//! | `#[state(since = 4)]`: added in format version 4 | with its name, unless it is the default | yes | default in older bytes |
//! | `#[state(unhashed, since = 4)]` | no | yes | default in older bytes |
//!
//! A variant of an enum is a byte: its position, or one more than that of the variant before it. `#[state(tag = 40)]` sets
//! it. The bytes are part of the format: never reuse one for another variant, and add new variants at the end or with a tag.
//!
//! `#[state(check = path)]` at a type names a function that validates a decoded value: the invariants that the
//! constructors of the type maintain. It returns the message of the error.

mod expand;
mod parse;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use crate::expand::{expand_clone, expand_hash, expand_record};

/// Implements `StateHash`, `Encode` and `Decode`, field by field.
#[proc_macro_derive(StateRecord, attributes(state))]
pub fn state_record(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand_record(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Implements `StateHash` alone, for a type that is not encoded or is encoded in another way.
#[proc_macro_derive(StateHash, attributes(state))]
pub fn state_hash(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand_hash(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Implements `Clone` for a struct with a `clone_from` that reuses the allocations of each field: a rollback buffer
/// that copies every tick must not allocate (I6).
#[proc_macro_derive(FieldClone)]
pub fn field_clone(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand_clone(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
