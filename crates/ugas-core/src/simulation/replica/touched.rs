//! Change tracking for replication: the controllers that may have changed since the last look (I5).

use super::super::Simulation;
use crate::handle::ControllerId;

impl Simulation {
    /// Starts to track which controllers change; see [`Self::take_touched`]. A server calls it once, before
    /// its first look.
    pub fn watch_touches(&mut self) {
        self.state.controllers.watch_touches();
        self.state.effects.watch_touches();
        self.state.abilities.watch_touches();
        self.state.activations.watch_touches();
        self.state.tasks.watch_touches();
    }

    /// Takes the controllers that may have changed since the last call, sorted by handle, without those that
    /// no longer exist. Replication only needs to visit these (I5). Empty unless [`Self::watch_touches`] was
    /// called.
    pub fn take_touched(&mut self) -> Vec<ControllerId> {
        let mut touched = Vec::new();
        self.take_touched_into(&mut touched);
        touched
    }

    /// [`Self::take_touched`] in place of the content of `touched`, whose memory is reused.
    pub fn take_touched_into(&mut self, touched: &mut Vec<ControllerId>) {
        touched.clear();
        let state = &mut self.state;
        // An object that was removed needs no entry: it left a list of its controller, which touches the
        // controller.
        state.controllers.take_touched(|id, _| touched.push(id));
        state.effects.take_touched(|_, active| touched.push(active.target));
        state.abilities.take_touched(|_, granted| touched.push(granted.controller));
        state.activations.take_touched(|_, activation| touched.push(activation.controller));
        state.tasks.take_touched(|_, task| touched.push(task.controller));
        touched.sort_unstable();
        touched.dedup();
    }
}
