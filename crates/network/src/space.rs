//! Where nodes are and how fast: [`Metres`], [`Speed`], [`Pace`], [`Position`] and [`Area`], as users write
//! them.

use std::ops::{Bound, RangeInclusive};

use farlink_kernel::config::{CENTURY, Diagnostic, Kind, Node, Read, Value, read_bounded, read_quantity};
use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, units};

/// A distance in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Metres(pub f64);

impl Metres {
    /// As far as anything goes, six times as far as the sun. Coordinates there are 0.12 mm apart, a 2500th of what light goes
    /// in a nanosecond; a thousand times farther off they could no longer say when a signal arrives.
    pub const FARTHEST: Self = Self(1e12);

    /// A coordinate, which unlike a distance may be negative.
    fn coordinate(metres: f64) -> Option<Self> {
        (metres.abs() <= Self::FARTHEST.0).then_some(Self(metres))
    }

    /// The coordinate that a file gives as a plain number; or what else the text is.
    pub fn parse_coordinate(text: &str) -> Result<Self, &'static str> {
        match text.parse::<f64>() {
            Ok(metres) if metres.is_finite() => Self::coordinate(metres).ok_or("is beyond 10^9 km"),
            _ => Err("is not a number"),
        }
    }
}

impl Read for Metres {
    fn kind() -> Kind {
        units::LENGTH.kind()
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        read_bounded(node, &units::LENGTH, Self::FARTHEST.0, "10^9 km").map(Self)
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

    /// Nothing is faster than light, whose speed is often rounded up to this.
    const FASTEST: Self = Self(3e8);

    /// How long `distance` takes, to the nearest nanosecond; a century, longer than any run, at most.
    #[inline]
    pub fn time_for(self, distance: Metres) -> Duration {
        Duration::from_secs_f64(distance.0 / self.0).min(CENTURY)
    }
}

impl Read for Speed {
    fn kind() -> Kind {
        units::SPEED.kind()
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match read_bounded(node, &units::SPEED, Self::FASTEST.0, "300000 km/s, that of light")? {
            0.0 => Err(node.expected("a speed above 0 m/s")),
            speed => Ok(Self(speed)),
        }
    }
    fn show(&self) -> String {
        format!("\"{} m/s\"", self.0)
    }
}

/// A node's speed in metres per second; it may be zero.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Pace(pub f64);

impl Pace {
    /// The fastest a node may be, tenfold a probe on its way to the planets: beyond, a run in a small area
    /// would be nothing but turns.
    pub const FASTEST: Self = Self(100_000.0);

