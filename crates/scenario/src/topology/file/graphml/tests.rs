use super::*;

const NETWORK: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="x" attr.type="double"/>
  <key id="d1" for="node" attr.name="y" attr.type="double"><default>7</default></key>
  <key id="d2" for="node" attr.name="colour" attr.type="string"/>
  <graph edgedefault="undirected">
    <node id="a"><data key="d0">12.5</data><data key="d2">red</data></node>
    <node id="b"><data key="d1"> -3 </data></node>
    <edge source="b" target="a"/>
  </graph>
</graphml>
"#;

fn parse(text: &str) -> Result<Layout, Fault> {
    read(&Text { text: text.into(), start: 0 }, true, false)
}

#[test]
fn nodes_have_coordinates_and_edges_are_neighbours() {
    let Layout { nodes, links, given, unplaced, ignored } = parse(NETWORK).unwrap();
    let at = |x, y| Position { x: Metres(x), y: Metres(y), z: Metres(0.0) };
    assert_eq!(nodes, [("a".to_owned(), at(12.5, 7.0)), ("b".to_owned(), at(0.0, -3.0))]);
    assert_eq!((links, given, unplaced, ignored), (vec![[1, 0]], vec![], vec![], vec![]));
}

#[test]
fn a_node_without_coordinates_is_not_placed() {
    let text = NETWORK.replace("<default>7</default>", "").replace("<data key=\"d1\"> -3 </data>", "");
    assert_eq!(parse(&text).unwrap().unplaced, [1]);
}

/// The line of each warning and its beginning.
fn ignored(text: &str) -> Vec<(usize, String)> {
    let line = |one: &Diagnostic| text[..one.span.start].matches('\n').count() + 1;
    parse(text).unwrap().ignored.iter().map(|one| (line(one), one.message.clone())).collect()
}

#[test]
fn an_edge_from_a_node_to_itself_is_left_out_with_one_warning() {
    let text = NETWORK.replace(
        "  </graph>",
        "<edge source=\"b\" target=\"b\"/>\n<edge source=\"a\" target=\"a\"/></graph>",
    );
    assert_eq!(parse(&text).unwrap().links, [[1, 0]]);
    assert_eq!(ignored(&text), [(10, "edges from a node to itself, which are ignored: 2".into())]);
}

#[test]
fn a_key_for_edges_places_no_node() {
    let text = NETWORK
        .replace("<graph ", "<key id=\"e\" for=\"edge\" attr.name=\"x\"><default>99</default></key><graph ");
    assert_eq!(parse(&text).unwrap().nodes, parse(NETWORK).unwrap().nodes);
}

#[test]
fn opposite_directed_edges_are_one_link() {
    let directed = NETWORK.replace("undirected", "directed");
    let both = directed.replace("  </graph>", "<edge source=\"a\" target=\"b\"/></graph>");
    assert_eq!((parse(&both).unwrap().links, ignored(&both)), (vec![[1, 0]], vec![]));
    let message = "directed edges without one in the opposite direction: 1";
    assert_eq!((parse(&directed).unwrap().links.len(), ignored(&directed)), (1, vec![(9, message.into())]));
    let twice = both
        .replace("  </graph>", "")
        .replace("</graph>", "<edge source=\"a\" target=\"b\" directed=\"false\"/></graph>");
    assert_eq!(parse(&twice).unwrap().links.len(), 2, "a parallel undirected edge is a link of its own");
}

#[test]
fn rates_and_geographic_coordinates_are_named_once() {
    let keys = "<key attr.name=\"LinkSpeedRaw\" for=\"edge\" id=\"d9\"/>\n\
                <key attr.name=\"Latitude\" for=\"node\" id=\"d7\"/><graph ";
    let text = NETWORK.replace("<graph ", keys);
    assert_eq!(ignored(&text), [(6, "attributes that are not read: LinkSpeedRaw".into())]);
    let text = text
        .replace("attr.name=\"x\"", "attr.name=\"label\"")
        .replace("attr.name=\"y\"", "attr.name=\"type\"");
    assert_eq!(ignored(&text), [(6, "attributes that are not read: Latitude, LinkSpeedRaw".into())]);
}

