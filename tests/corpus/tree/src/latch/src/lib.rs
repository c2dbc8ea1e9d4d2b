//! Door control. `door` runs on the controller, `heartbeat` on the server, `error` on both.

pub mod door;
pub mod error;
pub mod heartbeat;
