//! Requests of a page: their fields, read with limits, and their errors.

use serde_json::{Value, json};
use ugas_core::handle::{ControllerId, GrantedAbilityId};

/// Maximum length of a text field in bytes, and of a list in items.
const MAX_LENGTH: usize = 256;

/// Why a request has no answer.
#[derive(Debug)]
pub(crate) struct RequestError {
    /// Code for programs.
    pub(crate) code: &'static str,
    /// Message for people.
    pub(crate) message: String,
}

impl RequestError {
    /// Error of a request that is wrong in itself.
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self { code: "bad-request", message: message.into() }
    }

    /// Error of a request about something that does not exist at its moment.
    pub(crate) fn gone(message: impl Into<String>) -> Self {
        Self { code: "not-there", message: message.into() }
    }

    /// Error of a request that cannot be done now, and may be repeated.
    pub(crate) fn busy(message: impl Into<String>) -> Self {
        Self { code: "busy", message: message.into() }
    }

    /// Error of a request that the host does not allow.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self { code: "forbidden", message: message.into() }
    }
}

/// An answer, or why there is none.
pub(crate) type Answer = Result<Value, RequestError>;

/// An answer as a message, with the `id` of its request.
pub(crate) fn reply_to(id: Value, answer: Answer) -> Value {
    match answer {
        Ok(answer) => json!({ "id": id, "answer": answer }),
        Err(RequestError { code, message }) => {
            json!({ "id": id, "error": { "code": code, "message": message } })
        }
    }
}

/// The fields of a request.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub(crate) &'a Value);

impl<'a> Fields<'a> {
    /// A text; absent, null and empty count as `None`.
    pub(crate) fn text(self, key: &str) -> Result<Option<&'a str>, RequestError> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.len() <= MAX_LENGTH => {
                Ok(Some(text.as_str()).filter(|text| !text.is_empty()))
            }
            Some(Value::String(_)) => {
                Err(RequestError::bad(format!("`{key}` is longer than {MAX_LENGTH} bytes")))
            }
            Some(_) => Err(RequestError::bad(format!("`{key}` must be a string"))),
        }
    }

    /// A text; an error if it is missing or of another type.
    pub(crate) fn required_text(self, key: &str) -> Result<&'a str, RequestError> {
        self.text(key)?.ok_or_else(|| RequestError::bad(format!("`{key}` is missing")))
    }

    /// A non-negative integer; `None` if it is missing or null.
    pub(crate) fn count(self, key: &str) -> Result<Option<u64>, RequestError> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64() {
                Some(count) => Ok(Some(count)),
                None => Err(RequestError::bad(format!("`{key}` must be a non-negative integer"))),
            },
        }
    }

    /// A finite number; `None` if it is missing or null.
    pub(crate) fn number(self, key: &str) -> Result<Option<f64>, RequestError> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_f64().filter(|number| number.is_finite()) {
                Some(number) => Ok(Some(number)),
                None => Err(RequestError::bad(format!("`{key}` must be a number"))),
            },
        }
    }

    /// A list of texts, at most [`MAX_LENGTH`]; empty if it is missing or null.
    pub(crate) fn texts(self, key: &str) -> Result<Vec<&'a str>, RequestError> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) if items.len() <= MAX_LENGTH => items
                .iter()
                .map(|item| {
                    item.as_str()
                        .ok_or_else(|| RequestError::bad(format!("`{key}` must be a list of strings")))
                })
                .collect(),
            Some(_) => {
                Err(RequestError::bad(format!("`{key}` must be a list of at most {MAX_LENGTH} strings")))
            }
        }
    }

    pub(crate) fn controller(self, key: &str) -> Result<ControllerId, RequestError> {
        controller(self.required_text(key)?)
    }

    pub(crate) fn optional_controller(self, key: &str) -> Result<Option<ControllerId>, RequestError> {
        self.text(key)?.map(controller).transpose()
    }

    /// Handle of a granted ability, as the page got it; whether it exists is not checked.
    pub(crate) fn ability(self, key: &str) -> Result<GrantedAbilityId, RequestError> {
        let bits = self.required_text(key)?.parse().ok().and_then(GrantedAbilityId::from_bits);
        bits.ok_or_else(|| RequestError::bad(format!("`{key}` is not a handle of an ability")))
    }
}

/// Handle of a controller, as the page got it; whether it exists is not checked.
pub(crate) fn controller(text: &str) -> Result<ControllerId, RequestError> {
    let id = text.parse().ok().and_then(ControllerId::from_bits);
    id.ok_or_else(|| RequestError::bad(format!("`{text}` is not a handle of a controller")))
}

/// A controller in messages: the bits of its handle, in decimal.
pub(crate) fn id_text(id: ControllerId) -> String {
    id.to_bits().to_string()
}
