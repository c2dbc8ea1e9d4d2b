//! What can go wrong at a bank. The numbers are printed on the display, so they must stay.

use core::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LatchError {
    /// The bank did not answer within eight seconds.
    NoAnswer { bank: u16 },
    /// Pulsed, still shut.
    Jammed { door: u8, attempts: u8 },
    /// Backup battery below a fifth.
    BatteryLow { percent: u8 },
}

impl LatchError {
    pub const fn code(self) -> &'static str {
        match self {
            Self::NoAnswer { .. } => "E2201",
            Self::Jammed { .. } => "E2210",
            Self::BatteryLow { .. } => "E2212",
        }
    }

    /// Only silence is worth a second try. A jam gets worse and a battery does not charge by asking.
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::NoAnswer { .. })
    }
}

impl fmt::Display for LatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAnswer { bank } => write!(f, "{}: bank {bank} does not answer", self.code()),
            Self::Jammed { door, attempts } => {
                write!(f, "{}: door {door} still shut after {attempts} pulses", self.code())
            }
            Self::BatteryLow { percent } => write!(f, "{}: battery at {percent} %", self.code()),
        }
    }
}
