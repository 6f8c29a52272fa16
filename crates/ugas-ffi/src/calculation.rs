//! Calculations written in C (§9.5).
//!
//! Everything that a calculation may read is declared when it is registered, and given to it as plain lists; what it
//! wants is left in a list too. So a callback never calls back, and there is no handle that could outlive the call.

use core::ffi::c_void;

use ugas_core::effect::calculation::{Calculation, CalculationError, CaptureDef};
use ugas_core::effect::magnitude::{CaptureFrom, CaptureTime};
use ugas_core::modifier::Operation;
use ugas_core::simulation::CalculationContext;

use crate::guard::{enter, ugas_context};
use crate::loader::ugas_loader;
use crate::memory::{Headed, Memory, Plain, ugas_str};
use crate::status::{Failure, Outcome, ugas_status};

/// Whose attribute or tag is meant.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_party {
    /// The controller that caused the effect.
    Source = 0,
    /// The controller that it is applied to.
    Target = 1,
}

/// What a modifier does.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_operation {
    /// Adds before any multiplication.
    Add = 0,
    /// Adds after all multiplication.
    AddPost = 1,
    /// A signed bonus: 0.25 is +25 %.
    Multiply = 2,
    /// Replaces the result.
    Override = 3,
    /// A factor whose bonus joins one shared channel.
    MultiplyAdditive = 4,
    /// A divisor.
    DivideAdditive = 5,
    /// A factor that multiplies by itself.
    MultiplyCompound = 6,
}

const OPERATIONS: [Operation; 7] = [
    Operation::Add,
    Operation::AddPost,
    Operation::Multiply,
    Operation::Override,
    Operation::MultiplyAdditive,
    Operation::DivideAdditive,
    Operation::MultiplyCompound,
];

/// An attribute or a tag that a calculation reads.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_reading {
    /// Its name.
    pub name: ugas_str,
    /// One of ugas_party.
    pub party: u32,
    /// Not zero if an attribute is frozen when the effect is applied, instead of read at each execution.
    pub frozen: u32,
}

/// What a calculation is given. All lists are in the order of their declaration, and valid during the call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_calculation_input {
    /// sizeof(ugas_calculation_input) of the library.
    pub size: usize,
    /// The values of the attributes.
    pub attributes: *const f64,
    /// For each tag, 1 if it or a descendant of it is there, and 0 if not.
    pub tags: *const u8,
    /// The numbers that the caller of the effect provided; not a number where there is none.
    pub magnitudes: *const f64,
    /// Random numbers from 0 to 1, 1 excluded, the same wherever the simulation is computed.
    pub randoms: *const f64,
    /// The level of the effect.
    pub level: f64,
    /// The controller that caused the effect; 0 if there is none.
    pub source: u64,
    /// The controller that it is applied to.
    pub target: u64,
    /// The stacks of the effect.
    pub stacks: u32,
    /// Zero.
    pub reserved: u32,
}

/// A change that a calculation wants.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_calculation_change {
    /// How much.
    pub magnitude: f64,
    /// Which of the declared outputs.
    pub output: u32,
    /// One of ugas_operation.
    pub operation: u32,
}

/// How many changes one calculation can want.
pub const UGAS_MOST_CHANGES: usize = 16;

/// Where a calculation leaves what it wants; zero at the beginning.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_calculation_output {
    /// sizeof(ugas_calculation_output) of the library.
    pub size: usize,
    /// The result of a magnitude, or the verdict of a requirement: not zero is yes.
    pub result: f64,
    /// The changes of an execution.
    pub changes: [ugas_calculation_change; UGAS_MOST_CHANGES],
    /// How many of them there are.
    pub change_count: u32,
    /// Not zero if the changes account for the stacks already; otherwise they are multiplied by them.
    pub handles_stacks: u32,
}

/// A calculation. Returns 0 if all is well; anything else refuses the effect. It must be a function of its input: no clock,
/// no global state, no random numbers of its own. It must not call this library, and no exception may leave it.
pub type ugas_calculate = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        input: *const ugas_calculation_input,
        output: *mut ugas_calculation_output,
    ) -> u32,
