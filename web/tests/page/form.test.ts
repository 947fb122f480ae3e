/** What a person types: seeds, values of variants, and the runs that follow from them. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { withCommands } from "../../src/page/commands.js";
import { isFault, isSame, runnable, type Experiment } from "../../src/page/experiment.js";
import { QUANTITIES, settingOf, stepsOf } from "../../src/page/network/steps.js";
import { formatOverride, isSetByAll, parseOverrides, withOverride } from "../../src/page/overrides.js";
import { readPrediction, verdictOn } from "../../src/page/prediction.js";
import { formatSeeds, parseSeeds } from "../../src/page/seeds.js";
import { suggestedNames, suggestionFor } from "../../src/page/suggestions.js";
import { FLOW, WORKLOAD } from "./actions.js";

test("seeds are ranges and numbers in the order written, or how many", () => {
  assert.deepEqual(parseSeeds("1..3, 9,5"), { seeds: [1, 2, 3, 9, 5] });
  assert.deepEqual(parseSeeds("7..7"), { seeds: [7] });
  assert.deepEqual(parseSeeds("4"), { seeds: [1, 2, 3, 4] });
  for (const seeds of [[1], [7], [0], [3, 1, 2]]) assert.deepEqual(parseSeeds(formatSeeds(seeds)), { seeds });
});

/** The seeds of each text by the command line; null where it refuses. */
const BY_COMMAND_LINE = `
import json, sys
from farlink.errors import UsageError
from farlink.runs.seeds import check_seeds, parse_seeds
def read(text):
    try:
        return check_seeds(parse_seeds(text))
    except UsageError:
        return None
print(json.dumps([read(text) for text in json.loads(sys.argv[1])]))
`;

test("seeds are those of the command line", () => {
  const texts = ["1", "20", "0", " 3 ", "0,1", "0..2", "7..7", "3,5", "7..9", "1..3,9", "5,1..2", "2..1", "1,1", "1..2,2"];
  texts.push("", "a", "1,", ",1", "1..", "..3", "1...3", "-1", "+3", "1.5", "1 2", "007", "1e3");
  const python = join(dirname(process.env["FARLINK"] ?? "../.venv/bin/farlink"), "python");
  const read = JSON.parse(execFileSync(python, ["-c", BY_COMMAND_LINE, JSON.stringify(texts)], { encoding: "utf8" }));
  const here = texts.map((text) => {
    const found = parseSeeds(text);
    return "seeds" in found ? found.seeds : null;
  });
  for (const [at, text] of texts.entries()) assert.deepEqual(here[at], read[at], text);
});

test("a text that gives no seeds is refused with its reason", () => {
  for (const [text, reason] of Object.entries({
    "": "write seeds as",
    a: "write seeds as",
    "3..1": "is empty",
    "1..2000": "at most",
    "2000": "at most",
    "0": "at least",
    "1,1": "twice",
    "1..": "write seeds as",
  })) {
    const read = parseSeeds(text);
    assert.ok("fault" in read && read.fault.includes(reason), text);
  }
});

test("a kind of model alone stands for all of its kind", () => {
  const read = parseOverrides(
    'congestion_control = hybla\n\nlinks.0.delay = "20 ms"\nqueue = { name = "codel", target = "5 ms" }',
    FLOW,
  );
  assert.deepEqual(read, {
    overrides: {
      "flows.*.tcp.congestion_control": "hybla",
      "links.0.delay": '"20 ms"',
      "links.*.queue": '{ name = "codel", target = "5 ms" }',
    },
  });
  assert.equal(formatOverride("flows.*.tcp.congestion_control", "bbr"), "congestion_control = bbr");
  assert.equal(formatOverride("links.0.delay", '"1 s"'), 'links.0.delay = "1 s"');
});

