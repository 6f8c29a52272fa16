//! Parameters of abilities (A18): numbers, booleans, tags and texts.

use core::fmt;

use crate::codec::{Decode, DecodeError, DecodeErrorKind, Decoder, Encode, Encoder};
use crate::hash::{HashSink, StateHash};
use crate::nearest::nearest;

/// First format version with parameters other than numbers.
const TYPED_SINCE: u32 = 4;

/// Value of a parameter of an ability definition (A18).
///
/// Numbers and booleans are copied to each grant, where grants, tasks and the host may change them. Tags and texts are fixed
/// by the definition.
#[derive(Clone, PartialEq, Debug)]
pub enum ParameterDef {
    /// A number, read with `Param("Name")`.
    Number(f64),
    /// A boolean: 1 or 0 in expressions.
    Flag(bool),
    /// A tag by name, asked with `ParamTag("Name")` wherever the ability expects a tag.
    Tag(String),
    /// A text for the host. Expressions cannot read it.
    Text(String),
}

impl ParameterDef {
    /// A tag.
    pub fn tag(name: impl Into<String>) -> Self {
        Self::Tag(name.into())
    }

    /// A text for the host.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The value in expressions; `None` for tags and texts.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Flag(flag) => Some(f64::from(u8::from(*flag))),
            Self::Tag(_) | Self::Text(_) => None,
        }
    }

    /// The text, or the name of the tag; `None` for numbers and booleans.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Tag(text) | Self::Text(text) => Some(text),
            Self::Number(_) | Self::Flag(_) => None,
        }
    }

    /// The type of the value.
    pub fn kind(&self) -> ParameterKind {
        match self {
            Self::Number(_) => ParameterKind::Number,
            Self::Flag(_) => ParameterKind::Flag,
            Self::Tag(_) => ParameterKind::Tag,
            Self::Text(_) => ParameterKind::Text,
        }
    }
}

impl From<f64> for ParameterDef {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<bool> for ParameterDef {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl StateHash for ParameterDef {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        // A number keeps the hash from before there were other types.
        match self {
            Self::Number(value) => value.state_hash(hasher),
            Self::Flag(flag) => {
                "Flag".state_hash(hasher);
                flag.state_hash(hasher);
            }
            Self::Tag(tag) => {
                "Tag".state_hash(hasher);
                tag.state_hash(hasher);
            }
            Self::Text(text) => {
                "Text".state_hash(hasher);
                text.state_hash(hasher);
            }
        }
    }
}

impl Encode for ParameterDef {
    fn encode(&self, encoder: &mut Encoder) {
        match self {
            Self::Number(value) => {
                encoder.byte(0);
                value.encode(encoder);
            }
            Self::Flag(flag) => {
                encoder.byte(1);
                flag.encode(encoder);
            }
            Self::Tag(tag) => {
                encoder.byte(2);
                tag.encode(encoder);
            }
            Self::Text(text) => {
                encoder.byte(3);
                text.encode(encoder);
            }
        }
    }
}

impl Decode for ParameterDef {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        if decoder.version() < TYPED_SINCE {
            return Ok(Self::Number(Decode::decode(decoder)?));
        }
        let at = decoder.position() as u64;
        Ok(match decoder.byte()? {
            0 => Self::Number(Decode::decode(decoder)?),
            1 => Self::Flag(Decode::decode(decoder)?),
            2 => Self::Tag(Decode::decode(decoder)?),
            3 => Self::Text(Decode::decode(decoder)?),
            found => {
                let kind = DecodeErrorKind::UnknownVariant { name: "ParameterDef", found };
                return Err(DecodeError { at, kind });
            }
        })
    }
}

/// Type of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParameterKind {
    /// A number.
    Number,
    /// A boolean.
    Flag,
    /// A tag.
    Tag,
    /// A text.
    Text,
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "a number",
            Self::Flag => "a boolean",
            Self::Tag => "a tag",
            Self::Text => "a text",
        })
    }
}

/// Error in a reference to a parameter (A18).
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterFault {
    /// Only abilities have parameters.
    #[error("`ParamTag` is not available here: only abilities have parameters")]
    NotAvailable,
    /// The ability has no parameter with this name.
    #[error("the ability has no parameter `{name}`{}", did_you_mean(.nearest))]
    Unknown {
        /// Requested name.
        name: String,
        /// Known name that resembles it.
        nearest: Option<String>,
    },
    /// The parameter holds a value of another type.
    #[error("the parameter `{name}` is {found}, not {expected}")]
    WrongType {
        /// Name of the parameter.
        name: String,
        /// Required type.
        expected: ParameterKind,
        /// Type of the parameter.
        found: ParameterKind,
    },
    /// A task writes a parameter that is fixed by the definition.
    #[error(
        "the parameter `{name}` is {found}, which is fixed by the definition: only numbers and booleans change"
    )]
    Fixed {
        /// Name of the parameter.
        name: String,
        /// Type of the parameter.
        found: ParameterKind,
    },
}

/// Suggestion at the end of a message; empty if there is none.
fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The parameter name in `ParamTag("Name")`; `None` if the text is anything else.
pub fn asked_parameter(text: &str) -> Option<&str> {
    let inside = text.trim().strip_prefix("ParamTag")?.trim_start();
    let inside = inside.strip_prefix('(')?.strip_suffix(')')?.trim();
    let name = ['"', '\''].into_iter().find_map(|quote| inside.strip_prefix(quote)?.strip_suffix(quote))?;
    (!name.is_empty() && !name.contains(['"', '\''])).then_some(name)
}

/// Name of the tag that a parameter of an ability definition holds. An error if there is no such parameter,
/// with the nearest name, or it is not a tag.
pub(crate) fn tag_parameter<'a>(
    parameters: &'a [(String, ParameterDef)],
    name: &str,
) -> Result<&'a str, ParameterFault> {
    match parameters.iter().find(|(known, _)| known == name) {
        Some((_, ParameterDef::Tag(tag))) => Ok(tag),
        Some((_, other)) => Err(ParameterFault::WrongType {
            name: name.to_owned(),
            expected: ParameterKind::Tag,
            found: other.kind(),
        }),
        None => Err(ParameterFault::Unknown {
            name: name.to_owned(),
            nearest: nearest(name, parameters.iter().map(|(known, _)| known.as_str())).map(str::to_owned),
        }),
    }
}

/// Checks that an expression may read a parameter: tasks may provide names that the definition does not have.
pub(crate) fn check_number_parameter(
    parameters: &[(String, ParameterDef)],
    name: &str,
) -> Result<(), ParameterFault> {
    match fixed_kind(parameters, name) {
        Some(found) => {
            Err(ParameterFault::WrongType { name: name.to_owned(), expected: ParameterKind::Number, found })
        }
        None => Ok(()),
    }
}

/// The type of a parameter that the definition fixes; `None` for those that may change and for unknown ones.
pub(crate) fn fixed_kind(parameters: &[(String, ParameterDef)], name: &str) -> Option<ParameterKind> {
    let (_, value) = parameters.iter().find(|(known, _)| known == name)?;
    value.as_number().is_none().then(|| value.kind())
}
