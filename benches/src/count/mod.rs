//! Instructions of the hottest operations, counted by valgrind and compared with the recorded ones: detects a
//! regression on any machine, however busy.

mod abilities;
mod effects;
mod state;
mod values;

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::arguments::{Arguments, Keeping};
use crate::say;
use crate::scenes::{Answer, Formula};
use crate::table::render_rows;

/// Tolerated increase over the recorded count. Compilers and C libraries differ a little.
const TOLERANCE: f64 = 0.03;

/// Calls per count of a cheap operation, so that set-up costs are negligible.
const REPEATED: u64 = 1_000;

/// A counted operation, ready to run.
struct Work {
    /// Calls that are counted, after as many that are not.
    calls: u64,
    /// Operations of one call.
    operations: u64,
    call: Call,
}

enum Call {
    /// All instructions of a call count.
    Whole(Box<dyn FnMut()>),
    /// Only the second phase of a call counts.
    Staged(Box<dyn FnMut(Phase)>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Prepare,
    Counted,
}

impl Work {
    /// One operation a call, all of whose instructions count.
    fn new(call: impl FnMut() + 'static) -> Self {
        Self { calls: REPEATED, operations: 1, call: Call::Whole(Box::new(call)) }
    }

    /// One operation a call; the instructions of its preparation do not count.
    fn staged<S: 'static>(mut state: S, prepare: fn(&mut S), counted: fn(&mut S)) -> Self {
        let call = move |phase| match phase {
            Phase::Prepare => prepare(&mut state),
            Phase::Counted => counted(&mut state),
        };
        Self { calls: REPEATED, operations: 1, call: Call::Staged(Box::new(call)) }
    }

    /// Fewer or more calls, for expensive operations.
    fn calls(self, calls: u64) -> Self {
        Self { calls, ..self }
    }

    /// Several operations a call: the count is of one of them.
    fn operations(self, operations: usize) -> Self {
        Self { operations: operations as u64, ..self }
    }
}

/// Name and preparation of an operation.
type Counted = (&'static str, fn() -> Work);

/// The recorded operations.
const OPERATIONS: [Counted; 34] = [
    ("read", values::read),
    ("tag-check", values::tag_check),
    ("instant", effects::instant),
    ("instant-expression", || effects::damage(Formula::Expression)),
    ("instant-meta", || effects::damage(Formula::Meta)),
    ("instant-set-by-caller", || effects::damage(Formula::SetByCaller)),
    ("instant-stacked", effects::stacked),
    ("instant-batch", || effects::batch(1)),
    ("instant-batch-100", || effects::batch(100)),
    ("area", effects::area),
    ("area-spec", effects::area_by_spec),
    ("modifier-1", || values::toggle(0)),
    ("modifier-100", || values::toggle(99)),
    ("duration", effects::duration),
    ("tick", effects::tick),
    ("tick-many", effects::tick_many),
    ("stack", effects::stack),
    ("refused", effects::refused),
    ("dependencies-8", || values::dependencies(0)),
    ("dependencies-fan", || values::dependencies(1)),
    ("dependencies-diamond", || values::dependencies(2)),
    ("aura", values::aura),
    ("ability", abilities::whole),
    ("ready", || abilities::ready(Answer::Yes)),
    ("ready-no", || abilities::ready(Answer::No)),
    ("refused-ability", abilities::refused),
    ("spawn", state::spawn),
    ("hash", state::hash),
    ("hash-hundredth", state::hash_hundredth),
    ("snapshot-100", state::snapshot),
    ("snapshot-hundredth", state::snapshot_hundredth),
    ("match-tick", state::match_tick),
    ("match-tick-recorded", state::match_tick_recorded),
    ("rollback", state::rollback),
];

/// Line that tells the parent process how many operations were counted.
const COUNTED: &str = "counted operations: ";

/// Runs one operation repeatedly; counting is enabled only in [`measured_operations`].
pub(crate) fn one(name: &str) -> ExitCode {
    let Some((_, prepare)) = OPERATIONS.iter().find(|(known, _)| *known == name) else {
        eprintln!("unknown operation {name}");
        return ExitCode::from(2);
    };
    let Work { calls, operations, call } = prepare();
    match call {
        Call::Whole(mut call) => {
            (0..calls).for_each(|_| call());
            measured_operations(calls, &mut call);
        }
        Call::Staged(mut call) => {
            for _ in 0..calls {
                call(Phase::Prepare);
                call(Phase::Counted);
            }
            for _ in 0..calls {
                call(Phase::Prepare);
                measured_operations(1, || call(Phase::Counted));
            }
        }
    }
    match say(&format!("{COUNTED}{}", calls * operations)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

#[inline(never)]
fn measured_operations(calls: u64, mut operation: impl FnMut()) {
    for _ in 0..calls {
        black_box(&mut operation)();
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

/// Recorded instructions of an operation.
pub(crate) fn recorded_count(name: &str) -> Option<u64> {
    recorded().into_iter().find_map(|(known, count)| (known == name).then_some(count))
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
    let printed = String::from_utf8_lossy(&output.stdout);
    let operations = printed.lines().find_map(|line| line.strip_prefix(COUNTED)?.parse::<u64>().ok());
    let each = collected.zip(operations.filter(|&count| count > 0)).map(|(all, count)| all / count);
    each.ok_or_else(|| format!("{name} was not counted:\n{messages}"))
}
