/** One run from its scenario to its results, in the thread that asks for it. */
import * as wasm from "../../build/farlink_web.js";

import { Curves } from "./curves.js";
import { document, type Part } from "./document.js";
import type { Progress, Source } from "./protocol.js";
import { Slices } from "./slices.js";
import type { Column, Columns, Description, Explanation, RunDocument, SeriesByName } from "./types.js";

/** Between two reports. */
const REPORT_MS = 100;
/** A run that needs more whatever happens in it is refused. */
const MOST_BYTES = 2 ** 30;

/** A validated scenario. */
export interface Checked {
  readonly scenario: wasm.Scenario;
  readonly description: Description;
}

/** Throws the engine's error, a text, if the scenario is refused. */
export function validated({ toml, overrides = {}, files = {} }: Source): Checked {
  const source = new wasm.Source(toml);
  try {
    for (const [path, value] of Object.entries(overrides)) source.set(path, value);
    for (const [path, content] of Object.entries(files)) source.add(path, content);
    const scenario = source.validate();
    const description = JSON.parse(scenario.description()) as Description;
    source.free();
    return { scenario, description };
  } catch (error) {
    // The engine refuses with a text. After a trap it cannot be called: the error of that call would replace the trap.
    if (typeof error === "string") source.free();
    throw error;
  }
}

export interface Keep {
  progress(progress: Progress): void;
  /** Frames between two times in s. */
  animate?: readonly [number, number];
  capture?: boolean;
}

export interface Finished {
  readonly document: RunDocument;
  readonly explanation: Explanation[];
  readonly series: SeriesByName;
  columns(): Columns;
  pcap(): Uint8Array;
  film(): unknown;
}

/** Runs a scenario to its end, and gives what `use` makes of the results. */
export function run<T>(checked: Checked, seed: number, keep: Keep, use: (finished: Finished) => T): T {
  const { scenario, description } = checked;
  refuseTooLarge(description);
  const simulation = scenario.run(BigInt(seed));
  if (keep.capture) simulation.capture();
  if (keep.animate) simulation.animate(...keep.animate);
  const cpu_s = advance(simulation, description.duration_s, keep.progress);
  simulation.retakeSamples();
  const curves = curvesOf(simulation);
  addSamples(curves, simulation);
  const results = simulation.finish();
  // Where it throws the worker is replaced, with all that it holds.
  const made = use(finished(results, curves, description, seed, cpu_s));
  results.free();
  scenario.free();
  return made;
}

function refuseTooLarge({ certain_bytes: { total, cause, remedy } }: Description): void {
  if (total > MOST_BYTES) {
    const needed = `${(total / 1e9).toPrecision(2)} GB of memory are needed and a browser's worker has 1`;
    throw new Error(`${needed}: ${cause}; ${remedy}`);
  }
}

function curvesOf(run: wasm.Run): Curves {
  return new Curves(run.flows(), run.links());
}

function addSamples(curves: Curves, run: wasm.Run): void {
  curves.add(run.takeFlowSamples(), run.takeLinkSamples());
}

/** Runs in slices; gives the time that took, in s. */
function advance(run: wasm.Run, duration: number, report: Keep["progress"]): number {
  const curves = curvesOf(run);
  const slices = new Slices(duration);
  let more = true;
  let spent_ms = 0;
  let reported = performance.now();
  while (more) {
    const began = performance.now();
    more = run.advance(slices.until(run.now), slices.limit(run.events));
    const ended = performance.now();
    slices.adapt(ended - began);
    spent_ms += ended - began;
    if (ended - reported > REPORT_MS || !more) {
      addSamples(curves, run);
      report({ time: run.now, duration, series: curves.take() });
      reported = performance.now();
    }
  }
  return spent_ms / 1000;
}

function finished(
  results: wasm.Results,
  curves: Curves,
  description: Description,
  seed: number,
  cpu_s: number,
): Finished {
  const part = JSON.parse(results.json()) as Part;
  const rows = JSON.parse(results.explanation()) as Omit<Explanation, "seed">[];
  return {
    document: document(part, description, seed, wasm.version(), cpu_s),
    explanation: rows.map(({ flow, ...row }) => ({ flow, seed, ...row })),
    series: curves.whole(),
    columns: () => ({ json: results.json(), flows: columns(results.flowSeries()), links: columns(results.linkSeries()) }),
    pcap: () => results.pcap(),
    film: () => JSON.parse(results.animation() ?? "null"),
  };
}

function columns(table: wasm.Columns): Column[] {
  return table.names().map((name, place) => ({
    name, kind: table.kind(place) as Column["kind"], bytes: table.bytes(place), words: table.words(place),
  }));
}
