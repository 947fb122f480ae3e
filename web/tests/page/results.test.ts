/** Tables, charts and files from results. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { builtIns, initSync } from "../../build/farlink_web.js";
import { run as simulate, validated } from "../../src/engine/simulate.js";
import { summarise } from "../../src/engine/statistics.js";
import type { FinishedRun, FlowResult, Overrides, RunDocument, Samples, Summary, Warning } from "../../src/engine/types.js";
import { gridOf, onGrid } from "../../src/page/charts/grid.js";
import { Recording } from "../../src/page/charts/recording.js";
import { seriesCsv, toCsv } from "../../src/page/download.js";
import { isFault, runnable } from "../../src/page/experiment.js";
import { formatMean, formatNumber } from "../../src/results/numbers.js";
import { asText, rowsOf } from "../../src/results/rows.js";
import { resultsText } from "../../src/results/tables.js";
import { warningsOf } from "../../src/results/warnings.js";
import { CALL, FLOW, WORKLOAD } from "./actions.js";

initSync({ module: readFileSync("build/farlink_web_bg.wasm") });

function summary(mean: number, low: number | null, high: number | null): Summary {
  return { mean, low, high, count: 5, method: "t" };
}

test("numbers have as many digits as their interval supports", () => {
  assert.equal(formatMean(summary(5.4321e6, 4.43e6, 6.4342e6), 1e6), "5.4 ± 1.0");
  assert.equal(formatMean(summary(67, 60.1, 73.9)), "67.0 ± 6.9");
  assert.equal(formatMean(summary(1, 0, 3)), "1.0 [0.0, 3.0]");
  assert.equal(formatMean(summary(12, 12, 12)), "12");
  assert.equal(formatMean(summary(3, null, null)), "3");
  assert.equal(formatMean(summary(0.064, 0.06396, 0.06404)), "0.064 ± 0.00004");
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
  const result = { flows: whole, workloads: [], airtime: [], links: [], seeds: [seed], scenario: "s", warnings: [] as Warning[] } as unknown as RunDocument;
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

test("a mean of equal results has no interval, and the caption says that nothing is random", () => {
  const wide = (values: readonly number[]): Summary => summary(mean(values).mean, 0, 5e6);
  const equal = [1, 2].map((seed) => run("x", seed, [{ goodput_bps: 1e6 }]));
  const table = asText(rowsOf(equal, wide));
  assert.equal(table.rows[0]![2], "1");
  assert.match(table.caption, /2 seeds gave equal results/);
  const mixed = asText(rowsOf([...equal, ...[1, 2].map((seed) => run("y", seed, [{ goodput_bps: seed * 1e6 }]))], wide));
  assert.match(mixed.caption, /half-width.*equal results with x\./);
  assert.doesNotMatch(asText(rowsOf(equal.slice(1), wide)).caption, /equal/);
});

test("a variant of a congestion control reaches the workloads of a scenario without flows", () => {
  const seeds = [1, 2];
  const table = (toml: string, changes: string) => {
    const made = runnable({ toml, files: {}, duration: "", common: "", seeds: "1..2", variants: [{ label: "x", changes }] });
    assert.ok(!isFault(made));
    return resultsText(seeds.map((seed) => simulated(toml, made.variants[0]!.overrides, seed)), summarise);
  };
  const written = WORKLOAD.replace('label = "web"', 'label = "web"\ntcp = { congestion_control = "vegas" }');
  assert.deepEqual(table(WORKLOAD, "congestion_control = vegas"), table(written, ""));
  assert.notDeepEqual(table(written, "").rows, table(WORKLOAD, "").rows);
});

/** The table of `farlink run`. */
const BY_COMMAND_LINE = `
import json, sys
import farlink as fl
from farlink.runs import run_table
toml, duration, seeds = json.loads(sys.argv[1])
run = fl.Scenario.from_toml(toml).set("duration", duration).run(seeds=seeds, series=False)
table = run_table.of_flows("", [*run.summary, *run.end_to_end], run.seeds)
print(json.dumps([table.headings[1:], table.rows]))
`;