test("a kind of model of TCP alone stands for flows and workloads, whichever the scenario has", () => {
  const [flows, workloads] = [["flows.*.tcp.recovery", "rack"], ["workloads.*.tcp.recovery", "rack"]];
  const cases: [string, string[][]][] = [
    [FLOW, [flows!]],
    [WORKLOAD, [workloads!]],
    [WORKLOAD + FLOW, [flows!, workloads!]],
    ['workloads = [{ from = "a" }]\nflows=[{ from = "a" }]', [flows!, workloads!]],
    ["# [[workloads]]\n  [[ flows ]]", [flows!]],
    ["", [flows!]],
  ];
  for (const [toml, expected] of cases) {
    assert.deepEqual(parseOverrides("recovery = rack", toml), { overrides: Object.fromEntries(expected) }, toml);
  }
  const twice = "recovery = rack\nworkloads.*.tcp.recovery = sack";
  assert.deepEqual(parseOverrides(twice, WORKLOAD), { fault: "workloads.*.tcp.recovery is set twice" });
  assert.ok(isSetByAll(["recovery = rack"], "workloads.0.tcp.recovery"));
});

test("a prediction is compared by its ratio, an instant by its difference", () => {
  assert.equal(verdictOn(2, 1, false), "2.00 times the measured value");
  assert.equal(verdictOn(1.05, 1, false), "close");
  assert.equal(verdictOn(38, 45.7, true), "7.70 s before the measured time");
});

test("a line without a value, and a value set twice, are refused", () => {
  assert.deepEqual(parseOverrides("hybla"), { fault: 'write PATH = VALUE, not "hybla"' });
  assert.deepEqual(parseOverrides("a =\n"), { fault: 'write PATH = VALUE, not "a ="' });
  assert.deepEqual(parseOverrides("a = 1\na = 2"), { fault: "a is set twice" });
});

const experiment: Experiment = {
  toml: 'name = "x"',
  files: {},
  duration: "10 s",
  common: "",
  seeds: "1..2",
  variants: [
    { label: "short", changes: 'duration = "5 s"' },
    { label: "long", changes: "" },
  ],
};

test("the simulated time of all variants gives way to that of one", () => {
  const made = runnable(experiment);
  assert.ok(!isFault(made));
  assert.deepEqual(made.variants, [
    { label: "short", overrides: { duration: '"5 s"' } },
    { label: "long", overrides: { duration: '"10 s"' } },
  ]);
  assert.deepEqual(made.seeds, [1, 2]);
});

test("a saved scenario has the commands of its runs, once, and stays the same scenario", () => {
  const common = "links.0.error = { name = \"none\" }\nlabel = it's";
  const saved = withCommands({ ...experiment, common }, "scenario.toml");
  assert.equal(
    saved,
    [
      "# Runs of the laboratory, with simulated time, sliders and variants:",
      "#   short:",
      `#   farlink run scenario.toml --seeds 1..2 --set 'duration="5 s"' --set 'links.0.error={ name = "none" }' --set 'label=it'\\''s'`,
      "#   long:",
      `#   farlink run scenario.toml --seeds 1..2 --set 'duration="10 s"' --set 'links.0.error={ name = "none" }' --set 'label=it'\\''s'`,
      experiment.toml,
    ].join("\n"),
  );
  assert.equal(withCommands({ ...experiment, common, toml: saved }, "scenario.toml"), saved);
  const [first] = experiment.variants;
  const hostile = { ...experiment, variants: [{ ...first!, label: 'x\nname = "y"' }] };
  assert.ok(withCommands(hostile, "s.toml").split("\n").slice(0, -1).every((line) => line.startsWith("#")));
  assert.equal(withCommands({ ...experiment, seeds: "x" }, "s.toml"), experiment.toml);
});

test("values of all variants give way to those of one", () => {
  const common = 'links.0.rate = "1 Mbit/s"\nduration = "7 s"';
  const made = runnable({ ...experiment, common });
  assert.ok(!isFault(made));
  assert.deepEqual(made.variants.map(({ overrides }) => overrides), [
    { "links.0.rate": '"1 Mbit/s"', duration: '"5 s"' },
    { "links.0.rate": '"1 Mbit/s"', duration: '"7 s"' },
  ]);
  const wrong = runnable({ ...experiment, common: "fast" });
  assert.ok(isFault(wrong) && wrong.variant === null && wrong.text.startsWith("values of all variants"));
});

test("a value that is set replaces its line", () => {
  const text = 'links.0.rate = "1 Mbit/s"\nlinks.0.queue.limit = "5 packets"\nlinks.10.rate = "2 Mbit/s"';
  assert.equal(
    withOverride(withOverride(text, "links.0.rate", '"3 Mbit/s"'), "links.0.queue", "codel"),
    'links.10.rate = "2 Mbit/s"\nlinks.0.rate = "3 Mbit/s"\nlinks.0.queue = codel',
  );
});

