use core::time::Duration;

use latch::door::{open_door, relock_guard, DoorStats, Hardware, THERMAL_BUDGET};
use latch::error::LatchError;

struct Bench {
    opens_on: u8,
    fired: u8,
    slept: Duration,
    closed: Duration,
    beam: Option<bool>,
}

impl Hardware for Bench {
    fn pulse(&mut self, _door: u8, _length: Duration) {
        self.fired += 1;
    }
    fn is_open(&self, _door: u8) -> bool {
        self.fired >= self.opens_on
    }
    fn closed_for(&self, _door: u8) -> Duration {
        self.closed
    }
    fn beam_broken(&self, _door: u8) -> Option<bool> {
        self.beam
    }
    fn sleep(&mut self, time: Duration) {
        self.slept += time;
    }
}

fn bench(opens_on: u8) -> Bench {
    Bench { opens_on, fired: 0, slept: Duration::ZERO, closed: Duration::ZERO, beam: None }
}

#[test]
fn a_frozen_bolt_gets_two_pulses_and_a_pause() {
    let mut hw = bench(99);
    let result = open_door(&mut hw, 31, &mut DoorStats::default());
    assert_eq!(result, Err(LatchError::Jammed { door: 31, attempts: 2 }));
    assert_eq!(hw.slept, Duration::from_millis(400));
}

#[test]
fn an_impatient_finger_cannot_cook_the_coil() {
    let mut hw = bench(99);
    let mut stats = DoorStats::default();
    for _ in 0..50 {
        let _ = open_door(&mut hw, 7, &mut stats);
    }
    assert_eq!(u16::from(hw.fired), THERMAL_BUDGET);
}

#[test]
fn no_bolt_moves_while_a_hand_is_in_the_beam() {
    let hw = Bench { closed: Duration::from_secs(60), beam: Some(true), ..bench(1) };
    assert!(!relock_guard(&hw, 3));
}
