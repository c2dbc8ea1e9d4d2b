//! One door: a solenoid, a switch and, on newer banks, a light barrier.

use core::time::Duration;

use crate::error::LatchError;

/// Two, no more. Five in a row burnt 63 coils in spring 2025.
pub const MAX_OPEN_ATTEMPTS: u8 = 2;
/// Lets the winding cool between the pulses.
pub const PULSE_GAP_MS: u64 = 400;
/// How long the solenoid is driven.
pub const PULSE_MS: u64 = 80;
/// The switch has to say "closed" for this long before the bolt may move.
pub const STABLE_CLOSED_MS: u64 = 1_500;
/// Pulses a door may get within ten minutes, whoever asks.
pub const THERMAL_BUDGET: u16 = 12;

pub trait Hardware {
    fn pulse(&mut self, door: u8, length: Duration);
    fn is_open(&self, door: u8) -> bool;
    fn closed_for(&self, door: u8) -> Duration;
    fn beam_broken(&self, door: u8) -> Option<bool>;
    fn sleep(&mut self, time: Duration);
}

#[derive(Debug, Default, Clone, Copy)]
pub struct DoorStats {
    pub pulses_last_ten_minutes: u16,
    pub relocks: u32,
}

/// Fire the solenoid until the door is open, at most `MAX_OPEN_ATTEMPTS` times.
///
/// A door whose thermal budget is used up is reported as jammed as well; there is no code of its own for that.
pub fn open_door<H: Hardware>(hw: &mut H, door: u8, stats: &mut DoorStats) -> Result<u8, LatchError> {
    for attempt in 1..=MAX_OPEN_ATTEMPTS {
        if stats.pulses_last_ten_minutes >= THERMAL_BUDGET {
            return Err(LatchError::Jammed { door, attempts: attempt - 1 });
        }
        hw.pulse(door, Duration::from_millis(PULSE_MS));
        stats.pulses_last_ten_minutes += 1;
        if hw.is_open(door) {
            return Ok(attempt);
        }
        if attempt < MAX_OPEN_ATTEMPTS {
            hw.sleep(Duration::from_millis(PULSE_GAP_MS));
        }
    }
    Err(LatchError::Jammed { door, attempts: MAX_OPEN_ATTEMPTS })
}

/// May the bolt be driven out now? Never while something breaks the beam, never before the switch has been quiet.
///
/// 5.0 waited 900 ms and trusted the switch alone. The mechanical one of model C bounces.
pub fn relock_guard<H: Hardware>(hw: &H, door: u8) -> bool {
    let quiet = hw.closed_for(door) >= Duration::from_millis(STABLE_CLOSED_MS);
    let hand_inside = hw.beam_broken(door).unwrap_or(false);
    quiet && !hand_inside
}