>;

/// Frees what the host gave along with a callback.
pub type ugas_free = Option<unsafe extern "C" fn(user: *mut c_void)>;

/// What a calculation needs. Everything is copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_calculation {
    /// sizeof(ugas_calculation).
    pub size: usize,
    /// The name by which packs use it.
    pub name: ugas_str,
    /// The attributes that it reads.
    pub attributes: *const ugas_reading,
    /// How many there are.
    pub attribute_count: usize,
    /// The tags that it asks for.
    pub tags: *const ugas_reading,
    /// How many there are.
    pub tag_count: usize,
    /// The tags of numbers that the caller of the effect provides.
    pub magnitudes: *const ugas_str,
    /// How many there are.
    pub magnitude_count: usize,
    /// The attributes of the target that it may change.
    pub outputs: *const ugas_str,
    /// How many there are.
    pub output_count: usize,
    /// How many random numbers it wants.
    pub random_count: usize,
    /// The calculation itself.
    pub calculate: ugas_calculate,
    /// Given to it.
    pub user: *mut c_void,
    /// Called with `user` once nothing can call the calculation any more, also if loading fails; may be null. If the
    /// registration itself fails, `user` stays the host's. The thread is the one that gave up the last catalog with it.
    pub free: ugas_free,
}

// SAFETY: `repr(C)`, numbers and pointers; a null function is `None`.
unsafe impl Plain for ugas_reading {}
// SAFETY: as above.
unsafe impl Plain for ugas_calculation {}
// SAFETY: it begins with its size.
unsafe impl Headed for ugas_calculation {}

/// Most random numbers of one calculation.
const MOST_RANDOMS: usize = 256;

/// Registers a calculation with a loader, so that packs can use it by its name. Other threads may call it, if the catalog
/// is shared with a context that they use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_loader_add_calculation(
    context: *mut ugas_context,
    loader: ugas_loader,
    calculation: *const ugas_calculation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let given = memory.input(calculation)?;
        let native = NativeCalculation::new(&given, memory)?;
        let name = memory.text(given.name)?.to_owned();
        let entry = context.loader_mut(loader)?;
        entry.check_open()?;
        // From here on the host's data is ours to free, whatever becomes of the loader.
        let native = native.owning(UserData { user: given.user, free: given.free });
        entry.add(move |builder| builder.native(name, native))
    })
}

/// What the host gave along with callbacks; freed with the last that could use it.
pub(crate) struct UserData {
    pub(crate) user: *mut c_void,
    pub(crate) free: ugas_free,
}

// SAFETY: the header asks of whoever registers a callback that it and its data may be used from any thread, and from
// several at once if the catalog is shared.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: the host gave both, and this happens once.
            unsafe { free(self.user) }
        }
    }
}

struct NativeCalculation {
    attributes: Vec<CaptureDef>,
    tags: Vec<(CaptureFrom, String)>,
    magnitudes: Vec<String>,
    outputs: Vec<String>,
    random_count: usize,
    calculate:
        unsafe extern "C" fn(*mut c_void, *const ugas_calculation_input, *mut ugas_calculation_output) -> u32,
    data: UserData,
}

impl NativeCalculation {
    fn new(given: &ugas_calculation, memory: Memory<'_>) -> Outcome<Self> {
        let readings = memory.list(given.attributes, given.attribute_count)?;
        let attributes = readings.iter().map(|reading| {
            let time =
                if reading.frozen == 0 { CaptureTime::OnExecution } else { CaptureTime::OnApplication };
            let attribute = memory.text(reading.name)?.to_owned();
            Ok(CaptureDef { attribute, from: party(reading.party)?, time })
        });
        let tags = memory.list(given.tags, given.tag_count)?.iter();
        let tags = tags.map(|reading| Ok((party(reading.party)?, memory.text(reading.name)?.to_owned())));
        let names = |data, count| -> Outcome<Vec<String>> {
            memory.list(data, count)?.iter().map(|name| Ok(memory.text(*name)?.to_owned())).collect()
        };
        let calculate = given.calculate.ok_or_else(|| {
            Failure::new(ugas_status::NullPointer, "the calculation has no function: set `calculate`")
        })?;
        if given.random_count > MOST_RANDOMS {
            return Err(Failure::argument(format!(
                "a calculation has at most {MOST_RANDOMS} random numbers"
            )));
        }
        Ok(Self {
            attributes: attributes.collect::<Outcome<_>>()?,
            tags: tags.collect::<Outcome<_>>()?,
            magnitudes: names(given.magnitudes, given.magnitude_count)?,
            outputs: names(given.outputs, given.output_count)?,
            random_count: given.random_count,
            calculate,
            data: UserData { user: core::ptr::null_mut(), free: None },
        })
    }

