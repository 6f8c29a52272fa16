//! What a page asks for: the fields of a message, read with limits.

use serde_json::{Value, json};
use ugas_core::handle::{AbilityHandle, ControllerId};

/// Longest text of a field: nobody types more into a search box.
const LONGEST: usize = 256;

/// Why a request has no answer.
#[derive(Debug)]
pub(crate) struct Complaint {
    /// A word for programs.
    pub(crate) code: &'static str,
    /// A sentence for people.
    pub(crate) message: String,
}

impl Complaint {
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self { code: "bad-request", message: message.into() }
    }

    pub(crate) fn gone(message: impl Into<String>) -> Self {
        Self { code: "not-there", message: message.into() }
    }

    pub(crate) fn busy(message: impl Into<String>) -> Self {
        Self { code: "busy", message: message.into() }
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self { code: "forbidden", message: message.into() }
    }
}

/// An answer, or why there is none.
pub(crate) type Answer = Result<Value, Complaint>;

/// An answer as a message, with the number of the question.
pub(crate) fn reply_to(id: Value, answer: Answer) -> Value {
    match answer {
        Ok(answer) => json!({ "id": id, "answer": answer }),
        Err(Complaint { code, message }) => {
            json!({ "id": id, "error": { "code": code, "message": message } })
        }
    }
}

/// The fields of a request.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub(crate) &'a Value);

impl<'a> Fields<'a> {
    /// A text; absent, null and empty are the same.
    pub(crate) fn text(self, key: &str) -> Result<Option<&'a str>, Complaint> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.len() <= LONGEST => {
                Ok(Some(text.as_str()).filter(|text| !text.is_empty()))
            }
            Some(Value::String(_)) => Err(Complaint::bad(format!("`{key}` is longer than {LONGEST} bytes"))),
            Some(_) => Err(Complaint::bad(format!("`{key}` must be a text"))),
        }
    }

    pub(crate) fn needed_text(self, key: &str) -> Result<&'a str, Complaint> {
        self.text(key)?.ok_or_else(|| Complaint::bad(format!("`{key}` is missing")))
    }

    /// A number that counts.
    pub(crate) fn count(self, key: &str) -> Result<Option<u64>, Complaint> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64() {
                Some(count) => Ok(Some(count)),
                None => Err(Complaint::bad(format!("`{key}` must be a whole number from 0"))),
            },
        }
    }

    /// A number of the game.
    pub(crate) fn number(self, key: &str) -> Result<Option<f64>, Complaint> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_f64().filter(|number| number.is_finite()) {
                Some(number) => Ok(Some(number)),
                None => Err(Complaint::bad(format!("`{key}` must be a number"))),
            },
        }
    }

    /// A list of texts.
    pub(crate) fn texts(self, key: &str) -> Result<Vec<&'a str>, Complaint> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) if items.len() <= LONGEST => items
                .iter()
                .map(|item| {
                    item.as_str().ok_or_else(|| Complaint::bad(format!("`{key}` must be a list of texts")))
                })
                .collect(),
            Some(_) => Err(Complaint::bad(format!("`{key}` must be a list of at most {LONGEST} texts"))),
        }
    }

    pub(crate) fn controller(self, key: &str) -> Result<ControllerId, Complaint> {
        controller(self.needed_text(key)?)
    }

    pub(crate) fn optional_controller(self, key: &str) -> Result<Option<ControllerId>, Complaint> {
        self.text(key)?.map(controller).transpose()
    }

    pub(crate) fn ability(self, key: &str) -> Result<AbilityHandle, Complaint> {
        let bits = self.needed_text(key)?.parse().ok().and_then(AbilityHandle::from_bits);
        bits.ok_or_else(|| Complaint::bad(format!("`{key}` is no handle of an ability")))
    }
}

pub(crate) fn controller(text: &str) -> Result<ControllerId, Complaint> {
    let id = text.parse().ok().and_then(ControllerId::from_bits);
    id.ok_or_else(|| Complaint::bad(format!("`{text}` is no handle of a controller")))
}
