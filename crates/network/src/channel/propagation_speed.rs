//! [`PropagationSpeed`] of signals on a shared channel: constant, or the sound speed in water by depth.
//!
//! The propagation delay is the integral of 1/c along the straight line from sender to listener, in closed form. Depth is
//! measured from the height of the surface. Left out: refraction, which changes the delay over the range of a modem
//! (hundreds of metres) by less than 10^-4.

use farlink_kernel::config::{CENTURY, Diagnostic, Kind, Node, Read, Value, refuse_unknown};
use farlink_kernel::{Duration, Field};

use crate::space::{Metres, Position, Speed};

pub(crate) mod medwin;
pub mod profile;
mod slowness;

use medwin::Medwin;
use profile::{Profile, Table};

/// The propagation speed of signals.
///
/// Written as a speed, as `{ name = "medwin", .. }`, or as the file of a profile, `{ csv = "speed.csv" }`. The
/// reader of the file puts [`PropagationSpeed::Profile`] in its place.
#[derive(Clone, Debug, PartialEq)]
pub enum PropagationSpeed {
    /// A constant speed.
    Constant(Speed),
    /// The sound speed in sea water, by Medwin's equation.
    Medwin(Medwin),
    /// A sound speed profile.
    Profile(Profile),
    /// A file with a profile, not read yet.
    File(Table),
}

impl PropagationSpeed {
    /// Light in vacuum.
    pub const LIGHT: Self = Self::Constant(Speed::LIGHT);

    /// The propagation delay between two points at this distance, to the nearest nanosecond; a century at most. Panics for a
    /// file that was not read (refused when a world is made).
    #[inline]
    pub fn time_between(&self, from: Position, to: Position, distance: Metres) -> Duration {
        match self {
            Self::Constant(speed) => speed.time_for(distance),
            _ => self.time_through(from.z, to.z, distance),
        }
    }

    #[inline(never)]
    fn time_through(&self, from: Metres, to: Metres, distance: Metres) -> Duration {
        let slowness = match self {
            Self::Constant(Speed(speed)) => 1.0 / speed,
            Self::Medwin(medwin) => medwin.mean_slowness(from, to),
            Self::Profile(profile) => profile.mean_slowness(from, to),
            Self::File(table) => panic!("profile {} was not read", table.path),
        };
        Duration::from_secs_f64(distance.0 * slowness).min(CENTURY)
    }
}

impl Read for PropagationSpeed {
    fn kind() -> Kind {
        let mut fields = Medwin::fields();
        let name =
            Field { name: "name", kind: Kind::Choice(&["medwin"]), default: None, doc: "Which equation." };
        fields.insert(0, name);
        Kind::AnyOf(vec![Speed::kind(), Kind::Table(fields), Kind::Table(Table::fields())])
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match (&node.value, node.get("name")) {
            (Value::Table(_), Some(name)) => {
                Self::named(name)?;
                Medwin::read_table(node, &["name"]).map(Self::Medwin)
            }
            (Value::Table(_), None) => Table::read(node).map(Self::File),
            (Value::Text(text), _) if text.starts_with(|c: char| c.is_ascii_lowercase()) => Self::named(node),
            _ => Speed::read(node).map(Self::Constant),
        }
    }
    fn show(&self) -> String {
        match self {
            Self::Constant(speed) => speed.show(),
            Self::Medwin(medwin) => farlink_kernel::config::show_table(Some("medwin"), &medwin.show_fields()),
            Self::Profile(profile) => profile.show(),
            Self::File(table) => table.show(),
        }
    }
}

impl PropagationSpeed {
    /// The height of the surface, where there is one.
    pub fn surface(&self) -> Option<Metres> {
        match self {
            Self::Constant(_) => None,
            Self::Medwin(medwin) => Some(medwin.surface),
            Self::Profile(profile) => Some(profile.surface),
            Self::File(table) => Some(table.surface),
        }
    }

    fn named(name: &Node) -> Result<Self, Diagnostic> {
        match name.as_text("the name of an equation")? {
            "medwin" => Ok(Self::Medwin(Medwin::default())),
            other => Err(farlink_kernel::config::unknown(other, "name", name, &["medwin"])),
        }
    }
}

