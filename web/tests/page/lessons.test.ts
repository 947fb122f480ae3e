/** Every sentence of a lesson that states a result is true of the numbers of the engine, and could be false. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { initSync } from "../../build/farlink_web.js";
import { run, validated } from "../../src/engine/simulate.js";
import { summarise } from "../../src/engine/statistics.js";
import type { FinishedRun, Overrides } from "../../src/engine/types.js";
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

/** What is said of all settings alike. */
const SYMMETRIC = new Set(["No packet is retransmitted: what short files lack is not caused by loss."]);

for (const lesson of LESSONS) {
  test(lesson.title, async (context) => {
    const runs = runsOf(lesson);
    const results = resultsOf(lesson, runs);
    assert.ok(lesson.claims.length >= 3, "a lesson has at least three findings");
    assert.ok(lesson.control.settings.some((setting) => setting.label === lesson.control.initial));
    for (const claim of lesson.claims) await context.test(claim.text, () => assert.ok(claim.holds(results)));
    assert.ok(lesson.prediction.of(results) > 0, "what is to be predicted is measured");
    const { film } = lesson;
    assert.ok(film[0] < film[1] && film[1] <= runs[0]!.result.engine.sim_s);
    const wrong = resultsOf(lesson, exchanged(lesson, runs));
    for (const claim of lesson.claims.filter((each) => !SYMMETRIC.has(each.text)))
      await context.test(`false with exchanged settings: ${claim.text}`, () => assert.ok(!claim.holds(wrong)));
  });
}

test("lessons have addresses of their own", () => {
  assert.equal(new Set(LESSONS.map((lesson) => lesson.id)).size, LESSONS.length);
  assert.ok(LESSONS.length >= 6);
});

function lessonCalled(id: string): Lesson {
  return LESSONS.find((lesson) => lesson.id === id)!;
}

test("the task after slow start has an answer", () => {
  const { toml } = lessonCalled("slow-start");
  const far = { "links.0.delay": '"300 ms"', duration: '"120 s"' };
  const wide = { ...far, "flows.0.tcp.receive_buffer": '"1 MB"', "links.0.queue.limit": '"1000 packets"' };
  const rate = (overrides: Overrides, size: string): number => {
    const checked = validated({ toml, overrides: { ...overrides, "flows.0.application.size": JSON.stringify(size) } });
    return run(checked, 1, { progress: () => undefined }, ({ document }) => document.flows[0]!.goodput_bps);
  };
  assert.ok(rate(far, "100 MB") < 0.4 * 10e6);
  assert.ok(rate(wide, "10 MB") < 0.9 * 10e6 && rate(wide, "100 MB") > 0.9 * 10e6);
});

/** The numbers of a scenario in one unit, such as its delays in ms. */
function valuesOf(lesson: Lesson, key: string, unit: string): number[] {
  return [...lesson.toml.matchAll(new RegExp(`${key} = "([\\d.]+) ${unit}"`, "g"))].map((found) => Number(found[1]));
}

test("numbers of the introductions follow from the scenarios", () => {
  const says = (lesson: Lesson, text: string): void =>
    assert.ok([...lesson.background, ...lesson.observe].join(" ").includes(text), `${lesson.title}: ${text}`);

  const slow = lessonCalled("slow-start");
  const bytes = (valuesOf(slow, "rate", "Mbit/s")[0]! * 1e6 * 2 * valuesOf(slow, "delay", "ms")[0]!) / 8e3;
  says(slow, `${bytes / 1e3} kB, or ${Math.round(bytes / 1500)} packets of 1500 B`);

  const bloat = lessonCalled("bufferbloat");
  says(bloat, `${(64e3 / 8 / 160).toFixed()} packets of 160 B a second`);
  says(bloat, `1500 B take ${(8 * 1500) / (valuesOf(bloat, "rate", "Mbit/s")[0]! * 1e3)} ms`);

  const geo = lessonCalled("geo-hybla");
  const lost = 1 - (1 - 1e-7) ** (8 * 1500);
  says(geo, `bandwidth-delay product is ${(valuesOf(geo, "rate", "Mbit/s")[0]! * 2 * valuesOf(geo, "delay", "ms")[0]!) / 12} packets`);
  says(geo, `an RTT of ${2 * valuesOf(geo, "delay", "ms")[0]!} ms`);
  says(geo, `one packet in ${Math.round(1 / lost)}`);
  says(geo, `${500 * 0.025} s with an RTT of 25 ms, and ${500 * 0.6} s`);

  const fair = lessonCalled("rtt-fairness");
  const [near, far, common] = valuesOf(fair, "delay", "ms");
  says(fair, `the near one is ${2 * (near! + common!)} ms and that of the far one ${2 * (far! + common!)} ms`);

  const route = lessonCalled("route-failure");
  const [leaves, returns] = valuesOf(route, "at", "s");
  const [speed] = valuesOf(route, "speed", "m/s");
  const limit = Math.sqrt(valuesOf(route, "range", "m")[0]! ** 2 - 200 ** 2);
  const times = [leaves! + limit / speed!, returns! + (400 - limit) / speed!].map(Math.round);
  // RFC 3561: NET_TRAVERSAL_TIME is 2 * 40 ms * 35, and doubles with each request.
  const waits = [1, 2, 4].map((factor) => (factor * 2 * 0.04 * 35).toFixed(1));
  says(route, `${waits[0]} s after it, then ${waits[1]} s, then ${waits[2]} s`);
  says(route, `out of range from ${times[0]} s to ${times[1]} s`);
});
