//! The rules that a recording includes.

use std::sync::Arc;

use ugas_core::catalog::{Catalog, Definitions, RebuildError};
use ugas_core::codec::{self, Decode, Decoder};

use crate::error::PlayError;

/// The encoded definitions of a catalog.
pub(crate) fn bytes_of(catalog: &Catalog) -> Vec<u8> {
    codec::to_bytes(catalog.definitions())
}

/// Builds the catalog of embedded definitions, with the native code of another catalog. Without one,
/// definitions that need native code are an error.
pub(crate) fn build(
    rules: &[u8],
    version: u32,
    natives: Option<&Catalog>,
) -> Result<Arc<Catalog>, PlayError> {
    let mut decoder = Decoder::new(rules, version);
    let definitions = Definitions::decode(&mut decoder).map_err(PlayError::Rules)?;
    decoder.finish().map_err(PlayError::Rules)?;
    Ok(match natives {
        Some(natives) => definitions.build_with_natives_of(natives)?,
        None => {
            let none = Catalog::builder().build().map_err(RebuildError::from)?;
            definitions.build_with_natives_of(&none)?
        }
    })
}
