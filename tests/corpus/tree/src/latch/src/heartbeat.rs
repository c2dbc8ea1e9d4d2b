//! Is the bank still there? Server half.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Controllers say hello this often.
pub const HEARTBEAT_EVERY: Duration = Duration::from_secs(30);
/// So many may be missed before a bank counts as offline.
pub const MISSED_ALLOWED: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Online,
    Offline,
}

#[derive(Default)]
pub struct Watch {
    seen: HashMap<u16, Instant>,
    state: HashMap<u16, Presence>,
}

impl Watch {
    pub fn beat(&mut self, bank: u16, now: Instant) -> Option<Presence> {
        self.seen.insert(bank, now);
        self.change(bank, Presence::Online)
    }

    /// Called once a second. Returns the banks that have just gone dark, each of them a single time, so that
    /// `qb.bank.offline` is not published again and again.
    pub fn tick(&mut self, now: Instant) -> Vec<u16> {
        let silent: Vec<u16> = self
            .seen
            .iter()
            .filter(|(_, at)| now.duration_since(**at) > HEARTBEAT_EVERY * MISSED_ALLOWED)
            .map(|(bank, _)| *bank)
            .collect();
        silent.into_iter().filter(|bank| self.change(*bank, Presence::Offline).is_some()).collect()
    }

    fn change(&mut self, bank: u16, to: Presence) -> Option<Presence> {
        if self.state.insert(bank, to) == Some(to) {
            None
        } else {
            Some(to)
        }
    }
}
