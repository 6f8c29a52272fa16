//! The server's newest state, and what the player did since: played, and played again (§13.4).

use smallvec::SmallVec;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::ControllerId;
use ugas_core::mirror::Sight;
use ugas_core::prediction::Knowledge;

use super::impulses::News;
use super::shown::{Replicated, digest};
use super::{Client, ClientEvent, Prediction, happened};
use crate::limits::MAX_GRACE;
use crate::message::{CommandFrame, Rejection, Verdict};
use crate::tick::Tick;

/// Commands whose answer is awaited; a server that never answers does not make a client remember more.
const MOST_UNANSWERED: usize = 4_096;
/// How long they do.
const UNPLACED_TICKS: u32 = 60;

impl Client {
    /// Shows the newest state of the server, and plays again what the player did since.
    fn rebuild(&mut self) {
        let Some(base) = self.inbox.complete() else { return };
        self.dirty = false;
        let now = self.length.end_of(base);
        if self.mirror.install(&mut self.simulation, now).is_err() {
            return;
        }
        self.know();
        for burst in core::mem::take(&mut self.unplaced) {
            if base.since(burst.tick) <= i64::from(UNPLACED_TICKS) {
                self.flash(burst);
            }
        }
        let is_news = self.base != Some(base);
        self.base = Some(base);
        let expected = self.digests.get(&base).copied();
        if is_news && expected.is_some_and(|expected| expected != self.digest()) {
            self.statistics.mispredicted += 1;
            self.events.push_back(ClientEvent::Corrected { tick: base });
        }
        self.digests = self.digests.split_off(&base.next());
        // The server said which frames it had at a tick; what came of later ones it has yet to say.
        let said = base.min(self.said);
        self.give_up(said);
        // What the server has decided about is in its state, or was rejected.
        let delivered = self.delivered;
        self.frames.retain(|frame| {
            frame.tick > base || frame.tick > delivered && frame.tick.after(MAX_GRACE) > said
        });
        self.withdrawn.retain(|key| key.tick() > base.0);
        let mut news = News::default();
        self.impulses.settle(base, &mut news);
        let shown = self.tick;
        let mut tick = base;
        while tick < shown && tick.since(base) < i64::from(self.config.window) {
            tick = tick.next();
            self.play_tick(tick, &mut news);
            self.statistics.replayed += 1;
        }
        self.tick = self.tick.max(base);
        self.tell(news);
    }

    /// Commands of ticks that the server has played without having them will not run: it said so, when it did not
    /// acknowledge them at a tick that is later than it takes any.
    fn give_up(&mut self, said: Tick) {
        let delivered = self.delivered;
        let missed =
            self.frames.iter().filter(|frame| frame.tick > delivered && frame.tick.after(MAX_GRACE) <= said);
        let missed: SmallVec<[(Tick, usize); 4]> =
            missed.map(|frame| (frame.tick, frame.commands.len())).collect();
        for (tick, commands) in missed {
            for sequence in 0..commands {
                let key = PredictionKey::new(tick.0, sequence as u16);
                self.conclude(key, Verdict::Rejected(Rejection::TooLate));
            }
        }
    }

    /// Says what can be predicted: the client's own controllers, which it knows wholly.
    fn know(&mut self) {
        for remote in self.mirror.controllers() {
            let is_whole = self.inbox.is_own(remote) && self.mirror.sight(remote) == Some(Sight::WHOLE);
            let knowledge = if is_whole { Knowledge::Whole } else { Knowledge::Shown };
            if let Some(local) = self.mirror.local(remote) {
                self.simulation.set_known(local, knowledge);
            }
        }
    }

    pub(super) fn play(&mut self) {
        if self.dirty {
            // What the player did has its tick already, whatever the server's news do to the clock.
            if self.inbox.complete().is_some_and(|base| base > self.tick) {
                self.begin_frame(self.tick.next());
            }
            self.rebuild();
        }
        let clock = self.clock.tick_at(self.now);
        let Some(base) = self.base else {
            // Nothing to play yet, but the server can tell how early the client's word arrives.
            if clock > self.tick {
                self.tick = clock;
                self.send_frames();
            }
            return;
        };
        // Without news from the server the window is full at some time, and the clock waits.
        let target = clock.min(base.after(self.config.window));
        let mut news = News::default();
        let mut has_ticked = false;
        while self.tick < target {
            self.tick = self.tick.next();
            self.begin_frame(self.tick);
            self.play_tick(self.tick, &mut news);
            let events = &mut self.events;
            let span = self.length.end_of(self.tick).since(self.length.end_of(self.tick.before(1)));
            self.stage.advance(span, |event| events.push_back(ClientEvent::Local(event)));
            has_ticked = true;
        }
        self.tell(news);
        if has_ticked {
            self.send_frames();
        }
        self.show();
    }

    /// What the player did goes into the frame of a tick.
    fn begin_frame(&mut self, tick: Tick) {
        let commands = core::mem::take(&mut self.next);
        if commands.is_empty() {
            return;
        }
        let keys = (0..commands.len()).map(|sequence| PredictionKey::new(tick.0, sequence as u16));
        self.unanswered.extend(keys);
        while self.unanswered.len() > MOST_UNANSWERED {
            self.unanswered.pop_first();
        }
        self.frames.push_back(CommandFrame { tick, commands });
    }

    /// Plays a tick upon the one before it.
    fn play_tick(&mut self, tick: Tick, news: &mut News) {
        if self.config.prediction == Prediction::On
            && let Some(at) = self.frames.iter().position(|frame| frame.tick == tick)
        {
            let commands = self.frames[at].commands.clone();
            for (sequence, command) in commands.iter().enumerate() {
                self.predict(PredictionKey::new(tick.0, sequence as u16), command);
            }
        }
        let span = self.length.end_of(tick).since(self.simulation.now());
        if span.is_positive() {
            self.simulation.advance(span);
        }
        self.impulses.play(tick, self.simulation.events(), news);
        let digest = self.digest();
        self.digests.insert(tick, digest);
    }

    fn digest(&self) -> u64 {
        self.own_controllers()
            .fold(0, |sum, id| sum.wrapping_mul(31).wrapping_add(digest(&self.simulation, id)))
    }

    pub(super) fn tell(&mut self, news: News) {
        self.events.extend(news.retracted.into_iter().map(ClientEvent::Retracted));
        self.events.extend(news.happened.into_iter().map(happened));
    }

    fn show(&mut self) {
        let own: Vec<ControllerId> = self.own_controllers().collect();
        let Self { shown, simulation, mirror, events, .. } = self;
        let replicated = Replicated { simulation, mirror };
        shown.show(replicated, |id| own.contains(&id), &mut |event| events.push_back(event));
    }
}
