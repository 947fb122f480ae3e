//! Where nodes are: [`Metres`], [`Speed`] and [`Position`], as users write them.

use farlink_kernel::config::{Kind, Node, Read, Refusal, Value, read_quantity};
use farlink_kernel::{Duration, units};

/// A distance in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Metres(pub f64);

impl Read for Metres {
    fn kind() -> Kind {
        let units = units::LENGTH.units.iter().map(|(name, _)| *name).collect();
        Kind::Quantity { what: units::LENGTH.what, units, example: units::LENGTH.example }
    }
    fn read(node: &Node) -> Result<Self, Refusal> {
        read_quantity(node, &units::LENGTH).map(Self)
    }
    fn show(&self) -> String {
        format!("\"{} m\"", self.0)
    }
}

/// A speed in metres per second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Speed(pub f64);

impl Speed {
    /// Light in vacuum.
    pub const LIGHT: Self = Self(299_792_458.0);

    /// How long `distance` takes, to the nearest nanosecond.
    pub fn time_for(self, distance: Metres) -> Duration {
        Duration::from_secs_f64(distance.0 / self.0)
    }
}

impl Read for Speed {
    fn kind() -> Kind {
        let units = units::SPEED.units.iter().map(|(name, _)| *name).collect();
        Kind::Quantity { what: units::SPEED.what, units, example: units::SPEED.example }
    }
    fn read(node: &Node) -> Result<Self, Refusal> {
        match read_quantity(node, &units::SPEED)? {
            0.0 => Err(node.expected("a speed above 0 m/s")),
            speed => Ok(Self(speed)),
        }
    }
    fn show(&self) -> String {
        format!("\"{} m/s\"", self.0)
    }
}

/// A point in space in metres; written as `["10 m", "20 m"]` or with a third coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Position {
    /// East.
    pub x: Metres,
    /// North.
    pub y: Metres,
    /// Up.
    pub z: Metres,
}

impl Position {
    /// The distance in a straight line.
    pub fn distance(self, other: Self) -> Metres {
        let (x, y, z) = (self.x.0 - other.x.0, self.y.0 - other.y.0, self.z.0 - other.z.0);
        Metres((x * x + y * y + z * z).sqrt())
    }

    /// The point after `part` of the straight way to `other`.
    pub fn towards(self, other: Self, part: f64) -> Self {
        let between = |from: Metres, to: Metres| Metres(from.0 + (to.0 - from.0) * part);
        Self { x: between(self.x, other.x), y: between(self.y, other.y), z: between(self.z, other.z) }
    }
}

impl Read for Position {
    fn kind() -> Kind {
        Kind::List(Box::new(Metres::kind()))
    }
    fn read(node: &Node) -> Result<Self, Refusal> {
        let expected = || node.expected("two or three distances such as [\"10 m\", \"20 m\"]");
        let Value::List(items) = &node.value else { return Err(expected()) };
        let coordinate = |i: usize| match items.get(i) {
            Some(item) => coordinate(item).map_err(|refusal| refusal.within(i.to_string())),
            None => Ok(Metres(0.0)),
        };
        match items.len() {
            2 | 3 => Ok(Self { x: coordinate(0)?, y: coordinate(1)?, z: coordinate(2)? }),
            _ => Err(expected()),
        }
    }
    fn show(&self) -> String {
        format!("[{}, {}, {}]", self.x.show(), self.y.show(), self.z.show())
    }
}

/// Unlike a distance, a coordinate may be negative.
fn coordinate(node: &Node) -> Result<Metres, Refusal> {
    let text = node.as_text("a distance such as \"250 m\"")?;
    match units::LENGTH.parse(text) {
        Ok(metres) if metres.is_finite() => Ok(Metres(metres)),
        Ok(_) => Err(node.expected("a finite distance")),
        Err(message) => Err(Refusal::new(node.span.clone(), message, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_two_or_three_distances() {
        let list = |texts: &[&str]| Node {
            value: Value::List(texts.iter().map(|text| Node::text(*text)).collect()),
            span: 0..0,
        };
        let position = Position::read(&list(&["-3 m", "0.004 km"])).unwrap();
        assert_eq!(position.distance(Position::default()), Metres(5.0));
        assert!(Position::read(&list(&["3 m"])).is_err());
        assert!(Position::read(&list(&["3 m", "4"])).unwrap_err().message.contains("no unit"));
    }

    #[test]
    fn light_needs_a_nanosecond_for_thirty_centimetres() {
        assert_eq!(Speed::LIGHT.time_for(Metres(299.792_458)), Duration::from_micros(1));
    }
}