    fn owning(mut self, data: UserData) -> Self {
        self.data = data;
        self
    }
}

impl Calculation for NativeCalculation {
    fn captures(&self) -> Vec<CaptureDef> {
        self.attributes.clone()
    }

    fn tags(&self) -> Vec<(CaptureFrom, String)> {
        self.tags.clone()
    }

    fn calculate(&self, context: &mut CalculationContext<'_>) -> Result<f64, CalculationError> {
        let attributes = self.attributes.iter().map(|capture| match capture.from {
            CaptureFrom::Source => context.source(&capture.attribute),
            CaptureFrom::Target => context.target(&capture.attribute),
        });
        let attributes = attributes.collect::<Result<Vec<f64>, _>>()?;
        let tags = self.tags.iter().map(|(from, tag)| match from {
            CaptureFrom::Source => u8::from(context.source_has(tag)),
            CaptureFrom::Target => u8::from(context.target_has(tag)),
        });
        let tags: Vec<u8> = tags.collect();
        let magnitudes = self.magnitudes.iter().map(|tag| context.set_by_caller(tag).unwrap_or(f64::NAN));
        let magnitudes: Vec<f64> = magnitudes.collect();
        let randoms: Vec<f64> = (0..self.random_count).map(|_| context.random()).collect();
        let input = ugas_calculation_input {
            size: size_of::<ugas_calculation_input>(),
            attributes: attributes.as_ptr(),
            tags: tags.as_ptr(),
            magnitudes: magnitudes.as_ptr(),
            randoms: randoms.as_ptr(),
            level: context.level(),
            source: context.context().source.map_or(0, |source| source.to_bits().get()),
            target: context.target_controller().to_bits().get(),
            stacks: context.stacks(),
            reserved: 0,
        };
        let nothing = ugas_calculation_change { magnitude: 0.0, output: 0, operation: 0 };
        let mut output = ugas_calculation_output {
            size: size_of::<ugas_calculation_output>(),
            result: 0.0,
            changes: [nothing; UGAS_MOST_CHANGES],
            change_count: 0,
            handles_stacks: 0,
        };
        // SAFETY: the host's own function with its own data; input and output are valid during the call.
        let code = unsafe { (self.calculate)(self.data.user, &raw const input, &raw mut output) };
        if code != 0 {
            return Err(CalculationError::Failed(format!("the host's calculation gave up with {code}")));
        }
        let changes = output.changes.get(..output.change_count as usize);
        let changes = changes.ok_or_else(|| failed("it wants more changes than UGAS_MOST_CHANGES"))?;
        for change in changes {
            let attribute = self.outputs.get(change.output as usize);
            let attribute =
                attribute.ok_or_else(|| failed("it changes an output that it did not declare"))?;
            let operation = OPERATIONS.get(change.operation as usize);
            let operation = operation.ok_or_else(|| failed("it uses an operation that does not exist"))?;
            context.output(attribute, *operation, change.magnitude)?;
        }
        if output.handles_stacks != 0 {
            context.handle_stacks();
        }
        Ok(output.result)
    }
}

fn failed(words: &str) -> CalculationError {
    CalculationError::Failed(words.to_owned())
}

fn party(party: u32) -> Outcome<CaptureFrom> {
    match party {
        0 => Ok(CaptureFrom::Source),
        1 => Ok(CaptureFrom::Target),
        other => Err(Failure::argument(format!("{other} is no ugas_party"))),
    }
}
