//! Expansion of `#[derive(AttributeSet)]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Expr, Field, Fields, Ident, LitStr, Result};

/// Options of `#[attribute(…)]` on a field.
#[derive(Default)]
struct Options {
    name: Option<LitStr>,
    default: Option<Expr>,
    derived: Option<Expr>,
    min: Option<Expr>,
    max: Option<Expr>,
}

/// The names of the attributes as types and as constants, and the implementation of `AttributeSet`.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "`AttributeSet` can only be derived for structs"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "`AttributeSet` needs a struct with named fields"));
    };
    if !is_immutable(input) {
        return Err(Error::new_spanned(
            &input.ident,
            "a typed set is read-only, because only effects change attributes: add `#[component(immutable)]`",
        ));
    }
    let ident = &input.ident;
    let set_name = set_name(input)?;
    let visibility = &input.vis;
    let (mut names, mut constants) = (Vec::new(), Vec::new());
    let (mut definitions, mut readings) = (Vec::new(), Vec::new());
    for field in &fields.named {
        let Some(field_name) = &field.ident else { continue };
        let options = options(field)?;
        let name = match &options.name {
            Some(name) => name.value(),
            None => pascal_case(&field_name.to_string()),
        };
        let constant = format_ident!("{}", field_name.to_string().to_uppercase(), span = field_name.span());
        let documentation = format!("The attribute `{name}`.");
        let type_name = format!("{ident}{}", pascal_case(&field_name.to_string()));
        let name_type = Ident::new(&type_name, field_name.span());
        constants.push(quote! {
            #[doc = #documentation]
            pub const #constant: #name_type = #name_type;
        });
        names.push(quote! {
            #[doc = #documentation]
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            #visibility struct #name_type;

            #[automatically_derived]
            impl ::bevy_ugas::AttributeName for #name_type {
                const NAME: &'static str = #name;
            }

            #[automatically_derived]
            impl ::core::convert::From<#name_type> for ::std::string::String {
                fn from(_: #name_type) -> Self {
                    ::std::borrow::ToOwned::to_owned(#name)
                }
            }
        });
        definitions.push(attribute_definition(field_name, &name, &options)?);
        readings.push(quote! { #field_name: attributes.value(Self::#constant)?.current });
    }
    Ok(quote! {
        #(#names)*

        #[automatically_derived]
        impl #ident {
            #(#constants)*
        }

        #[automatically_derived]
        impl ::bevy_ugas::AttributeSet for #ident {
            const NAME: &'static str = #set_name;

            fn definition() -> ::bevy_ugas::ugas::AttributeSetDef {
                ::bevy_ugas::ugas::AttributeSetDef::new(#set_name)#(.with(#definitions))*
            }

            fn read(attributes: &::bevy_ugas::Attributes) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(Self { #(#readings),* })
            }
        }
    })
}

/// Whether the struct has `#[component(immutable)]`, among other options or alone.
fn is_immutable(input: &DeriveInput) -> bool {
    let is_option = |token: TokenTree| matches!(token, TokenTree::Ident(option) if option == "immutable");
    input
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("component"))
        .filter_map(|attribute| attribute.meta.require_list().ok())
        .any(|list| list.tokens.clone().into_iter().any(is_option))
}

/// Name of the set: `#[attribute_set(name = …)]`, or by default the name of the struct.
fn set_name(input: &DeriveInput) -> Result<String> {
    let mut name = input.ident.to_string();
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("attribute_set")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("name") {
                return Err(meta.error("unknown option: `attribute_set` supports only `name`"));
            }
            name = meta.value()?.parse::<LitStr>()?.value();
            Ok(())
        })?;
    }
    Ok(name)
}

/// Parses the `#[attribute(…)]` of a field.
fn options(field: &Field) -> Result<Options> {
    let mut options = Options::default();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("attribute")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                options.name = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("default") {
                options.default = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("derived") {
                options.derived = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("min") {
                options.min = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("max") {
                options.max = Some(meta.value()?.parse()?);
            } else {
                return Err(meta.error(
                    "unknown option: `attribute` supports `name`, `default`, `derived`, `min` and `max`",
                ));
            }
            Ok(())
        })?;
    }
    Ok(options)
}

/// Expression for the `AttributeDef` of a field. Errors point at `field`.
fn attribute_definition(field: &Ident, name: &str, options: &Options) -> Result<TokenStream> {
    let Options { default, derived, min, max, name: _ } = options;
    let new = match (default, derived) {
        (Some(_), Some(_)) => {
            return Err(Error::new_spanned(
                field,
                "a derived attribute has no default: remove `default` or `derived`",
            ));
        }
        (Some(default), None) => quote! { ::bevy_ugas::ugas::AttributeDef::new(#name, #default) },
        (None, Some(derived)) => quote! { ::bevy_ugas::ugas::AttributeDef::derived(#name, #derived) },
        (None, None) => quote! { ::bevy_ugas::ugas::AttributeDef::new(#name, 0.0) },
    };
    let min = min.as_ref().map(|min| quote! { .min(#min) });
    let max = max.as_ref().map(|max| quote! { .max(#max) });
    Ok(quote! { #new #min #max })
}

/// Converts `max_health` to `MaxHealth`.
fn pascal_case(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
        first + letters.as_str()
    };
    words.map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_names_become_pascal_case() {
        assert_eq!(pascal_case("max_health"), "MaxHealth");
        assert_eq!(pascal_case("mana"), "Mana");
        assert_eq!(pascal_case("_r2_d2"), "R2D2");
    }

    #[test]
    fn invalid_input_is_reported() {
        let error_of = |text: &str| expand(&syn::parse_str(text).unwrap()).unwrap_err().to_string();
        assert_eq!(error_of("enum Combat { Health }"), "`AttributeSet` can only be derived for structs");
        assert_eq!(error_of("struct Combat(f64);"), "`AttributeSet` needs a struct with named fields");
        for mutable in ["struct Combat {}", "#[component(storage = \"SparseSet\")] struct Combat {}"] {
            assert!(error_of(mutable).contains("add `#[component(immutable)]`"));
        }
        assert_eq!(
            error_of("#[component(immutable)] struct Combat { #[attribute(least = 1.0)] health: f64 }"),
            "unknown option: `attribute` supports `name`, `default`, `derived`, `min` and `max`"
        );
        assert!(
            error_of("#[component(storage = \"Table\", immutable)] struct Combat { #[attribute(default = 1.0, derived = \"Mana\")] health: f64 }")
                .contains("no default")
        );
    }
}
