//! The derive macro of `bevy_ugas`; use it from there.

mod attribute_set;

use proc_macro::TokenStream;

/// Declares an attribute set from a struct whose fields are `f64`.
///
/// ```ignore
/// #[derive(Component, AttributeSet, PartialEq)]
/// #[component(immutable)] // only effects change attributes
/// #[attribute_set(name = "Combat")] // default: name of the struct
/// struct Combat {
///     #[attribute(default = 100.0, min = 1.0)]
///     max_health: f64, // attribute `MaxHealth`; `name = "…"` overrides it
///     #[attribute(default = 100.0, min = 0.0, max = "MaxHealth")]
///     health: f64,
///     #[attribute(derived = "MaxHealth / 10")]
///     toughness: f64,
/// }
/// ```
///
/// Besides the trait `AttributeSet`, it generates a type for the name of each attribute, after struct and field
/// (`CombatMaxHealth`), and a constant of it (`Combat::MAX_HEALTH`). Both can be used wherever an attribute is
/// named, and nowhere else.
#[proc_macro_derive(AttributeSet, attributes(attribute_set, attribute))]
pub fn derive_attribute_set(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    attribute_set::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
