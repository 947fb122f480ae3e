/** Every sentence of a lesson that states a result is true of the numbers of the engine, and could be false. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { initSync } from "../../build/farlink_web.js";
import { run, validated } from "../../src/engine/simulate.js";
import { summarise } from "../../src/engine/statistics.js";
import type { FinishedRun } from "../../src/engine/types.js";
import { LESSONS } from "../../src/lessons/all.js";
import { Results, type Lesson } from "../../src/lessons/lesson.js";
import { rowsOf } from "../../src/results/rows.js";

initSync({ module: readFileSync("build/farlink_web_bg.wasm") });

function runsOf(lesson: Lesson): FinishedRun[] {
  return lesson.control.settings.flatMap(({ label, overrides }) =>
    lesson.seeds.map((seed) => {
      const checked = validated({ toml: lesson.toml, overrides });
      return run(checked, seed, { progress: () => undefined }, ({ document, explanation, series }) => ({
        label,
        seed,
        result: document,
        explanation,
        series,
      }));
    }),
  );
}

function resultsOf(lesson: Lesson, runs: readonly FinishedRun[]): Results {
  return new Results(rowsOf(runs, summarise, lesson.columns), runs);
}

/** The same numbers with the settings exchanged: first for last, and so on. */
function exchanged(lesson: Lesson, runs: readonly FinishedRun[]): FinishedRun[] {
  const labels = lesson.control.settings.map((setting) => setting.label);
  const reversed = [...labels].reverse();
  return runs.map((each) => ({ ...each, label: reversed[labels.indexOf(each.label)]! }));
}

for (const lesson of LESSONS) {
  test(lesson.title, async (context) => {
    const runs = runsOf(lesson);
    const results = resultsOf(lesson, runs);
    assert.ok(lesson.claims.length >= 3, "a lesson has at least three findings");
    assert.ok(lesson.control.settings.some((setting) => setting.label === lesson.control.initial));
    for (const claim of lesson.claims) await context.test(claim.text, () => assert.ok(claim.holds(results)));
    await context.test("with exchanged settings some sentences are false", () => {
      const wrong = resultsOf(lesson, exchanged(lesson, runs));
      assert.ok(lesson.claims.some((claim) => !claim.holds(wrong)));
    });
  });
}

test("lessons have addresses of their own", () => {
  assert.equal(new Set(LESSONS.map((lesson) => lesson.id)).size, LESSONS.length);
  assert.ok(LESSONS.length >= 6);
});