    /// Speeds of nodes.
    pub const MOVING: (Bound<Self>, Bound<Self>) =
        (Bound::Excluded(Self(0.0)), Bound::Included(Self::FASTEST));
}

impl Read for Pace {
    fn kind() -> Kind {
        Speed::kind()
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        read_quantity(node, &units::SPEED).map(Self)
    }
    fn show(&self) -> String {
        Speed(self.0).show()
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
    #[inline]
    pub fn distance(self, other: Self) -> Metres {
        let (x, y, z) = (self.x.0 - other.x.0, self.y.0 - other.y.0, self.z.0 - other.z.0);
        Metres((x * x + y * y + z * z).sqrt())
    }

    /// True when no coordinate is beyond [`Metres::FARTHEST`].
    pub fn is_near(self) -> bool {
        [self.x, self.y, self.z].iter().all(|coordinate| coordinate.0.abs() <= Metres::FARTHEST.0)
    }

    /// The point after `part` of the straight way to `other`.
    pub fn towards(self, other: Self, part: f64) -> Self {
        self.along(other.seen_from(self), part)
    }

    /// The way there from `origin`.
    pub fn seen_from(self, origin: Self) -> Self {
        let from = |origin: Metres, there: Metres| Metres(there.0 - origin.0);
        Self { x: from(origin.x, self.x), y: from(origin.y, self.y), z: from(origin.z, self.z) }
    }

    /// The point after `part` of a `way` that begins here.
    #[inline]
    pub fn along(self, way: Self, part: f64) -> Self {
        let after = |from: Metres, way: Metres| Metres(from.0 + way.0 * part);
        Self { x: after(self.x, way.x), y: after(self.y, way.y), z: after(self.z, way.z) }
    }
}

/// A destination; without a third coordinate at the height of the moving node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Waypoint {
    /// East.
    pub x: Metres,
    /// North.
    pub y: Metres,
    /// Up.
    pub z: Option<Metres>,
}

impl Waypoint {
    /// The point for a node that starts at `from`.
    pub fn from(self, from: Position) -> Position {
        Position { x: self.x, y: self.y, z: self.z.unwrap_or(from.z) }
    }
}

impl Read for Waypoint {
    fn kind() -> Kind {
        Position::kind()
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let Position { x, y, z } = Position::read(node)?;
        let has_height = matches!(&node.value, Value::List(items) if items.len() == 3);
        Ok(Self { x, y, z: has_height.then_some(z) })
    }
    fn show(&self) -> String {
        [self.x, self.y].into_iter().chain(self.z).collect::<Vec<_>>().show()
    }
}

impl Read for Position {
    fn kind() -> Kind {
        Kind::List(Box::new(Metres::kind()))
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let expected = || node.expected("two or three distances such as [\"10 m\", \"20 m\"]");
        let Value::List(items) = &node.value else { return Err(expected()) };
        let coordinate = |i: usize| match items.get(i) {
            Some(item) => coordinate(item),
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

/// A rectangle with a corner at (0, 0), in metres; written as `["850 m", "850 m"]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// How far it extends to the east.
    pub width: Metres,
    /// How far it extends to the north.
    pub height: Metres,
}

impl Area {
    /// The sides allowed: on less the distances below lose their digits.
    const SIDES: RangeInclusive<Metres> = Metres(1.0)..=Metres::FARTHEST;

    /// A square.
    pub const fn square(side: f64) -> Self {
        Self { width: Metres(side), height: Metres(side) }
    }

    /// True for points above it and on its edge.
    pub fn contains(&self, position: Position) -> bool {
        (0.0..=self.width.0).contains(&position.x.0) && (0.0..=self.height.0).contains(&position.y.0)
    }

    /// A point of it at the height `z`, each as likely as any other.
    pub fn draw(&self, stream: &mut Stream, z: Metres) -> Position {
        let mut up_to = |side: Metres| Metres(side.0 * stream.uniform());
        Position { x: up_to(self.width), y: up_to(self.height), z }
    }

    pub(crate) fn diagonal(&self) -> Metres {
        Metres(libm::hypot(self.width.0, self.height.0))
    }

    /// The mean distance of two points drawn uniformly from it (Ghosh, Bulletin of the Calcutta Mathematical
    /// Society 43, 1951).
    pub fn mean_distance(&self) -> Metres {
        let (a, b, d) = (self.width.0, self.height.0, self.diagonal().0);
        let (aa, bb) = (a * a, b * b);
        let sides = aa * a / bb + bb * b / aa + d * (3.0 - aa / bb - bb / aa);
        let logarithms = bb / a * libm::log((a + d) / b) + aa / b * libm::log((b + d) / a);
        Metres((sides + 2.5 * logarithms) / 15.0)
    }
}

impl Read for Area {
    fn kind() -> Kind {
        Kind::List(Box::new(Metres::kind()))
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let [width, height] = Vec::<Metres>::read(node)?[..] else {
            return Err(node.expected("width and height such as [\"850 m\", \"850 m\"]"));
        };
        if !Self::SIDES.contains(&width) || !Self::SIDES.contains(&height) {
            let message = format!("an area of {} m by {} m", width.0, height.0);
            return Err(node.refuse(message, "write sides from 1 m to 10^9 km"));
        }
        Ok(Self { width, height })
    }
    fn show(&self) -> String {
        vec![self.width, self.height].show()
    }
}

/// Unlike a distance, a coordinate may be negative.
fn coordinate(node: &Node) -> Result<Metres, Diagnostic> {
    let text = node.as_text("a distance such as \"250 m\"")?;
    match units::LENGTH.parse(text) {
        Ok(metres) => Metres::coordinate(metres).ok_or_else(|| node.expected("at most 10^9 km")),
        Err(message) => Err(node.refuse(message, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_two_or_three_distances() {
        let list =
            |texts: &[&str]| Node::new(Value::List(texts.iter().map(|text| Node::text(*text)).collect()));
        let position = Position::read(&list(&["-3 m", "0.004 km"])).unwrap();
        assert_eq!(position.distance(Position::default()), Metres(5.0));
        assert!(Position::read(&list(&["3 m"])).is_err());
        assert!(Position::read(&list(&["3 m", "4"])).unwrap_err().message.contains("no unit"));
    }

    #[test]
    fn mean_distances_are_those_of_the_closed_form() {
        let mean = |width, height| Area { width: Metres(width), height: Metres(height) }.mean_distance().0;
        assert!((mean(1.0, 1.0) - 0.521_405_433).abs() < 1e-9);
        let worked = [(500.0, 500.0, 260.70), (850.0, 850.0, 443.19), (1500.0, 300.0, 524.64)];
        for (width, height, expected) in worked {
            assert!((mean(width, height) - expected).abs() < 0.005, "{width} x {height}");
        }
        // A strip is nearly a line, where the mean is a third.
        assert!((mean(100_000.0, 1.0) - 33_333.3).abs() < 0.1);
    }

    #[test]
    fn light_needs_a_nanosecond_for_thirty_centimetres() {
        assert_eq!(Speed::LIGHT.time_for(Metres(299.792_458)), Duration::from_micros(1));
    }
}