#[test]
fn a_mistake_is_refused_at_its_element() {
    let refused = |old: &str, new: &str| {
        let text = NETWORK.replacen(old, new, 1);
        let Err(Fault::Line(diagnostic)) = parse(&text) else { panic!("accepted: {new}") };
        let line = text[..diagnostic.span.start].matches('\n').count() + 1;
        (line, diagnostic.message)
    };
    assert_eq!(refused("12.5", "east"), (7, "a coordinate is not a number".into()));
    assert_eq!(refused("target=\"a\"", "target=\"c\""), (9, "an unknown node".into()));
    assert_eq!(refused("target=\"a\"", ""), (9, "a <edge> without `target`".into()));
    assert_eq!(refused("id=\"b\"", "id=\"a\""), (8, "an earlier node has this id".into()));
    assert_eq!(refused("</graph>", "").0, 11);
    let (_, message) = refused("<graph edgedefault=\"undirected\">", "<g>");
    assert!(!message.contains(" at "), "{message}");
}

/// As the Internet Topology Zoo writes them: a quarter of the equator, and an edge that says nothing.
const ZOO: &str = r#"<graphml>
<key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d40" />
<key attr.name="LinkSpeed" attr.type="string" for="edge" id="d38" />
<key attr.name="Longitude" attr.type="double" for="node" id="d32" />
<key attr.name="Latitude" attr.type="double" for="node" id="d29" />
<graph edgedefault="undirected">
<node id="0"><data key="d29">0.0</data><data key="d32">-30.0</data></node>
<node id="1"><data key="d29">0.0</data><data key="d32">60.0</data></node>
<node id="2"><data key="d29">48.1</data></node>
<edge source="0" target="1"><data key="d38">2.5</data><data key="d40">2500000000.0</data></edge>
<edge source="1" target="2" />
</graph></graphml>
"#;

fn parse_with_attributes(text: &str, is_linked: bool) -> Result<Layout, Fault> {
    read(&Text { text: text.into(), start: 0 }, is_linked, true)
}

/// A quarter of a circle of the Earth's mean radius, at 2/3 of the speed of light.
fn quarter_s() -> f64 {
    std::f64::consts::FRAC_PI_2 * 6_371_008.771_4 / (299_792_458.0 * 2.0 / 3.0)
}

#[test]
fn rates_and_delays_of_the_internet_topology_zoo_are_those_of_links() {
    let layout = parse_with_attributes(ZOO, true).unwrap();
    assert_eq!((layout.links, layout.ignored), (vec![[0, 1], [1, 2]], vec![]));
    let [given, nothing] = layout.given[..] else { panic!("two links") };
    assert_eq!(nothing, [Given::default(); 2]);
    assert_eq!(given[0], given[1]);
    assert_eq!(given[0].rate, Some(BitRate::from_bps(2_500_000_000)));
    let delay = given[0].delay.unwrap().as_secs_f64();
    assert!((delay - quarter_s()).abs() < 1e-9, "{delay}");
}

