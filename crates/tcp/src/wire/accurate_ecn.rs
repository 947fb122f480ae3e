//! The AccECN option as bytes (RFC 9768 section 3.2.3); etherparse does not know it.

use crate::accurate_ecn::{AccEcnOption, Order};

/// Option kinds AccECN0 and AccECN1.
const KIND_ORDER_0: u8 = 172;
const KIND_ORDER_1: u8 = 174;

/// Whole fields count, and what is behind them is padding (section 3.2.3).
pub(super) fn read(kind: u8, content: &[u8]) -> Option<AccEcnOption> {
    let order = match kind {
        KIND_ORDER_0 => Order::Zero,
        KIND_ORDER_1 => Order::One,
        _ => return None,
    };
    let mut counters = [0; 3];
    let mut count = 0;
    for (counter, field) in counters.iter_mut().zip(content.chunks_exact(3)) {
        *counter = u32::from_be_bytes([0, field[0], field[1], field[2]]);
        count += 1;
    }
    Some(AccEcnOption::new(order, &counters[..count]))
}

pub(super) fn write(option: &AccEcnOption, out: &mut Vec<u8>) {
    let kind = match option.order() {
        Order::Zero => KIND_ORDER_0,
        Order::One => KIND_ORDER_1,
    };
    out.extend([kind, option.wire_len() as u8]);
    out.extend(option.fields().iter().flatten());
}