/** Its table of workloads. */
const WORKLOADS_BY_COMMAND_LINE = `
import json, sys
import farlink as fl
from farlink.runs import workload_table
toml, seeds = json.loads(sys.argv[1])
run = fl.Scenario.from_toml(toml).run(seeds=seeds, series=False)
table = workload_table.of_workloads("", run.document["workloads"], run.seeds)
print(json.dumps([table.headings[1:], table.rows, table.caption]))
`;

function byCommandLine(program: string, order: unknown) {
  const python = join(dirname(process.env["FARLINK"] ?? "../.venv/bin/farlink"), "python");
  return JSON.parse(execFileSync(python, ["-c", program, JSON.stringify(order)], { encoding: "utf8" }));
}

function simulated(toml: string, overrides: Overrides, seed: number): FinishedRun {
  return simulate(validated({ toml, overrides }), seed, { progress: () => undefined }, (made) => ({
    ...made, label: "x", seed, result: made.document,
  }));
}

test("the table is that of the command line: transfers that finish, some that do not, relays, and calls", () => {
  const found = JSON.parse(builtIns()) as { name: string; toml: string }[];
  const seeds = [1, 2, 3];
  const cases = [["gateway_split", "30 s"], ["gateway", "10 s"], ["gateway", "22300 ms"], ["competition", "10 s"], ["call", "8 s"]];
  for (const [name, duration] of cases) {
    const toml = found.find((each) => each.name === name)?.toml ?? CALL;
    const [headings, rows] = byCommandLine(BY_COMMAND_LINE, [toml, duration, seeds]);
    const runs = seeds.map((seed) => simulated(toml, { duration: `"${duration}"` }, seed));
    const table = asText(rowsOf(runs, summarise));
    assert.deepEqual(table.headings.slice(2), headings, name);
    assert.deepEqual(table.rows.map((row) => row.slice(1)), rows, name);
  }
});

test("workloads have the table of the command line, beside that of the flows or alone", () => {
  for (const seeds of [[1], [1, 2, 3]]) {
    for (const [toml, flows] of [[WORKLOAD, []], [WORKLOAD + FLOW, ["long"]]] as const) {
      const [headings, rows, caption] = byCommandLine(WORKLOADS_BY_COMMAND_LINE, [toml, seeds]);
      const whole = resultsText(seeds.map((seed) => simulated(toml, {}, seed)), summarise);
      const table = flows.length ? whole.workloads! : whole;
      assert.deepEqual(table.headings, ["variant", "workload", ...headings]);
      assert.deepEqual(table.rows, rows.map((row: string[]) => ["x", ...row]));
      assert.equal(table.caption, caption);
      assert.deepEqual(whole.rows.map((row) => row[1]), flows.length ? flows : table.rows.map((row) => row[1]));
    }
  }
});

/** Its table of airtime. */
const AIRTIME_BY_COMMAND_LINE = `
import json, sys
import farlink as fl
from farlink.runs import run_table
toml, seeds = json.loads(sys.argv[1])
run = fl.Scenario.from_toml(toml).run(seeds=seeds, series=False)
table = run_table.of_airtime(run.document["airtime"])
print(json.dumps([table.headings, table.rows, table.caption]))
`;

/** Radio nodes in a row of which the first is on a second channel, too. */
function radios(nodes: number): string {
  return `name = "radios"
duration = "5 s"
topology = { name = "chain", nodes = ${nodes} }
[[channels]]
name = "mesh"
mac = "dcf"
phy = "dsss"
[[channels]]
name = "other"
nodes = ["n0", "n1"]
[[flows]]
from = "n0"
to = "n3"
`;
}

