//! UG045: controller of a state.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::{Span, Spanned};

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG045",
    title: "controller of a state",
    severity: Severity::Error,
    what: "A controller of a scenario has a `Handle` that is none of its `State`, is another's already, or stands beside keys that would make a new controller.",
    why: "Steps and expectations would be about nobody, or about somebody else than they say.",
    example: "State: VUdTTg…\nControllers:\n  hero: { Handle: controller7v1 }   # there are two, controller0v1 and controller1v1",
    mend: "Write the handle of a controller that the state has, and nothing beside it. A controller without `Handle` is spawned in addition.",
};

/// Most controllers that a message lists.
const MOST_LISTED: usize = 8;

/// A handle where there is nothing to look it up in.
pub(crate) fn no_state(handle: &Spanned<impl core::fmt::Debug>) -> Diagnostic {
    DOC.report(
        handle.span,
        format!("`{:?}` is a controller of a state, and the scenario has none", handle.value),
    )
    .help("add the `State`, or say what the controller is made of instead of `Handle`")
}

/// A handle that finds nobody.
pub(crate) fn not_there<H: core::fmt::Debug>(
    handle: &Spanned<H>,
    known: impl Iterator<Item = H>,
) -> Diagnostic {
    let mut known: Vec<String> = known.take(MOST_LISTED + 1).map(|known| format!("`{known:?}`")).collect();
    let more = if known.len() > MOST_LISTED { " and more" } else { "" };
    known.truncate(MOST_LISTED);
    let help = match known.is_empty() {
        true => "it has no controllers".to_owned(),
        false => format!("it has {}{more}", known.join(", ")),
    };
    DOC.report(handle.span, format!("there is no `{:?}` in the state", handle.value)).help(help)
}

/// One controller, two names.
pub(crate) fn twice(handle: &Spanned<impl core::fmt::Debug>, first: &str) -> Diagnostic {
    DOC.report(handle.span, format!("`{:?}` is called `{first}` already", handle.value))
        .help("give each controller one name")
}

/// Something beside the handle.
pub(crate) fn made_otherwise(span: Span, key: &str) -> Diagnostic {
    DOC.report(span, format!("a controller of the state is as it is there, and `{key}` has no say in it"))
        .help(format!("remove `{key}`, and change the controller by steps"))
}