impl Table {
    fn fields() -> Vec<Field> {
        let field = |name, kind, default, doc| Field { name, kind, default, doc };
        vec![
            field(
                "csv",
                Kind::Text,
                None,
                "A file of lines `depth,speed` in m and m/s, from the surface down.",
            ),
            field("surface", Metres::kind(), Some("\"0 m\"".into()), "The height of the surface."),
        ]
    }

    fn read(node: &Node) -> Result<Self, Diagnostic> {
        refuse_unknown(node.entries()?, &["csv", "surface", "name"])?;
        let Some(path) = node.get("csv") else {
            let remedy = "write \"1500 m/s\", { name = \"medwin\" } or { csv = \"FILE\" }";
            return Err(node.refuse("a speed without a name or a file", remedy));
        };
        let surface = node.get("surface").map_or(Ok(Metres(0.0)), Metres::read)?;
        Ok(Self { path: path.as_text("a file name")?.to_owned(), surface })
    }

    fn show(&self) -> String {
        format!("{{ csv = {}, surface = {} }}", self.path.show(), self.surface.show())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn at(x: f64, z: f64) -> Position {
        Position { x: Metres(x), z: Metres(z), ..Position::default() }
    }

    pub(super) fn seconds(speed: &PropagationSpeed, from: Position, to: Position) -> f64 {
        speed.time_between(from, to, from.distance(to)).as_secs_f64()
    }

    /// The integral of 1/c by the midpoint rule.
    fn integral(from: Position, to: Position, speed: impl Fn(f64) -> f64) -> f64 {
        let steps = 200_000;
        let piece = from.distance(to).0 / f64::from(steps);
        let depth = |step: i32| -from.towards(to, (f64::from(step) + 0.5) / f64::from(steps)).z.0;
        (0..steps).map(|step| piece / speed(depth(step))).sum()
    }

    #[test]
    fn the_delay_is_the_integral_through_the_profile() {
        let points = [(0.0, 1520.0), (50.0, 1518.0), (120.0, 1490.0), (700.0, 1482.0), (2000.0, 1503.0)];
        let profile = Profile::new(points.to_vec(), Metres(0.0));
        let speed = |depth: f64| {
            let next = points.iter().position(|point| point.0 >= depth).unwrap_or(points.len() - 1).max(1);
            let ((above, fast), (below, slow)) = (points[next - 1], points[next]);
            fast + (slow - fast) * (depth - above) / (below - above)
        };
        let sound = PropagationSpeed::Profile(profile);
        for (from, to) in [
            (at(0.0, -10.0), at(300.0, -1500.0)),
            (at(0.0, -10.0), at(900.0, -40.0)),
            (at(0.0, 0.0), at(10.0, -2000.0)),
            (at(0.0, -300.0), at(70.0, -300.0)),
        ] {
            let round_trip = seconds(&sound, from, to) + seconds(&sound, to, from);
            let expected = 2.0 * integral(from, to, speed);
            assert!((round_trip - expected).abs() < 2e-9, "{round_trip} {expected}");
        }
    }

    #[test]
    fn the_delay_by_medwin_is_the_integral() {
        let medwin = Medwin { temperature_c: 4.0, ..Medwin::default() };
        let speed = |depth: f64| medwin.speed_at(-depth);
        let sound = PropagationSpeed::Medwin(medwin.clone());
        for (from, to) in [(at(0.0, -10.0), at(300.0, -1500.0)), (at(0.0, -1000.0), at(70.0, -1000.0))] {
            let expected = integral(from, to, speed);
            assert!((seconds(&sound, from, to) - expected).abs() < 2e-9);
        }
    }

    #[test]
    fn speeds_equations_and_files_are_distinguished() {
        let read = |text: &str| PropagationSpeed::read(&Node::text(text));
        assert_eq!(read("1500 m/s"), Ok(PropagationSpeed::Constant(Speed(1500.0))));
        assert_eq!(read("medwin"), Ok(PropagationSpeed::Medwin(Medwin::default())));
        assert_eq!(read("medvin").unwrap_err().remedy, "did you mean `medwin`?");
        assert!(read("0 m/s").is_err());
    }
}
