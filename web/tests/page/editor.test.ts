/** Completion knows where in a scenario the cursor is; the schema is that of the project. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { completeToml } from "../../src/page/editor/completion.js";
import { positionAt } from "../../src/page/editor/position.js";

const schema = JSON.parse(readFileSync("../schema/farlink.schema.json", "utf8"));

/** The cursor is at `|`. */
function at(text: string): ReturnType<typeof positionAt> {
  return positionAt(text.replace("|", ""), text.indexOf("|"));
}

function completed(text: string): string[] {
  const state = EditorState.create({ doc: text.replace("|", "") });
  const found = completeToml({ schema, models: [] })(new CompletionContext(state, text.indexOf("|"), true));
  return found?.options.map((option) => option.label) ?? [];
}

test("the position is a table and a key", () => {
  assert.deepEqual(at("[[flows]]\nfrom = |"), { table: ["flows"], key: "from", siblings: new Map() });
  const inline = at('[[flows]]\nlabel = "a = {"\ntcp = { preset = "linux", cong|');
  assert.deepEqual(inline, { table: ["flows", "tcp"], key: null, siblings: new Map([["preset", '"linux"']]) });
  assert.deepEqual(at("[flows.tcp]\necn = |")?.table, ["flows", "tcp"]);
  assert.deepEqual(at('[[links]]\nbetween = ["a", |')?.key, "between");
  assert.equal(at("name = 1 # a |"), null);
});

test("keys of the root, of a table and of an inline table are completed", () => {
  assert.ok(completed("dura|").includes("duration"));
  const link = completed('[[links]]\nrate = "1 Mbit/s"\n|');
  assert.ok(link.includes("delay") && !link.includes("rate") && !link.includes("congestion_control"));
  assert.ok(completed("[[flows]]\ntcp = { |").includes("congestion_control"));
});

test("the name of a model decides which parameters it has", () => {
  const codel = completed('[[links]]\nqueue = { name = "codel", |');
  assert.ok(codel.includes("target") && !codel.includes("quantum"));
  assert.ok(completed('[[links]]\nqueue = { name = "fq_codel", |').includes("quantum"));
});

test("models, truth values and nodes are completed as values", () => {
  assert.ok(completed("[flows.tcp]\ncongestion_control = |").includes('"hybla"'));
  assert.deepEqual(completed("[flows.tcp]\necn = |"), ["true", "false", '"auto"', '"classic"', '"accurate"']);
  const text = '[[nodes]]\nname = "ground"\n[[nodes]]\nname = "remote"\n[[links]]\nbetween = ["ground", |';
  assert.deepEqual(completed(text), ['"ground"', '"remote"']);
});

test("headers are completed with what may stand there", () => {
  const lists = completed("[[|");
  assert.ok(lists.includes("flows") && !lists.includes("radio") && !lists.includes("duration"));
  const tables = completed("[|");
  assert.ok(tables.includes("radio") && !tables.includes("duration"));
});
