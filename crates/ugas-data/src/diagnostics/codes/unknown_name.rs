//! References to a name that the pack does not define.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::{Span, Spanned};

/// UG021: unknown attribute.
pub(crate) const UG021: CodeDoc = CodeDoc {
    code: "UG021",
    title: "unknown attribute",
    severity: Severity::Error,
    what: "The name is not an attribute of the pack.",
    why: "A modifier on an attribute that does not exist does nothing (M6).",
    example: "Attribute: Helth",
    fix: "Correct the name, or add the attribute to the pack. When a single file is checked, a name that it does not define is only a note.",
};

/// Unknown attribute.
pub(crate) fn attribute(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG021.unknown("attribute", name, nearest)
}

/// UG022: unknown attribute set.
pub(crate) const UG022: CodeDoc = CodeDoc {
    code: "UG022",
    title: "unknown attribute set",
    severity: Severity::Error,
    what: "The name is not an attribute set of the pack.",
    why: "A controller or a set that needs it could not be built.",
    example: "Dependencies: [CombatSet]",
    fix: "Correct the name, or add the attribute set to the pack. When a single file is checked, a name that it does not define is only a note.",
};

/// Unknown attribute set.
pub(crate) fn attribute_set(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG022.unknown("attribute set", name, nearest)
}

/// UG023: unknown effect.
pub(crate) const UG023: CodeDoc = CodeDoc {
    code: "UG023",
    title: "unknown effect",
    severity: Severity::Error,
    what: "The name is not an effect of the pack.",
    why: "Applying it would fail when the game runs.",
    example: "Cost: GE_Fireball_Cots",
    fix: "Correct the name, or add the effect to the pack. When a single file is checked, a name that it does not define is only a note.",
};

/// Unknown effect.
pub(crate) fn effect(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG023.unknown("effect", name, nearest)
}

/// UG024: unknown ability.
pub(crate) const UG024: CodeDoc = CodeDoc {
    code: "UG024",
    title: "unknown ability",
    severity: Severity::Error,
    what: "The name is not an ability of the pack.",
    why: "Granting it would fail when the game runs.",
    example: "AbilityClass: GA_Fierball",
    fix: "Correct the name, or add the ability to the pack. When a single file is checked, a name that it does not define is only a note.",
};

/// Unknown ability.
pub(crate) fn ability(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG024.unknown("ability", name, nearest)
}

/// UG025: unknown tag.
pub(crate) const UG025: CodeDoc = CodeDoc {
    code: "UG025",
    title: "unknown tag",
    severity: Severity::Error,
    what: "The name is not a tag of the pack.",
    why: "The pack has a tag registry, and once there is one, every tag must be in it or be the parent of one that is (T1). A misspelt tag never matches anything.",
    example: "GrantedTags: [State.Debuff.Stuned]",
    fix: "Correct the tag, or add it to the registry. When a single file is checked, a name that it does not define is only a note.",
};

/// Tag that the registry does not have.
pub(crate) fn tag(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG025.unknown("tag", name, nearest)
}

/// UG026: unknown curve.
pub(crate) const UG026: CodeDoc = CodeDoc {
    code: "UG026",
    title: "unknown curve",
    severity: Severity::Warning,
    what: "The name is not a curve of the pack.",
    why: "An application that needs it is refused with `MissingCurve`, unless the host provides it.",
    example: "Curve: DamageCurv",
    fix: "Correct the name, add the curve under `Curves`, or list it under `HostCurves` in `pack.yaml` if the host provides it.",
};

/// Unknown curve.
pub(crate) fn curve(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG026.unknown("curve", name, nearest)
}

/// UG027: unknown calculation.
pub(crate) const UG027: CodeDoc = CodeDoc {
    code: "UG027",
    title: "unknown calculation",
    severity: Severity::Warning,
    what: "The name is not a calculation of the pack.",
    why: "An application that needs it is refused with `MissingCalculation`, unless native code provides it.",
    example: "CalculatorClass: ExecCalc_Damge",
    fix: "Correct the name, add the calculation under `Calculations`, or list it under `NativeCalculations` in `pack.yaml` if native code provides it.",
};

/// Unknown calculation.
pub(crate) fn calculation(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG027.unknown("calculation", name, nearest)
}

