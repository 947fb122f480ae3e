/** The table of results: a row per variant and flow, means over the seeds with their 95 % CI. */

import type { FinishedRun, FlowResult, Summarise, Summary } from "../engine/types.js";
import { MEASURES, OF_DATAGRAMS, STANDARD, type Measured, type MeasureKey } from "./measures.js";
import { formatMean, rateScale, words, type Scale } from "./numbers.js";

export interface Row {
  readonly variant: string;
  readonly flow: string;
  readonly seeds: number;
  /** Whether all seeds of the variant gave equal results, so that a mean has no error. */
  readonly isExact: boolean;
  readonly values: ReadonlyMap<MeasureKey, Summary | null>;
  /** The saturated link or channel, else the limit of the largest share of the flow's time. */
  readonly limit: string;
}

/** Rows in the order in which variants and flows appear. */
export function rowsOf(
  runs: readonly FinishedRun[],
  summarise: Summarise,
  keys: readonly MeasureKey[] = STANDARD,
): Row[] {
  const rows: Row[] = [];
  for (const variant of new Set(runs.map((run) => run.label))) {
    const ofVariant = runs.filter((run) => run.label === variant);
    const isExact = areEqual(ofVariant);
    for (const flow of new Set(ofVariant.flatMap((run) => run.result.flows.map((each) => each.flow)))) {
      rows.push(rowOf(variant, flow, ofVariant, isExact, summarise, keys));
    }
  }
  return rows;
}

/** Whether several seeds gave equal results of all flows. */
function areEqual(runs: readonly FinishedRun[]): boolean {
  const found = new Set(runs.map((run) => JSON.stringify(run.result.flows.map((flow) => ({ ...flow, seed: 0 })))));
  return runs.length > 1 && found.size === 1;
}

function withoutEnds(made: Summary | null): Summary | null {
  return made && { ...made, low: null, high: null, method: "single" };
}

function rowOf(
  variant: string,
  flow: string,
  runs: readonly FinishedRun[],
  isExact: boolean,
  summarise: Summarise,
  keys: readonly MeasureKey[],
): Row {
  const found = runs.flatMap((run) =>
    run.result.flows.filter((each) => each.flow === flow).map((each) => ({ each, run })),
  );
  const values = new Map<MeasureKey, Summary | null>();
  for (const key of keys) {
    const measure: Measured = MEASURES[key];
    const known = found.map(({ each, run }) => measure.of(each, run.result)).filter((value) => value !== null);
    const made = known.length ? summarise(known) : null;
    values.set(key, isExact ? withoutEnds(made) : made);
  }
  return { variant, flow, seeds: found.length, isExact, values, limit: dominantLimit(found.map(({ each }) => each)) };
}

function dominantLimit(flows: readonly FlowResult[]): string {
  const saturated = bottleneck(flows);
  if (saturated) return `${saturated.link} ${percent(saturated.share)} busy`;
  const shares = new Map<string, number>();
  for (const flow of flows) {
    for (const [cause, share] of Object.entries(flow.limited_by ?? {})) {
      shares.set(cause, (shares.get(cause) ?? 0) + share / flows.length);
    }
  }
  const [cause, share] = [...shares].reduce((top, each) => (each[1] > top[1] ? each : top), ["", 0]);
  return share > 0 ? `${words(cause)} ${percent(share)}` : "-";
}

/** What was saturated with most seeds. */
function bottleneck(flows: readonly FlowResult[]): { link: string; share: number } | null {
  const found = new Map<string, number[]>();
  for (const flow of flows) {
    if (flow.bottleneck === null) continue;
    found.set(flow.bottleneck, [...(found.get(flow.bottleneck) ?? []), flow.bottleneck_utilisation ?? 0]);
  }
  const ranked = [...found].map(([link, busy]) => ({ link, count: busy.length, share: mean(busy) }));
  ranked.sort((one, other) => other.count - one.count || other.share - one.share);
  const top = ranked[0];
  return top && 2 * top.count > flows.length ? top : null;
}

/** A table as text: what is shown, copied and shared. */
export interface TextTable {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How the intervals were computed. */
  readonly caption: string;
}

/** Cells, with the units in the headings; `first` is the heading of the variants. */
export function asText(rows: readonly Row[], keys: readonly MeasureKey[] = STANDARD, first = "variant"): TextTable {
  const shown = keys.filter((key) => !OF_DATAGRAMS.includes(key) || rows.some((row) => row.values.get(key)));
  const scales = shown.map((key) => scaleOf(key, rows));
  const headings = shown.map((key, place) => `${MEASURES[key].heading} ${scales[place]!.unit}`.trim());
  return {
    headings: [first, "flow", ...headings, "dominant limit"],
    rows: rows.map((row) => [
      row.variant,
      row.flow,
      ...shown.map((key, place) => formatMean(row.values.get(key) ?? null, scales[place]!.factor)),
      row.limit,
    ]),
    caption: caption(rows),
  };
}

function scaleOf(key: MeasureKey, rows: readonly Row[]): Scale {
  const unit = MEASURES[key].unit;
  if (unit === "rate") return rateScale(Math.max(0, ...rows.map((row) => row.values.get(key)?.mean ?? 0)));
  return { factor: { ms: 1e-3, "%": 1e-2, s: 1, "": 1 }[unit], unit };
}

function caption(rows: readonly Row[]): string {
  const seeds = Math.max(0, ...rows.map((row) => row.seeds));
  if (seeds <= 1) return "One seed; with several, means have intervals.";
  if (rows.every((row) => row.isExact)) return `All ${seeds} seeds gave equal results: nothing random took effect.`;
  const exact = new Set(rows.filter((row) => row.isExact).map((row) => row.variant));
  const equal = exact.size ? ` All seeds gave equal results with ${[...exact].join(", ")}.` : "";
  return `${seeds} seeds; mean ± half-width, or mean [low, high]; 95 % CI: Student's t.${equal}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
