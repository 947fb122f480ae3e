/** What the engine throws arrives at the page. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { initSync, Source } from "../../build/farlink_web.js";
import { validated } from "../../src/engine/simulate.js";

initSync({ module: readFileSync("build/farlink_web_bg.wasm") });

test("a trap while a scenario is validated is not hidden by an object that cannot be freed", (context) => {
  context.mock.method(Source.prototype, "validate", () => {
    throw new WebAssembly.RuntimeError("unreachable");
  });
  context.mock.method(Source.prototype, "free", () => {
    throw new Error("attempted to take ownership of Rust value while it was borrowed");
  });
  assert.throws(() => validated({ toml: "" }), /unreachable/);
});

test("a refusal is the engine's text", () => {
  assert.throws(
    () => validated({ toml: "name = 1" }),
    (error) => typeof error === "string" && error.includes("name"),
  );
});