/// UG028: unknown input action.
pub(crate) const UG028: CodeDoc = CodeDoc {
    code: "UG028",
    title: "unknown input action",
    severity: Severity::Error,
    what: "The name is not an input action of the pack.",
    why: "Nothing would ever trigger it. Checked once the pack has input actions.",
    example: "InputID: IA_Jmup",
    fix: "Correct the name, or add the input action to the pack. When a single file is checked, a name that it does not define is only a note.",
};

/// Unknown input action.
pub(crate) fn input_action(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG028.unknown("input action", name, nearest)
}

/// UG029: unknown input action set.
pub(crate) const UG029: CodeDoc = CodeDoc {
    code: "UG029",
    title: "unknown input action set",
    severity: Severity::Error,
    what: "The name is not an input action set of the pack.",
    why: "The mapping would belong to nothing.",
    example: "ActionSet: Gameply",
    fix: "Correct the name, or add the input action set to the pack. When a single file is checked, a name that it does not define is only a note.",
};

/// Unknown input action set.
pub(crate) fn input_action_set(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG029.unknown("input action set", name, nearest)
}

/// UG030: unknown input modifier.
pub(crate) const UG030: CodeDoc = CodeDoc {
    code: "UG030",
    title: "unknown input modifier",
    severity: Severity::Error,
    what: "The name is not an input modifier of the pack.",
    why: "The binding's value would pass unchanged.",
    example: "Modifiers: [DeadZoneStik]",
    fix: "Correct the name, or add the input modifier to the pack. When a single file is checked, a name that it does not define is only a note.",
};

/// Unknown input modifier.
pub(crate) fn input_modifier(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG030.unknown("input modifier", name, nearest)
}

/// UG031: unknown scene.
pub(crate) const UG031: CodeDoc = CodeDoc {
    code: "UG031",
    title: "unknown scene",
    severity: Severity::Error,
    what: "The name is not a scene of the pack.",
    why: "What it should add to this one would be missing.",
    example: "Extends: [BaseArena]",
    fix: "Correct the name, or add the scene to the pack. When a single file is checked, a name that it does not define is only a note.",
};

/// Unknown scene.
pub(crate) fn scene(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG031.unknown("scene", name, nearest)
}

/// UG032: unknown task type.
pub(crate) const UG032: CodeDoc = CodeDoc {
    code: "UG032",
    title: "unknown task type",
    severity: Severity::Error,
    what: "The task is neither built in nor a host task that the pack declares.",
    why: "An undeclared type would wait for a host that does not know it (A6). When a single file is checked \
          without its `pack.yaml`, a type that resembles no other is only a note.",
    example: "Type: WaitDelya",
    fix: "Correct the type, or list it under `HostTasks` in `pack.yaml`.",
};

/// Built-in task that a step completes as if it were a host task.
pub(crate) fn not_a_host_task(name: &Spanned<String>) -> Diagnostic {
    let message = format!("`{}` is not a host task, so a step cannot complete it", name.value);
    UG032.report(name.span, message).help("remove the step: the task ends by itself when its wait is over")
}

/// Task type that is neither built in nor declared as a host task.
pub(crate) fn task_type(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    let help = match nearest {
        Some(nearest) => {
            format!("did you mean `{nearest}`? A task of the host goes under `HostTasks` in pack.yaml")
        }
        None => "list it under `HostTasks` in pack.yaml if the host carries it out".to_owned(),
    };
    UG032.report(name.span, format!("there is no task type `{}`", name.value)).help(help)
}

/// UG033: unknown effect container.
pub(crate) const UG033: CodeDoc = CodeDoc {
    code: "UG033",
    title: "unknown effect container",
    severity: Severity::Error,
    what: "The name is not an effect container of the pack.",
    why: "There would be nothing to apply.",
    example: "Container: FireballContainr",
    fix: "Correct the name, or add the effect container to the pack. When a single file is checked, a name that it does not define is only a note.",
};

/// Unknown effect container.
pub(crate) fn effect_container(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG033.unknown("effect container", name, nearest)
}

/// UG036: unknown controller template.
pub(crate) const UG036: CodeDoc = CodeDoc {
    code: "UG036",
    title: "unknown controller template",
    severity: Severity::Warning,
    what: "The name is not a controller template of the pack.",
    why: "The placement would put nothing into the world. It is only a warning, for a host may have templates of its own; in a scenario, which has no host, it is an error.",
    example: "Controller: Wlof",
    fix: "Correct the name, or add the controller template to the pack. When a single file is checked, a name that it does not define is only a note.",
};

/// Unknown controller template of a placement or a scenario.
pub(crate) fn controller_template(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG036.unknown("controller template", name, nearest)
}

