//! Fields and variants of a record, with their `#[state(…)]` attributes.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Data, DataEnum, DeriveInput, Error, Fields, LitInt, Member, Path, Result};

/// Treatment of a field.
pub(crate) struct Policy {
    pub(crate) hashed: bool,
    pub(crate) encoded: bool,
    /// Format version that added the field.
    pub(crate) since: Option<LitInt>,
}

/// One field, bound to a variable in generated code.
pub(crate) struct Part {
    pub(crate) member: Member,
    pub(crate) binding: Ident,
    pub(crate) policy: Policy,
}

/// A struct, or a variant of an enum with its byte.
pub(crate) struct Shape {
    /// `Self`, or `Self::Variant`.
    pub(crate) path: TokenStream,
    pub(crate) tag: Option<u8>,
    pub(crate) parts: Vec<Part>,
}

impl Shape {
    /// Pattern that binds all fields.
    pub(crate) fn pattern(&self) -> TokenStream {
        let Self { path, parts, .. } = self;
        let (members, bindings) =
            (parts.iter().map(|part| &part.member), parts.iter().map(|part| &part.binding));
        quote! { #path { #(#members: #bindings),* } }
    }
}

/// The struct, or all variants of the enum.
pub(crate) fn shapes(input: &DeriveInput) -> Result<Vec<Shape>> {
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a record has no generic parameters"));
    }
    match &input.data {
        Data::Struct(data) => Ok(vec![Shape { path: quote!(Self), tag: None, parts: parts(&data.fields)? }]),
        Data::Enum(data) => variants(data),
        Data::Union(_) => Err(Error::new_spanned(&input.ident, "a union is no record")),
    }
}

fn variants(data: &DataEnum) -> Result<Vec<Shape>> {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut next = Some(0);
    for variant in &data.variants {
        options(&variant.attrs, |meta| {
            if !meta.path.is_ident("tag") {
                return Err(meta.error("unknown option: a variant has `tag = N`"));
            }
            next = Some(meta.value()?.parse::<LitInt>()?.base10_parse()?);
            Ok(())
        })?;
        let tag = next.ok_or_else(|| Error::new_spanned(variant, "the byte of a variant is at most 255"))?;
        if shapes.iter().any(|other| other.tag == Some(tag)) {
            return Err(Error::new_spanned(variant, format!("another variant has the byte {tag}")));
        }
        let name = &variant.ident;
        shapes.push(Shape { path: quote!(Self::#name), tag: Some(tag), parts: parts(&variant.fields)? });
        next = tag.checked_add(1);
    }
    Ok(shapes)
}

fn parts(fields: &Fields) -> Result<Vec<Part>> {
    let part = |(member, field): (Member, &syn::Field)| {
        let binding = match &member {
            Member::Named(name) => format_ident!("field_{}", name),
            Member::Unnamed(index) => format_ident!("field_{}", index.index),
        };
        Ok(Part { member, binding, policy: policy(&field.attrs)? })
    };
    fields.members().zip(fields).map(part).collect()
}

fn policy(attributes: &[Attribute]) -> Result<Policy> {
    let mut policy = Policy { hashed: true, encoded: true, since: None };
    options(attributes, |meta| {
        if meta.path.is_ident("derived") {
            policy.encoded = false;
        } else if meta.path.is_ident("unhashed") {
            policy.hashed = false;
        } else if meta.path.is_ident("index") {
            (policy.hashed, policy.encoded) = (false, false);
        } else if meta.path.is_ident("since") {
            policy.since = Some(meta.value()?.parse()?);
        } else {
            return Err(
                meta.error("unknown option: a field has `derived`, `unhashed`, `index` or `since = N`")
            );
        }
        Ok(())
    })?;
    Ok(policy)
}

/// The function that validates a decoded value, if there is one.
pub(crate) fn check(input: &DeriveInput) -> Result<Option<Path>> {
    let mut check = None;
    options(&input.attrs, |meta| {
        if !meta.path.is_ident("check") {
            return Err(meta.error("unknown option: a type has `check = path`"));
        }
        check = Some(meta.value()?.parse()?);
        Ok(())
    })?;
    Ok(check)
}

/// Visits the options of all `#[state(…)]`.
fn options(
    attributes: &[Attribute],
    mut visit: impl FnMut(syn::meta::ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("state")) {
        attribute.parse_nested_meta(&mut visit)?;
    }
    Ok(())
}
