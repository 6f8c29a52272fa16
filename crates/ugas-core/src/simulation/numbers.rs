//! Numbers of tasks: expressions over the owner, the activation's target and the ability's parameters.

use super::Simulation;
use super::magnitude::refusal;
use crate::ability::set_parameter;
use crate::expr::{Environment, EvalError, Side};
use crate::handle::{ActivationId, ControllerId, GrantedAbilityId};
use crate::id::{AttributeId, CurveId, TagId};
use crate::number::finite;
use crate::random::RandomStream;
use crate::refusal::RefusalReason;
use crate::task::Number;

impl Simulation {
    /// Evaluates a number of a task: 0 if the activation is gone. Random draws advance the activation's
    /// stream. A result that is not finite is refused.
    pub(super) fn task_number(&mut self, id: ActivationId, number: &Number) -> Result<f64, RefusalReason> {
        self.chain_number(id, number, 0)
    }

    /// [`Self::task_number`] for a target of a chain, with its index.
    pub(super) fn chain_number(
        &mut self,
        id: ActivationId,
        number: &Number,
        jump: u16,
    ) -> Result<f64, RefusalReason> {
        let program = match number {
            Number::Constant(value) => return Ok(*value),
            Number::Program(program) => program,
        };
        let Some(activation) = self.state.activations.get(id) else { return Ok(0.0) };
        let mut environment = TaskInputs {
            sim: self,
            granted: activation.granted,
            activation: Some(id),
            owner: activation.controller,
            target: activation.targets.first_controller(),
            jump,
            stream: RandomStream::resume(activation.stream, activation.draws),
        };
        let value = program.evaluate(&mut environment).map_err(refusal)?;
        let draws = environment.stream.draws();
        if let Some(activation) = self.state.activations.get_mut(id) {
            activation.draws = draws;
        }
        finite(value).ok_or(RefusalReason::NonFinite { modifier: None, attribute: None })
    }

    /// Evaluates a number of an ability for a check or a spec, without advancing its random stream: the
    /// values of a running activation if there is one, else those of the grant.
    pub(super) fn ability_number(
        &self,
        handle: GrantedAbilityId,
        activation: Option<ActivationId>,
        number: &Number,
    ) -> Result<f64, RefusalReason> {
        let program = match number {
            Number::Constant(value) => return Ok(*value),
            Number::Program(program) => program,
        };
        let granted = self.state.abilities.get(handle).ok_or(RefusalReason::UnknownGrant(handle))?;
        let running = activation.and_then(|id| self.state.activations.get(id));
        let mut environment = TaskInputs {
            sim: self,
            granted: handle,
            activation,
            owner: granted.controller,
            target: running.and_then(|running| running.targets.first_controller()),
            jump: 0,
            stream: RandomStream::resume(
                running.map_or(0, |running| running.stream),
                running.map_or(0, |running| running.draws),
            ),
        };
        let value = program.evaluate(&mut environment).map_err(refusal)?;
        finite(value).ok_or(RefusalReason::NonFinite { modifier: None, attribute: None })
    }

    /// Stores a number under a name among the activation's parameters, where later tasks read it. A number
    /// that is not finite, or of an activation that is gone, is not stored.
    pub(super) fn store_number(&mut self, id: ActivationId, name: &str, value: f64) {
        if let Some(activation) = self.state.activations.get_mut(id) {
            set_parameter(&mut activation.parameters, name, value);
        }
    }
}

/// Inputs of an expression of a task or ability.
struct TaskInputs<'a> {
    sim: &'a Simulation,
    granted: GrantedAbilityId,
    activation: Option<ActivationId>,
    owner: ControllerId,
    target: Option<ControllerId>,
    /// Index of the target for which a chain evaluates its numbers; 0 outside a chain.
    jump: u16,
    stream: RandomStream,
}

impl TaskInputs<'_> {
    /// Controller of a side. An ability's source is its owner; the target is the first controller among the
    /// activation's targets.
    fn side(&self, side: Side) -> Option<ControllerId> {
        match side {
            Side::Owner | Side::Source => Some(self.owner),
            Side::Target => self.target,
        }
    }
}

impl Environment for TaskInputs<'_> {
    fn attribute(&mut self, side: Side, attribute: AttributeId) -> Result<f64, EvalError> {
        // A client predicts with the values that it has, including those of withheld attributes.
        let located = self.side(side).and_then(|id| self.sim.state.locate(id, attribute));
        let value = located.map(|(controller, slot)| controller.values[slot].current);
        value.ok_or(EvalError::MissingAttribute { side, attribute })
    }

    fn has_tag(&mut self, side: Side, tag: TagId) -> bool {
        self.side(side).is_some_and(|id| self.sim.has_tag(id, tag))
    }

    /// Level of the activation, else of the grant.
    fn level(&self) -> f64 {
        let running = self.activation.and_then(|id| self.sim.state.activations.get(id));
        let granted = self.sim.state.abilities.get(self.granted);
        f64::from(running.map(|running| running.level).or(granted.map(|granted| granted.level)).unwrap_or(1))
    }

    fn jump(&self) -> f64 {
        f64::from(self.jump)
    }

    /// Number of the activation, which tasks may have stored, else the parameter of the grant.
    fn param(&self, name: &str) -> Result<f64, EvalError> {
        let running = self.activation.and_then(|id| self.sim.state.activations.get(id));
        let own = running.and_then(|running| running.number(name));
        let granted = || self.sim.state.abilities.get(self.granted)?.parameter(name);
        own.or_else(granted).ok_or(EvalError::MissingParam)
    }

    fn curve(&self, curve: CurveId, x: f64) -> Result<f64, EvalError> {
        let found = self.sim.catalog.curve(curve).ok_or(EvalError::MissingCurve { curve })?;
        Ok(found.value_at(x))
    }

    /// Draws the next number of the stream. A client that lacks the rolls gets an error instead, and leaves
    /// the step to the authority.
    fn random(&mut self) -> Result<f64, EvalError> {
        let ability = self.sim.state.abilities.get(self.granted).map(|granted| granted.ability);
        if ability.is_some_and(|ability| self.sim.lacks_dice(ability, self.activation)) {
            return Err(EvalError::NotPredicted);
        }
        Ok(self.stream.next_f64())
    }
}
