//! The AccECN option (RFC 9768 section 3.2.3): bytes that arrived with each codepoint.

/// Which counter comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Kind 172: ECT(0), CE, ECT(1).
    Zero,
    /// Kind 174: ECT(1), CE, ECT(0).
    One,
}

/// The option: up to three counters of 24 bits, in the order of its kind. Trailing ones may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccEcnOption {
    order: Order,
    fields: u8,
    counters: [[u8; 3]; 3],
}

/// The counters of an option by codepoint; `None` for what is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// EE0B: payload with ECT(0).
    pub ect0: Option<u32>,
    /// ECEB: payload with CE.
    pub ce: Option<u32>,
    /// EE1B: payload with ECT(1).
    pub ect1: Option<u32>,
}

impl AccEcnOption {
    /// An option with these counters, at most three, of which 24 bits are sent.
    pub fn new(order: Order, counters: &[u32]) -> Self {
        let mut option = Self { order, fields: counters.len().min(3) as u8, counters: [[0; 3]; 3] };
        for (field, counter) in option.counters.iter_mut().zip(counters) {
            let [_, high, middle, low] = counter.to_be_bytes();
            *field = [high, middle, low];
        }
        option
    }

    /// Which counter comes first.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The counters as they are sent, in that order.
    pub fn fields(&self) -> &[[u8; 3]] {
        &self.counters[..usize::from(self.fields)]
    }

    /// The counters by codepoint.
    pub fn counters(&self) -> Counters {
        let number = |&[high, middle, low]: &[u8; 3]| u32::from_be_bytes([0, high, middle, low]);
        let field = |place: usize| self.fields().get(place).map(number);
        let (first, ce, last) = (field(0), field(1), field(2));
        match self.order {
            Order::Zero => Counters { ect0: first, ce, ect1: last },
            Order::One => Counters { ect0: last, ce, ect1: first },
        }
    }

    /// Length in bytes: 2, 5, 8 or 11 (RFC 9768 table 5).
    pub fn wire_len(&self) -> u64 {
        2 + 3 * u64::from(self.fields)
    }
}
