//! The files generated from the models are up to date.

const REMEDY: &str = "run `make docs`";

#[test]
fn the_schema_is_fresh() {
    let written = include_str!("../../../../schema/farlink.schema.json");
    assert!(written == farlink_scenario::schema(), "the schema is stale: {REMEDY}");
}

#[test]
fn the_names_for_python_are_fresh() {
    let written = include_str!("../../../../python/farlink/_names.pyi");
    assert!(written == farlink_scenario::python_names(), "the names are stale: {REMEDY}");
}

#[test]
fn the_page_of_models_is_fresh() {
    let written = include_str!("../../../../docs/models.md");
    assert!(written == farlink_scenario::models_page(), "the page of models is stale: {REMEDY}");
}