/// In the 3761 edges of the Zoo that have rates, LinkSpeedRaw is LinkSpeed in units of G, M or K bit/s.
#[test]
fn a_speed_with_its_unit_is_the_rate_of_an_edge_without_a_raw_one() {
    let of = |data: &str| {
        let unit = "<key attr.name=\"LinkSpeedUnits\" for=\"edge\" id=\"d39\" />\n<graph ";
        let text =
            ZOO.replace("<graph ", unit).replace("target=\"2\" />", &format!("target=\"2\">{data}</edge>"));
        let layout = parse_with_attributes(&text, true).unwrap();
        let named: Vec<String> = layout.ignored.into_iter().map(|one| one.message).collect();
        (layout.given[1][0].rate.map(BitRate::as_bps), named)
    };
    let speed = |unit| of(&format!("<data key=\"d38\">2.5</data><data key=\"d39\">{unit}</data>"));
    assert_eq!(speed("G"), (Some(2_500_000_000), vec![]));
    assert_eq!(speed("M"), (Some(2_500_000), vec![]));
    assert_eq!(speed("K"), (Some(2_500), vec![]));
    let raw = "<data key=\"d38\">2.5</data><data key=\"d39\">G</data><data key=\"d40\">1e6</data>";
    assert_eq!(of(raw), (Some(1_000_000), vec![]));
    let message = "edges with LinkSpeed, but without LinkSpeedRaw or a unit G, M or K: 1";
    assert_eq!(speed("Gbps"), (None, vec![message.into()]));
    assert_eq!(of("<data key=\"d38\">2.5</data>"), (None, vec![message.into()]));
    assert_eq!(of("<data key=\"d39\">G</data>"), (None, vec![]));
}

#[test]
fn two_opposite_directed_edges_give_each_direction_its_rate() {
    let back = "<edge source=\"1\" target=\"0\"><data key=\"d40\">1e6</data></edge>\n</graph>";
    let text = ZOO.replace("undirected", "directed").replace("</graph>", back);
    let layout = parse_with_attributes(&text, true).unwrap();
    assert_eq!(layout.links.len(), 2);
    let rates = layout.given[0].map(|given| given.rate.map(BitRate::as_bps));
    assert_eq!(rates, [Some(2_500_000_000), Some(1_000_000)]);
}

#[test]
fn attributes_of_nodes_are_not_those_of_edges() {
    let text = ZOO.replace("for=\"edge\" id=\"d40\"", "for=\"node\" id=\"d40\"");
    assert_eq!(parse_with_attributes(&text, true).unwrap().given[0][0].rate, None);
    let text = ZOO.replace("for=\"node\" id=\"d29\"", "for=\"edge\" id=\"d29\"");
    assert_eq!(parse_with_attributes(&text, true).unwrap().given[0][0].delay, None);
}

#[test]
fn without_values_for_links_each_edge_must_have_both() {
    let refused = |text: &str| match parse_with_attributes(text, false) {
        Err(Fault::Line(diagnostic)) => {
            (text[..diagnostic.span.start].matches('\n').count() + 1, diagnostic.message)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(ZOO), (11, "an edge without LinkSpeedRaw".into()));
    let text = ZOO.replace("target=\"2\" />", "target=\"2\"><data key=\"d40\">1e6</data></edge>");
    assert_eq!(refused(&text), (11, "an edge of which a node has no Latitude and Longitude".into()));
    let complete = text.replace("48.1</data>", "48.1</data><data key=\"d32\">11.6</data>");
    assert_eq!(parse_with_attributes(&complete, false).unwrap().given.len(), 2);
    for (bad, line, message) in [
        (">2500000000.0<", 10, "a rate that is not a number above 0, or huge"),
        (">60.0<", 8, "a longitude that is not from -180 to 180"),
    ] {
        for new in [">fast<", ">-1e9<", "><", ">nan<"] {
            assert_eq!(refused(&complete.replace(bad, new)), (line, message.into()), "{new}");
        }
    }
    let message = "a latitude that is not from -90 to 90";
    assert_eq!(refused(&complete.replace("48.1", "90.5")), (9, message.into()));
}

#[test]
fn attributes_that_are_asked_for_and_missing_are_named_and_so_are_others() {
    let named = |text: &str| {
        let layout = parse_with_attributes(text, true).unwrap();
        layout.ignored.iter().map(|one| one.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(named(&ZOO.replace("\"LinkSpeed\"", "\"delay\"")), ["attributes that are not read: delay"]);
    assert_eq!(
        named(NETWORK),
        ["the file has neither LinkSpeedRaw of edges nor Latitude and Longitude of nodes"]
    );
}
