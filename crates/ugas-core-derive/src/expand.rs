//! Generated implementations.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Result};

use crate::parse::{Part, Policy, Shape, check, shapes};

pub(crate) fn expand_record(input: &DeriveInput) -> Result<TokenStream> {
    let shapes = shapes(input)?;
    let (hash, encode) = (hash(input, &shapes), encode(input, &shapes));
    let decode = decode(input, &shapes)?;
    Ok(quote! { #hash #encode #decode })
}

pub(crate) fn expand_hash(input: &DeriveInput) -> Result<TokenStream> {
    Ok(hash(input, &shapes(input)?))
}

fn hash(input: &DeriveInput, shapes: &[Shape]) -> TokenStream {
    let name = &input.ident;
    let arms = shapes.iter().map(|shape| {
        let (pattern, parts) = (shape.pattern(), shape.parts.iter().map(hash_part));
        let tag = shape.tag.map(|tag| quote! { hasher.number(#tag as u64, 1); });
        quote! { #pattern => { #tag #(#parts)* } }
    });
    quote! {
        #[automatically_derived]
        impl crate::hash::StateHash for #name {
            fn state_hash<S: crate::hash::HashSink>(&self, hasher: &mut S) {
                match self { #(#arms)* }
            }
        }
    }
}

fn hash_part(Part { member, binding, policy }: &Part) -> TokenStream {
    let hash = quote! { crate::hash::StateHash::state_hash(#binding, hasher); };
    match policy {
        Policy { hashed: false, .. } => quote! { let _ = #binding; },
        Policy { since: Some(_), .. } => {
            quote! {
                if !crate::codec::is_default(#binding) {
                    crate::hash::StateHash::state_hash(stringify!(#member), hasher);
                    #hash
                }
            }
        }
        Policy { since: None, .. } => hash,
    }
}

fn encode(input: &DeriveInput, shapes: &[Shape]) -> TokenStream {
    let name = &input.ident;
    let arms = shapes.iter().map(|shape| {
        let (pattern, tag) = (shape.pattern(), shape.tag.map(|tag| quote! { encoder.byte(#tag); }));
        let parts = shape.parts.iter().map(|Part { binding, policy, .. }| match policy.encoded {
            true => quote! { crate::codec::Encode::encode(#binding, encoder); },
            false => quote! { let _ = #binding; },
        });
        quote! { #pattern => { #tag #(#parts)* } }
    });
    quote! {
        #[automatically_derived]
        impl crate::codec::Encode for #name {
            fn encode(&self, encoder: &mut crate::codec::Encoder) {
                match self { #(#arms)* }
            }
        }
    }
}

fn decode(input: &DeriveInput, shapes: &[Shape]) -> Result<TokenStream> {
    let name = &input.ident;
    let body = match (&input.data, shapes) {
        (Data::Struct(_), [shape]) => {
            let value = decode_shape(shape);
            let check = check(input)?.map(|check| {
                quote! { #check(&value).map_err(|what| decoder.invalid(what))?; }
            });
            quote! {
                let value = #value;
                #check
                Ok(value)
            }
        }
        _ => decode_variant(input, shapes),
    };
    Ok(quote! {
        #[automatically_derived]
        impl crate::codec::Decode for #name {
            fn decode(decoder: &mut crate::codec::Decoder<'_>) -> Result<Self, crate::codec::DecodeError> {
                #body
            }
        }
    })
}

/// Reads a byte and the variant of that byte, in one function per variant, so that recursive values take no more
/// stack than they need.
fn decode_variant(input: &DeriveInput, shapes: &[Shape]) -> TokenStream {
    let name = input.ident.to_string();
    let arms = shapes.iter().map(|shape| {
        let (tag, value) = (shape.tag, decode_shape(shape));
        quote! { #tag => |decoder| Ok(#value), }
    });
    quote! {
        type Read<T> = fn(&mut crate::codec::Decoder<'_>) -> Result<T, crate::codec::DecodeError>;
        let at = decoder.position() as u64;
        #[allow(unused_variables, reason = "a variant without fields reads nothing")]
        let read: Read<Self> = match decoder.byte()? {
            #(#arms)*
            found => {
                let kind = crate::codec::DecodeErrorKind::UnknownVariant { name: #name, found };
                return Err(crate::codec::DecodeError { at, kind });
            }
        };
        read(decoder)
    }
}

fn decode_shape(Shape { path, parts, .. }: &Shape) -> TokenStream {
    let fields = parts.iter().map(|Part { member, policy, .. }| {
        let read = quote! { crate::codec::Decode::decode(decoder)? };
        let value = match policy {
            Policy { encoded: false, .. } => quote! { Default::default() },
            Policy { since: Some(version), .. } => {
                quote! { if decoder.version() >= #version { #read } else { Default::default() } }
            }
            Policy { since: None, .. } => read,
        };
        quote! { #member: #value }
    });
    quote! { #path { #(#fields),* } }
}

pub(crate) fn expand_clone(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "`FieldClone` can only be derived for structs"));
    };
    let name = &input.ident;
    let members: Vec<_> = data.fields.members().collect();
    // Not `automatically_derived`: dead-code analysis ignores such copies, and with them the use of `Over`.
    Ok(quote! {
        impl Clone for #name {
            fn clone(&self) -> Self {
                Self { #(#members: Clone::clone(&self.#members)),* }
            }

            #[inline]
            fn clone_from(&mut self, source: &Self) {
                #[allow(unused_imports, reason = "not every struct has fields of both kinds")]
                use crate::codec::overwrite::{Over, OverwriteBits as _, OverwriteClone as _};

                #((&mut Over(&mut self.#members)).write(&source.#members);)*
            }
        }
    })
}