test("shared channels have the airtime of the command line, of all stations or the busiest", () => {
  for (const [nodes, seeds] of [[4, [1]], [4, [1, 2, 3]], [15, [1, 2]]] as const) {
    const [headings, rows, caption] = byCommandLine(AIRTIME_BY_COMMAND_LINE, [radios(nodes), seeds]);
    const { airtime } = resultsText(seeds.map((seed) => simulated(radios(nodes), {}, seed)), summarise);
    assert.deepEqual(airtime!.headings, ["variant", ...headings]);
    assert.deepEqual(airtime!.rows, rows.map((row: string[]) => ["x", ...row]));
    assert.equal(airtime!.caption, caption.replace("--json", "the saved JSON"));
    assert.equal(airtime!.rows.length, nodes > 12 ? 5 : nodes + 2);
    assert.ok(nodes > 12 || airtime!.rows.some((row) => row[1] === "mesh.n0"));
  }
});

test("each variant has its stations, and links alone have no airtime", () => {
  const of = (label: string, ...busy: number[]): FinishedRun => {
    const made = run(label, 1, [{ goodput_bps: 1 }]);
    const airtime = busy.map((share, node) => ({ channel: "radio", node: `n${node}`, busy_share: share, transmitting_share: 0 }));
    return { ...made, result: { ...made.result, airtime } };
  };
  assert.equal(resultsText([of("x")], mean).airtime, undefined);
  assert.deepEqual(resultsText([of("x", 0.25, 0.5), of("y", 0.125, 0), of("z")], mean).airtime!.rows, [
    ["x", "n1", "50", "0"],
    ["x", "n0", "25", "0"],
    ["y", "n0", "12.5", "0"],
    ["y", "n1", "0", "0"],
  ]);
});

test("each variant has its workloads, with the time in the unit of the longest", () => {
  const row = { workload: "web", class: "all", arrivals: 4, completed: 3, completion_p50_s: 0.5, slowdown_p50: 2 };
  const of = (label: string, seed: number, ...rows: object[]): FinishedRun => {
    const made = run(label, seed, []);
    return { ...made, result: { ...made.result, workloads: rows as RunDocument["workloads"] } };
  };
  const runs = [of("x", 1, row, { ...row, class: "to_100kB" }), of("x", 2, row, { ...row, class: "to_100kB", arrivals: 0, completed: 0 })];
  const alone = resultsText(runs, mean);
  assert.deepEqual(alone.rows.map((cells) => cells.slice(0, 4)), [["x", "web", "6 of 8", "500"], ["x", "web to 100kB", "3 of 4", "500"]]);
  assert.deepEqual(alone.headings.slice(2, 4), ["completed", "completion ms p50"]);
  const late = of("y", 1, { ...row, completion_p50_s: 2 }, { ...row, class: "to_100kB", arrivals: 0 });
  const both = resultsText([...runs, late], mean);
  assert.deepEqual(both.rows.map((cells) => cells.slice(0, 4)).at(-1), ["y", "web", "3 of 4", "2"]);
  assert.equal(both.rows[0]![3], "0.500");
});

test("workloads that differ are results that differ", () => {
  const of = (seed: number): FinishedRun => {
    const made = run("x", seed, [{ goodput_bps: 1 }]);
    return { ...made, result: { ...made.result, workloads: [{ seed: made.seed, completed: seed }] } };
  };
  assert.doesNotMatch(asText(rowsOf([1, 2].map(of), mean)).caption, /equal/);
});

