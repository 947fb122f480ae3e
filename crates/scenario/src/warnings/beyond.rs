//! Times that a run does not reach.

use farlink_kernel::Instant;

/// About three years: a later time is an absolute one.
const ABSOLUTE: Instant = Instant::from_nanos(100_000_000 * 1_000_000_000);

pub(super) fn is_absolute(time: Instant) -> bool {
    time >= ABSOLUTE
}

/// The likely remedy of a first time after the end of the run.
pub(super) fn remedy(first: Instant) -> String {
    remedy_in("seconds", first)
}

/// The same, of a file whose times are in this unit.
pub(super) fn remedy_in(unit: &str, first: Instant) -> String {
    if is_absolute(first) {
        return "times count from the start of the run, not from 1970: subtract the first from all".into();
    }
    format!("times count in {unit} from the start of the run: write earlier ones, or a longer duration")
}
