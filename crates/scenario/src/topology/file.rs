//! A network from a file.

use farlink_kernel::config;

use super::{Fault, Layout, Setup, Shape};

mod graphml;
mod table;

pub(super) const SOURCE: &str =
    "GraphML: Brandes, Eiglsperger, Herman, Himsolt, Marshall, Graph Drawing 2001";

config! {
    /// Parameters of a file.
    pub struct Config {
        /// A `.graphml` file, whose nodes have their `id` as name and may have attributes `x`, `y` and `z` in metres
        /// (required on a channel); two opposite directed edges are one link; or a `.csv` file with lines of `name,x_m,y_m` or `name,x_m,y_m,z_m`.
        pub path: String = String::new(),
        /// For `.csv`: the file of links, with lines of `from,to`.
        pub links: Option<String> = None,
        /// For `.graphml`: rates and delays of links are those of the Internet Topology Zoo. The rate is the edge's `LinkSpeedRaw`
        /// in bit/s, or else its `LinkSpeed` with a unit in `LinkSpeedUnits`: G, M or K. The delay is the length of the great circle between its nodes, by `Latitude` and `Longitude` in degrees, over 2/3 of the speed of light.
        /// Links without them have those of `link`.
        pub attributes: bool = false,
    }
}

impl Config {
    /// The files to read, each with the key that names it.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let links = self.links.as_deref().map(|path| ("links", path));
        std::iter::once(("path", self.path.as_str())).chain(links)
    }
}

impl Shape for Config {
    fn lay_out(&self, setup: &Setup) -> Result<Layout, Fault> {
        let [network, rest @ ..] = &setup.files[..] else { unreachable!("every file was read") };
        let has_ending = |ending: &str| self.path.to_ascii_lowercase().ends_with(ending);
        if has_ending(".csv") {
            if self.attributes {
                let remedy = "remove attributes".into();
                return Err(Fault::Key("attributes", "a .csv has no attributes".into(), remedy));
            }
            if !rest.is_empty() && !setup.is_linked {
                let remedy = "add link = { rate = \"10 Mbit/s\", delay = \"10 ms\" }, or remove links".into();
                return Err(Fault::Key("links", "the links have no rate and delay".into(), remedy));
            }
            let nodes = table::nodes(network)?;
            let mut ignored = Vec::new();
            let links =
                rest.first().map_or(Ok(Vec::new()), |file| table::links(file, &nodes, &mut ignored))?;
            return Ok(Layout { nodes, links, ignored, ..Layout::default() });
        }
        if !has_ending(".graphml") {
            let message = format!("\"{}\" is neither .csv nor .graphml", self.path);
            return Err(Fault::Key("path", message, "write path = \"FILE.graphml\"".into()));
        }
        if self.links.is_some() {
            let remedy = "remove links".into();
            return Err(Fault::Key("links", "a .graphml contains its links itself".into(), remedy));
        }
        graphml::read(network, setup.is_linked, self.attributes)
    }
}
