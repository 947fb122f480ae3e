//! Congestion controls that the registry lacks: a scenario has their names, and the caller plugs them in.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use farlink_kernel::config::{Diagnostic, Node, Value, refuse_unknown, unknown};
use farlink_kernel::registry::model_name;
use farlink_tcp::congestion::Config;

use crate::tcp::NEWRENO;

const KEY: &str = "congestion_control";

/// Takes the names that the registry lacks out of the flows, and gives them by flow; their presets' members stay there.
///
/// `names` are those that can be plugged in. It is called only where a name is none of the registry.
pub(crate) fn take(
    root: &mut Node,
    names: impl FnOnce() -> Vec<String>,
) -> Result<BTreeMap<u32, String>, Diagnostic> {
    let names = LazyCell::new(names);
    let mut plugged = BTreeMap::new();
    let Some(Value::List(flows)) = value_mut(root, "flows") else { return Ok(plugged) };
    for (number, flow) in (0..).zip(flows) {
        let Some(Value::Table(tcp)) = value_mut(flow, "tcp") else { continue };
        let Some(place) = tcp.iter().position(|entry| entry.key == KEY) else { continue };
        let model = &tcp[place].node;
        // What is no name, and a name without any that can be plugged in, is refused where the document is read.
        let Ok((name, at)) = model_name(model, Config::NAMES) else { continue };
        if name == NEWRENO || Config::NAMES.contains(&name) || names.is_empty() {
            continue;
        }
        if !names.iter().any(|each| each == name) {
            let known: Vec<&str> =
                Config::NAMES.iter().copied().chain(names.iter().map(String::as_str)).collect();
            return Err(unknown(name, "name", at, &known).at(model.key.clone()));
        }
        if let Value::Table(parameters) = &model.value {
            refuse_unknown(parameters, &["name"])?;
        }
        plugged.insert(number, name.into());
        tcp.remove(place);
    }
    Ok(plugged)
}

fn value_mut<'a>(table: &'a mut Node, key: &str) -> Option<&'a mut Value> {
    let Value::Table(entries) = &mut table.value else { return None };
    entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node.value)
}

#[cfg(test)]
mod tests {
    use farlink_kernel::Instant;
    use farlink_tcp::congestion::Config;

    use crate::{Draft, Error, Files, Record, Scenario, Simulation};

    struct NoFiles;

    impl Files for NoFiles {
        fn read(&self, path: &str) -> Result<Vec<u8>, String> {
            Err(format!("{path} is not needed"))
        }
    }

    fn scenario(model: &str) -> Result<Scenario, Error> {
        let tcp = format!("{{ congestion_control = {model} }}");
        let text = format!(
            "name = \"one\"\nduration = \"5 s\"\nnodes = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
             links = [{{ between = [\"a\", \"b\"], rate = \"1 Mbit/s\", delay = \"5 ms\" }}]\n\
             flows = [{{ from = \"a\", to = \"b\", tcp = {tcp} }}]\n"
        );
        validated(&text)
    }

    fn validated(text: &str) -> Result<Scenario, Error> {
        Draft::parse(text, "one.toml")?.validate_with(&NoFiles, || vec!["timid".into(), "cubic".into()])
    }

    #[test]
    fn a_name_that_can_be_plugged_in_is_kept_and_its_member_runs() {
        for model in ["\"timid\"", "{ name = \"timid\" }"] {
            let scenario = scenario(model).unwrap();
            assert_eq!(scenario.plugged[&0], "timid");
            assert_eq!(validated(&scenario.resolved).unwrap().resolved, scenario.resolved);
            let goodput = |name: &str| {
                let mut simulation = Simulation::new(&scenario, 1, Record::default());
                let config = Config::named(name).unwrap();
                simulation.plug(
                    0,
                    config.build(&farlink_tcp::connection::congestion_setup(
                        &farlink_tcp::Config::default(),
                        1,
                    )),
                );
                while simulation.advance(Instant::NEVER) {}
                simulation.finish().to_json()["flows"][0].clone()
            };
            assert_ne!(goodput("reno"), goodput("vegas"));
        }
    }

    #[test]
    fn names_of_the_registry_come_first_and_others_are_refused_at_their_place() {
        assert!(scenario("\"cubic\"").unwrap().plugged.is_empty());
        let error = |model| scenario(model).unwrap_err();
        let unknown = error("\"timed\"");
        assert_eq!(
            (&*unknown.key, &*unknown.remedy),
            ("flows.0.tcp.congestion_control", "did you mean `timid`?")
        );
        assert_eq!(error("{ name = \"timid\", growth = 2 }").key, "flows.0.tcp.congestion_control.growth");
    }

    #[test]
    #[should_panic(expected = "not plugged in: {0: \"timid\"}")]
    fn a_run_without_the_member_is_refused() {
        let scenario = scenario("\"timid\"").unwrap();
        Simulation::new(&scenario, 1, Record::default()).advance(Instant::NEVER);
    }
}
