//! Values of a parameter, near its default, drawn from its declaration.

use farlink_kernel::random::Stream;
use farlink_kernel::{Field, Kind};

/// A random value as TOML; `None` where a declaration says too little (texts, tables, lists, models).
pub fn draw(stream: &mut Stream, field: &Field) -> Option<String> {
    of_kind(stream, &field.kind, field.default.as_deref().unwrap_or(""))
}

fn of_kind(stream: &mut Stream, kind: &Kind, default: &str) -> Option<String> {
    match kind {
        Kind::Bool => Some((stream.below(2) == 0).to_string()),
        Kind::Integer { min } => Some(integer(stream, *min, default).to_string()),
        Kind::Number { min, max } => Some(format!("{:?}", number(stream, [*min, *max], default))),
        Kind::Quantity { example, .. } => quantity(stream, example, default),
        Kind::Choice(words) => Some(format!("{:?}", pick(stream, words))),
        Kind::AnyOf(kinds) => {
            let place = stream.below(kinds.len() as u64) as usize;
            of_kind(stream, &kinds[place], default)
        }
        Kind::Within(kind, _) => of_kind(stream, kind, default),
        Kind::Text | Kind::List(_) | Kind::Table(_) | Kind::Model(_) => None,
    }
}

/// One of these.
pub fn pick<T: Copy>(stream: &mut Stream, items: &[T]) -> T {
    items[stream.below(items.len() as u64) as usize]
}

/// Uniform in the logarithm.
pub fn logarithmic(stream: &mut Stream, low: f64, high: f64) -> f64 {
    low * libm::pow(high / low, stream.uniform())
}

fn integer(stream: &mut Stream, min: i64, default: &str) -> i64 {
    let base = default.parse().unwrap_or(min + 4);
    let drawn = match stream.below(5) {
        0 => min,
        1 => base / 2,
        2 => base + 1,
        3 => base * 2,
        _ => min + stream.below(8).cast_signed(),
    };
    drawn.max(min)
}

fn number(stream: &mut Stream, [min, max]: [f64; 2], default: &str) -> f64 {
    let base = default.parse().unwrap_or(1.0_f64);
    let drawn = match stream.below(4) {
        0 if min.is_finite() && max.is_finite() => min + (max - min) * stream.uniform(),
        1 if base == 0.0 => 0.05 * stream.uniform(),
        2 => 0.3 * stream.uniform(),
        _ => base * logarithmic(stream, 0.25, 4.0),
    };
    drawn.clamp(min.max(-1e9), max.min(1e9))
}

/// A quarter to four times the default, or a part of the example where the default is nothing.
fn quantity(stream: &mut Stream, example: &str, default: &str) -> Option<String> {
    let parts = |text: &str| {
        let (number, unit) = text.trim_matches('"').split_once(' ')?;
        Some((number.parse::<f64>().ok()?, unit.to_owned()))
    };
    let (base, unit) = match parts(default) {
        Some((number, unit)) if number != 0.0 => (number, unit),
        _ => parts(example).map(|(number, unit)| (number * 0.05, unit))?,
    };
    let drawn = base * logarithmic(stream, 0.25, 4.0);
    let is_whole = matches!(unit.as_str(), "B" | "packets" | "bit/s");
    let drawn = if is_whole { drawn.ceil().max(1.0) } else { (drawn * 1e6).round() / 1e6 };
    Some(format!("\"{drawn} {unit}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_values_stay_near_the_default_and_in_their_unit() {
        let mut stream = Stream::new(1, "value", 0);
        let kind = Kind::Quantity { what: "a duration", units: vec!["s", "ms"], example: "600 ms" };
        for _ in 0..100 {
            let text = of_kind(&mut stream, &kind, "\"40 ms\"").unwrap();
            let number: f64 = text.trim_matches('"').strip_suffix(" ms").unwrap().parse().unwrap();
            assert!((9.9..=160.1).contains(&number), "{text}");
        }
    }
}