/// UG083: native filter that is not registered.
pub(crate) const UG083: CodeDoc = CodeDoc {
    code: "UG083",
    title: "native filter that is not registered",
    severity: Severity::Warning,
    what: "Targeting names a `CustomFilter` that no native code is registered for.",
    why: "Without its code no controller passes the filter, so targeting finds nobody.",
    example: "Targeting: { Method: Radius, Range: 5, CustomFilter: IsWounded }",
    fix: "Register it with `Loader::target_filter`, or correct the name.",
};

/// `CustomFilter` without registered native code.
pub(crate) fn target_filter(name: &Spanned<String>) -> Diagnostic {
    UG083
        .report(name.span, format!("no native code is registered for the target filter `{}`", name.value))
        .help("register it with `Loader::target_filter`; until then no controller passes it")
}

/// UG150: unknown parameter.
pub(crate) const UG150: CodeDoc = CodeDoc {
    code: "UG150",
    title: "unknown parameter",
    severity: Severity::Error,
    what: "`ParamTag` asks for a parameter that the ability does not have, or stands outside of an ability.",
    why: "Only the parameters of the ability itself hold tags, and a name that none of them has would never be a tag (A18).",
    example: "Tasks: [ { Type: ExecuteCue, Params: { Cue: 'ParamTag(\"Impcat\")' } } ]",
    fix: "Correct the name, or add the parameter to `Parameters` of the ability.",
};

/// Parameter that the ability does not have.
pub(crate) fn parameter(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG150.unknown("parameter", name, nearest)
}

/// `ParamTag` outside of an ability.
pub(crate) fn parameter_outside_ability(span: Span) -> Diagnostic {
    UG150
        .report(span, "`ParamTag` is not available here: only abilities have parameters")
        .help("write the tag itself")
}

/// UG160: unknown controller template of a spawn task.
pub(crate) const UG160: CodeDoc = CodeDoc {
    code: "UG160",
    title: "unknown controller template of a spawn task",
    severity: Severity::Error,
    what: "A `SpawnController` task names a controller template that the pack does not have.",
    why: "The task would spawn nothing.",
    example: "- { Type: SpawnController, Params: { Template: Wlof } }",
    fix: "Correct the name, or add the controller document to the pack. When a single file is checked, a name that it does not define is only a note.",
};

/// Unknown controller template of a `SpawnController` task.
pub(crate) fn spawned_template(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    let message =
        format!("the task spawns the controller template `{}`, which the pack does not have", name.value);
    let otherwise =
        format!("correct `Template`, or add a gameplay_controller document named `{}`", name.value);
    UG160.report(name.span, message).suggest(nearest, otherwise)
}

/// UG162: despawn of a name that nothing has.
pub(crate) const UG162: CodeDoc = CodeDoc {
    code: "UG162",
    title: "despawn of a name that nothing has",
    severity: Severity::Warning,
    what: "A `DespawnController` task uses a name that no `SpawnController` task of the pack assigns with `As`.",
    why: "The task would find no controllers.",
    example: "- { Type: DespawnController, Params: { As: totme } }",
    fix: "Correct the name, or give it with `As` where the controllers are spawned.",
};

/// `DespawnController` name that no `SpawnController` task assigns.
pub(crate) fn spawned_name(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG162.unknown("name of spawned controllers", name, nearest)
}

/// UG164: number parameter that nothing provides.
pub(crate) const UG164: CodeDoc = CodeDoc {
    code: "UG164",
    title: "number parameter that nothing provides",
    severity: Severity::Warning,
    what: "`Param` in an ability reads a parameter that the ability does not declare, that none of its `SetParameter` tasks writes, \
           and that is not one of the numbers of waits and tasks, such as `Event.Magnitude`.",
    why: "Unless a grant or the host provides the number, the task fails with `MissingParameter` (A18).",
    example: "Parameters: { Power: 10 }\nTasks: [ { Type: WaitDelay, Params: { Duration: 'Param(\"Pwoer\")' } } ]",
    fix: "Correct the name, or add the parameter to `Parameters` of the ability. A number that every grant provides also needs its default there.",
};

/// Number parameter that the ability does not have.
pub(crate) fn number_parameter(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG164
        .report(name.span, format!("the ability has no parameter `{}`", name.value))
        .suggest(nearest, format!("correct the name, or add `{}` to `Parameters` of the ability", name.value))
}