test("a slider is without effect where every variant sets its value, or all of its table", () => {
  const queues = ["links.2.queue = codel", "queue = fq_codel", 'links.2.queue.limit = "5 packets"'];
  assert.ok(isSetByAll(queues, "links.2.queue.limit"));
  assert.ok(!isSetByAll([...queues, ""], "links.2.queue.limit") && !isSetByAll([], "links.2.queue.limit"));
  assert.ok(!isSetByAll(queues, "links.1.queue.limit") && !isSetByAll(queues, "links.2.rate"));
});

test("a slider has the present value among its steps, and says what it sets", () => {
  for (const quantity of QUANTITIES) {
    const steps = stepsOf(quantity, 0.0123);
    assert.ok(steps.includes(0.0123) && steps.every((step, place) => place === 0 || step > steps[place - 1]!));
  }
  assert.deepEqual(settingOf("rate", 2e7, "drop_tail"), ["rate", '"20 Mbit/s"']);
  assert.deepEqual(settingOf("delay", 0.3, "drop_tail"), ["delay", '"300 ms"']);
  assert.deepEqual(settingOf("loss", 0.002, "drop_tail"), ["error", '{ name = "packet_error_rate", rate = 0.002 }']);
  assert.deepEqual(settingOf("loss", 0, "drop_tail"), ["error", '"none"']);
  assert.deepEqual(settingOf("queue", 70, "drop_tail"), ["queue", '{ name = "drop_tail", limit = "70 packets" }']);
  assert.deepEqual(settingOf("queue", 70, "codel"), ["queue.limit", '"70 packets"']);
});

test("a mistake names the variant that has it", () => {
  const twice = runnable({ ...experiment, variants: [experiment.variants[1]!, experiment.variants[1]!] });
  assert.deepEqual(twice, { variant: 1, text: "two variants are called long" });
  assert.deepEqual(runnable({ ...experiment, variants: [] }), { variant: null, text: "add a variant" });
  assert.ok(isFault(runnable({ ...experiment, seeds: "x" })));
});

test("experiments are the same if they make the same runs", () => {
  const long = experiment.variants[1]!;
  const others: readonly Partial<Experiment>[] = [
    { seeds: "1..3" },
    { seeds: "0" },
    { duration: "20 s" },
    { common: "radio.mac = csma" },
    { toml: 'name = "y"' },
    { files: { "rate.csv": new Uint8Array(1) } },
    { variants: [{ label: "short", changes: "duration" }, long] },
    { variants: [long] },
  ];
  for (const change of others) assert.ok(!isSame({ ...experiment, ...change }, experiment), JSON.stringify(change));
  const alike: readonly Partial<Experiment>[] = [{}, { files: {} }, { seeds: "2" }, { seeds: "1, 2" }, { duration: "10 s " }];
  for (const change of alike) assert.ok(isSame({ ...experiment, ...change }, experiment), JSON.stringify(change));
});

test("suggestions are experiments", () => {
  for (const name of [...suggestedNames(), "another"]) {
    const made = runnable({ ...suggestionFor(name), toml: "", common: "", files: {} });
    assert.ok(!isFault(made), name);
  }
});

test("a prediction is a number that is not negative and has one meaning", () => {
  const numbers = { "0.5": 0.5, "1,5": 1.5, "0,125": 0.125, "12": 12, "1e3": 1000, ".5": 0.5, "0": 0, " 4 ": 4, "1,25": 1.25 };
  for (const [text, value] of Object.entries(numbers)) assert.deepEqual(readPrediction(text), { value }, text);
  const refused = { "1,000": "1000 or 1.000", "12,500": "12500 or 12.500", "-3": "negative", "\u22123": "negative", "- 3": "negative" };
  const words = ["", "a", "1,000,000", "1 000", "0x10", "Infinity", "5 s", "1e999", "."].map((text) => [text, "Write a number"]);
  for (const [text, reason] of [...Object.entries(refused), ...words] as [string, string][]) {
    const read = readPrediction(text);
    assert.ok("fault" in read && read.fault.includes(reason), text);
  }
});
