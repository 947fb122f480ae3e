/** Tables, charts and files from results. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FinishedRun, FlowResult, RunDocument, Samples, Summary } from "../../src/engine/types.js";
import { movingMean, onGrid } from "../../src/page/charts/grid.js";
import { Recording } from "../../src/page/charts/recording.js";
import { seriesCsv, toCsv } from "../../src/page/download.js";
import { formatMean } from "../../src/results/numbers.js";
import { asText, rowsOf } from "../../src/results/rows.js";

function summary(mean: number, low: number | null, high: number | null): Summary {
  return { mean, low, high, count: 5, method: "t" };
}

test("numbers have as many digits as their interval supports", () => {
  assert.equal(formatMean(summary(5.4321e6, 4.43e6, 6.4342e6), 1e6), "5.4 ± 1.0");
  assert.equal(formatMean(summary(67, 60.1, 73.9)), "67.0 ± 6.9");
  assert.equal(formatMean(summary(1, 0, 3)), "1.0 [0.0, 3.0]");
  assert.equal(formatMean(summary(12, 12, 12)), "12 ± 0");
  assert.equal(formatMean(summary(3, null, null)), "3");
  assert.equal(formatMean(summary(0.6543, null, null)), "0.654");
  assert.equal(formatMean(null), "-");
});

function run(label: string, seed: number, flows: Partial<FlowResult>[]): FinishedRun {
  const whole = flows.map((flow) => ({
    flow: "a",
    seed,
    delay_mean_s: 0.02,
    packets_retransmitted: 0,
    drops: {},
    limited_by: null,
    bottleneck: null,
    bottleneck_utilisation: null,
    ...flow,
  }));
  const result = { flows: whole, links: [], seeds: [seed], scenario: "s" } as unknown as RunDocument;
  const series = {
    "cwnd:a": { measure: "cwnd", of: "a", t: new Float64Array([0, 1]), v: new Float64Array([10, NaN]) } as Samples,
  };
  return { label, seed, result, explanation: [], series };
}

const mean = (values: readonly number[]): Summary =>
  summary(values.reduce((sum, value) => sum + value, 0) / values.length, null, null);

test("a row is of a variant and a flow; the rate has the unit of the fastest", () => {
  const runs = [
    run("x", 1, [{ goodput_bps: 1e6 }]),
    run("x", 2, [{ goodput_bps: 3e6 }]),
    run("y", 1, [{ goodput_bps: 5e5 }]),
  ];
  const table = asText(rowsOf(runs, mean));
  assert.deepEqual(table.headings, [
    "variant",
    "flow",
    "goodput Mbit/s",
    "delay ms",
    "retransmitted",
    "dropped",
    "dominant limit",
  ]);
  assert.deepEqual(
    table.rows.map((row) => row.slice(0, 3)),
    [
      ["x", "a", "2"],
      ["y", "a", "0.500"],
    ],
  );
});

test("the dominant limit is what was saturated with most seeds, else the largest share", () => {
  const busy = { goodput_bps: 1, bottleneck: "l->r", bottleneck_utilisation: 0.99 };
  const limited = { goodput_bps: 1, limited_by: { congestion_window: 0.7, timeout: 0.3 } };
  const limit = (...flows: Partial<FlowResult>[]) =>
    rowsOf(
      flows.map((flow, seed) => run("x", seed, [flow])),
      mean,
    )[0]!.limit;
  assert.equal(limit(busy, busy, limited), "l->r 99 % busy");
  assert.equal(limit(busy, limited, limited), "congestion window 47 %");
});

test("a curve keeps its value between samples, and its peaks; it ends with its last sample", () => {
  const samples = (measure: Samples["measure"]): Samples => ({
    measure,
    of: "a",
    t: new Float64Array([0, 1, 1.5, 3]),
    v: new Float64Array([1, 9, 2, NaN]),
  });
  assert.deepEqual(onGrid(samples("cwnd"), [0, 2, 2.5, 3, 4], 1), [1, 2, 2, null, null]);
  assert.deepEqual(onGrid(samples("queue"), [0, 2, 2.5, 3, 4], 1), [1, 9, 2, null, null]);
});

test("samples that arrive in parts are those of the finished run", () => {
  const recording = new Recording();
  const part = (t: number) => ({
    "cwnd:a": { measure: "cwnd", of: "a", t: new Float64Array([t]), v: new Float64Array([t]) } as Samples,
  });
  for (const time of [0, 1]) recording.append({ label: "x", seed: 1, time, duration: 2, series: part(time) });
  assert.deepEqual([...recording.samples("x", 1, "cwnd")[0]!.t], [0, 1]);
  recording.finish(run("x", 1, []));
  assert.deepEqual([...recording.samples("x", 1, "cwnd")[0]!.v], [10, NaN]);
  assert.deepEqual(recording.samples("x", 2, "cwnd"), []);
});

test("CSV quotes what would break a row, and protects spreadsheets", () => {
  const text = toCsv([
    run('a "b", c', 1, [{ goodput_bps: 1, drops: { queue_full: 2 } }]),
    run("=1", 2, [{ goodput_bps: 2 }]),
  ]);
  const [head, first, second] = text.split("\n");
  assert.ok(head!.includes("drops_queue_full"));
  assert.ok(first!.startsWith('"a ""b"", c",a,1,'));
  assert.ok(second!.startsWith("'=1,a,2,"));
  assert.equal(seriesCsv([run("x", 1, [])]), "variant,seed,measure,of,time_s,value\nx,1,cwnd,a,0,10\nx,1,cwnd,a,1,\n");
});

test("a moving mean is that of the samples within the time before", () => {
  const samples: Samples = {
    measure: "goodput",
    of: "a",
    t: new Float64Array([0, 1, 2, 3]),
    v: new Float64Array([0, 4, 8, 0]),
  };
  assert.deepEqual([...movingMean(samples, 2).v], [0, 2, 6, 4]);
  assert.equal(movingMean(samples, 0), samples);
});
