//! Calculations written in C (§9.5).
//!
//! All inputs of a calculation are declared when it is registered, and passed to it as plain lists; it writes
//! its results to a structure. So a callback never calls back into the library, and holds no handle that
//! could outlive the call.

use core::ffi::c_void;

use ugas_core::effect::calculation::{Calculation, CalculationError, CaptureDef};
use ugas_core::effect::magnitude::{CaptureFrom, CaptureTime};
use ugas_core::modifier::Operation;
use ugas_core::simulation::CalculationContext;

use crate::guard::{enter, ugas_context};
use crate::loader::ugas_loader;
use crate::memory::{Memory, Plain, SizePrefixed, ugas_str};
use crate::status::{Failure, Outcome, ugas_status};

/// Controller that an attribute or tag is read from.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_party {
    /// The controller that caused the effect.
    Source = 0,
    /// The controller that the effect is applied to.
    Target = 1,
}

/// Operation of a modifier.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_operation {
    /// Adds before all multiplications.
    Add = 0,
    /// Adds after all multiplications.
    AddPost = 1,
    /// Signed bonus: 0.25 is +25 %.
    Multiply = 2,
    /// Replaces the result.
    Override = 3,
    /// Factor whose bonus is summed in one shared channel.
    MultiplyAdditive = 4,
    /// Divisor.
    DivideAdditive = 5,
    /// Factor that is multiplied separately.
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

/// Attribute or tag that a calculation reads.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_reading {
    /// Name of the attribute or tag.
    pub name: ugas_str,
    /// One of ugas_party.
    pub party: u32,
    /// Not zero to capture an attribute when the effect is applied, instead of reading it at each execution.
    pub frozen: u32,
}

/// Input of a calculation. All lists are in the order of their declaration, and valid during the call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_calculation_input {
    /// sizeof(ugas_calculation_input) of the library.
    pub size: usize,
    /// Values of the declared attributes.
    pub attributes: *const f64,
    /// For each declared tag, 1 if the controller has it or a descendant of it, otherwise 0.
    pub tags: *const u8,
    /// Declared SetByCaller magnitudes; NaN if the caller did not provide one.
    pub magnitudes: *const f64,
    /// Random numbers in [0, 1), the same on every machine that computes the simulation.
    pub randoms: *const f64,
    /// Level of the effect.
    pub level: f64,
    /// Controller that caused the effect; 0 if there is none.
    pub source: u64,
    /// Controller that the effect is applied to.
    pub target: u64,
    /// Stack count of the effect.
    pub stacks: u32,
    /// Zero.
    pub reserved: u32,
}

/// Attribute change that an execution requests.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_calculation_change {
    /// Magnitude of the change.
    pub magnitude: f64,
    /// Index of the attribute in `outputs` of ugas_calculation.
    pub output: u32,
    /// One of ugas_operation.
    pub operation: u32,
}

/// Maximum number of changes of one execution.
pub const UGAS_MOST_CHANGES: usize = 16;

/// Output of a calculation; zero when the call begins.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_calculation_output {
    /// sizeof(ugas_calculation_output) of the library.
    pub size: usize,
    /// Value of a magnitude; for a requirement, not zero if it is met.
    pub result: f64,
    /// Changes of an execution.
    pub changes: [ugas_calculation_change; UGAS_MOST_CHANGES],
    /// Number of entries in `changes` that are used.
    pub change_count: u32,
    /// Not zero if the changes already account for the stacks; otherwise they are multiplied by the stack
    /// count.
    pub handles_stacks: u32,
}

/// A calculation callback. Returns 0 on success; any other value refuses the effect. It must be a pure
/// function of its input: no clock, no global state, no random numbers of its own. It must not call this
/// library, and no exception may leave it.
pub type ugas_calculate = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        input: *const ugas_calculation_input,
        output: *mut ugas_calculation_output,
    ) -> u32,
>;

/// Frees the `user` data of a callback.
pub type ugas_free = Option<unsafe extern "C" fn(user: *mut c_void)>;

/// Registration of a calculation. Everything is copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_calculation {
    /// sizeof(ugas_calculation).
    pub size: usize,
    /// Name by which packs refer to it.
    pub name: ugas_str,
    /// Attributes that it reads.
    pub attributes: *const ugas_reading,
    /// Number of entries in `attributes`.
    pub attribute_count: usize,
    /// Tags that it reads.
    pub tags: *const ugas_reading,
    /// Number of entries in `tags`.
    pub tag_count: usize,
    /// Tags of the SetByCaller magnitudes that it reads.
    pub magnitudes: *const ugas_str,
    /// Number of entries in `magnitudes`.
    pub magnitude_count: usize,
    /// Attributes of the target that it may change.
    pub outputs: *const ugas_str,
    /// Number of entries in `outputs`.
    pub output_count: usize,
    /// Number of random numbers that it needs, at most 256.
    pub random_count: usize,
    /// The callback.
    pub calculate: ugas_calculate,
    /// Passed to the callback.
    pub user: *mut c_void,
    /// Called with `user` once nothing can call the calculation anymore, also if loading fails; may be null.
    /// If the registration itself fails, `user` stays the host's. It runs on the thread that frees the last
    /// catalog with the calculation.
    pub free: ugas_free,
}

// SAFETY: `repr(C)`, numbers and pointers; a null function is `None`.
unsafe impl Plain for ugas_reading {}
// SAFETY: as above.
unsafe impl Plain for ugas_calculation {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_calculation {}

/// Maximum number of random numbers of one calculation.
const MOST_RANDOMS: usize = 256;

/// Registers a calculation with a loader, so that packs can use it by name. If the catalog is shared with
/// another context, the thread that uses that context may call it too.
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
        // From here on the library frees the user data, even if loading fails.
        let native = native.with_data(UserData { user: given.user, free: given.free });
        entry.add(move |builder| builder.native(name, native))
    })
}

/// User data of callbacks; freed when the last callback that could use it is gone.
pub(crate) struct UserData {
    pub(crate) user: *mut c_void,
    pub(crate) free: ugas_free,
}

// SAFETY: the header requires that a callback and its data may be used from any thread, and from several at once if
// the catalog is shared.
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

    fn with_data(mut self, data: UserData) -> Self {
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
            return Err(CalculationError::Failed(format!(
                "the calculation of the host failed with code {code}"
            )));
        }
        let changes = output.changes.get(..output.change_count as usize);
        let changes = changes.ok_or_else(|| failed("it requests more changes than UGAS_MOST_CHANGES"))?;
        for change in changes {
            let attribute = self.outputs.get(change.output as usize);
            let attribute =
                attribute.ok_or_else(|| failed("it changes an output that it does not declare"))?;
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

fn failed(message: &str) -> CalculationError {
    CalculationError::Failed(message.to_owned())
}

fn party(party: u32) -> Outcome<CaptureFrom> {
    match party {
        0 => Ok(CaptureFrom::Source),
        1 => Ok(CaptureFrom::Target),
        other => Err(Failure::argument(format!("{other} is not a ugas_party"))),
    }
}
