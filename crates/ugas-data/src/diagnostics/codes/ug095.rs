//! UG095: prediction that never happens.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG095",
    title: "prediction that never happens",
    severity: Severity::Warning,
    what: "`Prediction`, `Randomness` or `PredictionFloor` is given where no client ever predicts: on an ability whose \
           `NetExecution` is not LocalPredicted, on an effect that only the authority may apply, or as a floor that is not \
           above the attribute's own lower bound.",
    why: "The field is ignored.",
    example: "Name: GA_Respawn\nNetExecution: ServerOnly\nPrediction: Predict",
    mend: "Remove the field, or what stands against it.",
};

/// A field that says how something is predicted that is not.
pub(crate) fn ignored(span: Span, field: &str, because: &str) -> Diagnostic {
    DOC.report(span, format!("`{field}` is ignored: {because}"))
        .help(format!("remove `{field}`, or what stands against it"))
}
