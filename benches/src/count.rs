//! Instructions of the hottest operations, counted by valgrind and compared with the recorded ones: detects a
//! regression on any machine, however busy.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use ugas::TagSet;
use ugas::core::tag::TagRequirement;
use ugas::prelude::*;

use crate::arguments::{Arguments, Keeping};
use crate::lines::crowd;
use crate::say;
use crate::table::render_rows;
use crate::world::{World, combat, with_tags};

/// Tolerated increase over the recorded count. Compilers and C libraries differ a little.
const TOLERANCE: f64 = 0.03;

/// Operations per count, so that set-up costs are negligible.
const REPEATED: u64 = 1_000;

type Work = Box<dyn FnMut()>;

/// Name and preparation of an operation.
type Counted = (&'static str, fn() -> Work);

/// The recorded operations.
const OPERATIONS: [Counted; 14] = [
    ("read", read),
    ("tag-check", tag_check),
    ("instant", instant),
    ("modifier-1", || toggle(0)),
    ("modifier-100", || toggle(99)),
    ("duration", duration),
    ("tick", tick),
    ("stack", stack),
    ("refused", refused),
    ("ready", ready),
    ("refused-ability", refused_ability),
    ("dependencies-8", dependencies),
    ("ability", ability),
    ("snapshot-100", snapshot),
];

/// Runs one operation repeatedly; counting is enabled only in [`measured_operations`].
pub(crate) fn one(name: &str) -> ExitCode {
    let Some((_, prepare)) = OPERATIONS.iter().find(|(known, _)| *known == name) else {
        eprintln!("unknown operation {name}");
        return ExitCode::from(2);
    };
    let mut operation = prepare();
    (0..REPEATED).for_each(|_| operation());
    measured_operations(&mut operation);
    ExitCode::SUCCESS
}

#[inline(never)]
fn measured_operations(operation: &mut Work) {
    for _ in 0..REPEATED {
        black_box(&mut *operation)();
    }
}

/// Counts all operations and compares or records them.
pub(crate) fn run(keeping: Keeping, arguments: &Arguments) -> ExitCode {
    compare(keeping, arguments).unwrap_or_else(|problem| {
        eprintln!("{problem}");
        ExitCode::from(2)
    })
}

fn compare(keeping: Keeping, arguments: &Arguments) -> Result<ExitCode, String> {
    arguments.check_names(&OPERATIONS.map(|(name, _)| name))?;
    let recorded = recorded();
    let (mut rows, mut text, mut worse) = (Vec::new(), HEAD.to_owned(), 0);
    for (name, _) in OPERATIONS.iter().filter(|(name, _)| arguments.wants(name)) {
        let count = count(name)?;
        let _ = writeln!(text, "{name} {count}");
        let before = recorded.iter().find(|(known, _)| known == name).map(|(_, count)| *count);
        let change = before.map(|before| count as f64 / before as f64 - 1.0);
        let verdict = match change {
            None => "new",
            Some(change) if change > TOLERANCE => {
                worse += 1;
                "worse"
            }
            Some(change) if change < -TOLERANCE => "better, record it",
            Some(_) => "as recorded",
        };
        let shown = change.map_or_else(String::new, |change| format!("{:+.1} %", change * 100.0));
        let before = before.map_or_else(|| "–".to_owned(), |before| before.to_string());
        rows.push([(*name).to_owned(), count.to_string(), before, shown, verdict.to_owned()]);
    }
    let head = ["operation", "instructions", "on record", "change", "verdict"];
    say(render_rows(&head, rows.iter().map(|row| &row[..])).trim_end())?;
    if keeping == Keeping::Rewrite {
        fs::write(record(), text).map_err(|error| format!("{}: {error}", record().display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    if worse > 0 {
        say(&format!(
            "\n{worse} operations take more instructions than recorded. If that is intended, run `--count-rewrite`."
        ))?;
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

const HEAD: &str = "\
# Instructions for one of each operation, by `cargo run --release -p ugas-bench -- --count-rewrite`.
";

fn record() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.txt")
}

fn recorded() -> Vec<(String, u64)> {
    let text = fs::read_to_string(record()).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.filter_map(|(name, count)| Some((name.to_owned(), count.trim().parse().ok()?))).collect()
}

/// Runs this program under valgrind for one operation.
fn count(name: &str) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| format!("this program has no path: {error}"))?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no"])
        .arg("--toggle-collect=*measured_operations*")
        .arg(program)
        .args(["--count-one", name])
        .output()
        .map_err(|error| format!("cannot start valgrind: {error}; install it to count instructions"))?;
    let messages = String::from_utf8_lossy(&output.stderr);
    let collected = messages.lines().find_map(|line| line.split_once("Collected :"));
    let collected = collected.and_then(|(_, count)| count.trim().parse::<u64>().ok());
    let collected = collected.filter(|&count| count > 0 && output.status.success());
    collected.map(|count| count / REPEATED).ok_or_else(|| format!("{name} was not counted:\n{messages}"))
}

fn read() -> Work {
    let world = World::new(combat(), 1);
    let (unit, health) = (world.units[0], world.attribute("Health"));
    Box::new(move || {
        black_box(world.sim.current(black_box(unit), health));
    })
}

fn tag_check() -> Work {
    let mut world = World::new(with_tags(combat(), ["State.Dead"]), 1);
    let (unit, buff) = (world.units[0], world.effect("GE_Buff"));
    world.apply(buff, unit);
    let requirement = TagRequirement {
        require: TagSet::new([world.tag("State.Buff")]),
        ignore: TagSet::new([world.tag("State.Dead")]),
    };
    Box::new(move || {
        let tags = world.sim.tags(black_box(unit));
        assert!(tags.is_some_and(|tags| requirement.is_met_by(tags)));
    })
}

fn instant() -> Work {
    let mut world = World::new(combat(), 1);
    let (unit, hit) = (world.units[0], world.effect("GE_Hit"));
    Box::new(move || {
        world.apply(hit, unit);
        world.drain();
    })
}

fn toggle(others: usize) -> Work {
    let mut world = World::new(combat(), 1);
    let (unit, ring) = (world.units[0], world.effect("GE_Ring"));
    for _ in 0..others {
        world.apply(ring, unit);
    }
    Box::new(move || {
        let active = world.apply_active(ring, unit);
        world.remove(active);
        world.drain();
    })
}

fn duration() -> Work {
    let mut world = World::new(combat(), 1);
    let (unit, buff) = (world.units[0], world.effect("GE_Buff"));
    Box::new(move || {
        world.apply(buff, unit);
        world.sim.advance(Span::seconds(1.0));
        world.drain();
    })
}

fn tick() -> Work {
    let mut world = World::new(combat(), 1);
    let (unit, poison) = (world.units[0], world.effect("GE_Poison"));
    world.apply(poison, unit);
    Box::new(move || {
        world.sim.advance(Span::seconds(1.0));
        world.drain();
    })
}

fn stack() -> Work {
    let stack = EffectDef::infinite("GE_Stack")
        .modify("Power", Operation::Add, 1.0)
        .stacking(StackingDef::by_target(u32::MAX));
    let mut world = World::new(combat().effect(stack), 1);
    let (unit, stack) = (world.units[0], world.effect("GE_Stack"));
    Box::new(move || {
        world.apply(stack, unit);
        world.drain();
    })
}

fn refused() -> Work {
    let picky = EffectDef::infinite("GE_Picky").requires("State.Chosen");
    let mut world = World::new(combat().effect(picky), 1);
    let (unit, picky) = (world.units[0], world.effect("GE_Picky"));
    Box::new(move || {
        assert!(world.sim.apply_effect(picky, None, unit).is_err());
        world.drain();
    })
}

fn dependencies() -> Work {
    let set = (1..8).fold(AttributeSetDef::new("Set").with(AttributeDef::new("V0", 1.0)), |set, at| {
        set.with(AttributeDef::derived(format!("V{at}"), format!("V{} + 1", at - 1)))
    });
    let catalog = Catalog::builder()
        .attribute_set(set)
        .effect(EffectDef::instant("GE_Up").modify("V0", Operation::Add, 1.0))
        .template(ControllerDef::new("Unit").with_set("Set"));
    let mut world = World::new(catalog, 1);
    let (unit, up) = (world.units[0], world.effect("GE_Up"));
    Box::new(move || {
        world.apply(up, unit);
        world.drain();
    })
}

fn ability() -> Work {
    let mut world = World::new(combat(), 1);
    let skill = world.sim.catalog().ability("GA_Skill").expect("the benchmark defines it");
    let granted = world.sim.grant(world.units[0], skill, 1).expect("there is room");
    Box::new(move || {
        world.sim.activate(granted).expect("it has cooled down");
        world.sim.advance(Span::seconds(1.0));
        world.drain();
    })
}

/// One "can I cast?" of an ability with a cost and a cooldown, answered with yes.
fn ready() -> Work {
    let mut world = World::new(combat(), 1);
    let skill = world.sim.catalog().ability("GA_Skill").expect("the benchmark defines it");
    let granted = world.sim.grant(world.units[0], skill, 1).expect("there is room");
    Box::new(move || assert!(world.sim.is_ready(black_box(granted))))
}

/// An activation that is refused because of the cooldown, with its event.
fn refused_ability() -> Work {
    let mut world = World::new(combat(), 1);
    let skill = world.sim.catalog().ability("GA_Skill").expect("the benchmark defines it");
    let granted = world.sim.grant(world.units[0], skill, 1).expect("there is room");
    world.sim.activate(granted).expect("nothing forbids it");
    Box::new(move || {
        assert!(world.sim.activate(granted).is_err());
        world.drain();
    })
}

/// Everything is copied, because it belongs to another world than the previous snapshot.
fn snapshot() -> Work {
    let mut worlds = [crowd(100), crowd(100)];
    let mut copy = crowd(100);
    let mut kept = copy.sim.snapshot();
    Box::new(move || {
        worlds.swap(0, 1);
        worlds[0].sim.snapshot_into(&mut kept);
        copy.sim.restore(&kept).expect("it is of this catalog");
    })
}