test("the caption says that some transfers did not finish, and how many seeds the rows have", () => {
  const transfer = { size_bytes: 9, goodput_bps: 1e3 };
  const runs = [1, 2, 3, 4].map((seed) => run("x", seed, [{ ...transfer, completion_s: seed > 2 ? null : seed / 10 }]));
  const table = asText(rowsOf([...runs, run("y", 1, [{ ...transfer, completion_s: null }])], mean));
  assert.deepEqual(table.headings.slice(4, 6), ["completed", "completion ms"]);
  assert.deepEqual(table.rows.map((row) => row.slice(4, 6)), [["2 of 4", "150"], ["0 of 1", "-"]]);
  assert.match(table.caption, /^1 to 4 seeds; mean/);
  assert.match(table.caption, /over a flow's time.* Completion is the mean of the transfers that finished/);
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
  assert.deepEqual(onGrid(samples("cwnd"), [0, 2, 2.5, 3, 4]), [1, 2, 2, null, null]);
  assert.deepEqual(onGrid(samples("queue"), [0, 2, 2.5, 3, 4]), [1, 9, 2, null, null]);
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
  assert.equal(seriesCsv([run("x", 1, [])]), "variant,seed,measure,of,time_s,value\nx,1,cwnd_segments,a,0,10\nx,1,cwnd_segments,a,1,\n");
});

test("workloads are a table of their own as CSV", () => {
  const made = run("x", 1, []);
  const workloads = [{ workload: "web", class: "all", seed: 1, completed: 2 }];
  const text = toCsv([{ ...made, result: { ...made.result, workloads } }], "workloads");
  assert.equal(text, "variant,workload,class,seed,completed\nx,web,all,1,2\n");
});

/** A packet of 1500 B every 12 ms, as a link of 1 Mbit/s gives it, sampled every 20 ms. */
function arrivals(end_s: number): Samples {
  const t = Float64Array.from({ length: Math.round(end_s / 0.02) + 1 }, (_, sample) => sample * 0.02);
  return { measure: "delivery", of: "a", t, v: t.map((time) => 1500 * Math.floor(time / 0.012 + 1e-9)) };
}

test("the label of a rate is the width of its bins, and no rate is above that of the link by more than a packet", () => {
  for (const span of [[0, 30], [0, 1.2], [0.13, 0.61], [2, 2.05]] as const) {
    const { times, values, averaged_s } = gridOf("delivery", [arrivals(30)], span);
    assert.ok(averaged_s >= 0.02 - 1e-9 && times.length <= 100);
    assert.ok(Math.abs(times[1]! - times[0]! - averaged_s) < 1e-9);
    const rates = values[0]!.map((value) => value ?? NaN);
    assert.ok(Math.max(...rates) <= 1e6 + (8 * 1500) / averaged_s + 1);
    const whole = rates.reduce((sum, rate) => sum + rate * averaged_s, 0) / (span[1] - span[0]);
    assert.ok(Math.abs(whole - 1e6) <= (2 * 8 * 1500) / (span[1] - span[0]));
  }
});

test("a transfer that ended at 0.208 s has no rate after the bin of that time", () => {
  const samples = arrivals(30);
  const short = { ...samples, v: samples.v.map((bytes) => Math.min(bytes, 10_000)) };
  const { times, values } = gridOf("delivery", [short], [0, 1.2]);
  const last = values[0]!.findLastIndex((rate) => rate !== null && rate > 0);
  assert.ok(times[last]! < 0.1 && values[0]!.at(-1) === 0);
});

test("a bin has no value before the samples reach its end", () => {
  const { times, values } = gridOf("delivery", [arrivals(1)], [0, 10]);
  assert.ok(values[0]!.every((rate, bin) => (rate === null) === times[bin]! > 1));
});

test("a number that rounds to 0 has no sign", () => {
  assert.deepEqual([-0.0001, 0, 0.0004, -1.5, 123.456].map(formatNumber), ["0", "0", "0", "-1.50", "123"]);
});

test("a warning names its variants unless all have it", () => {
  const warning = (key: string): Warning => ({
    key,
    message: "implausible",
    remedy: "correct it",
    file: key === "a" ? "scenario" : "--set",
    line: 3,
    column: 1,
  });
  const having = (label: string, seed: number, keys: readonly string[]): FinishedRun => {
    const made = run(label, seed, []);
    return { ...made, result: { ...made.result, warnings: keys.map(warning) } };
  };
  const lines = warningsOf([having("x", 1, ["a", "b"]), having("x", 2, ["a", "b"]), having("y", 1, ["a"])]);
  assert.deepEqual(lines, ["line 3, a: implausible; correct it", "x: b: implausible; correct it"]);
});
