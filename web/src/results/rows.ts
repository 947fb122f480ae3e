/** The table of results: a row per variant and flow, means over the seeds with their 95 % CI. */

import type { FinishedRun, FlowResult, RunDocument, Summarise, Summary } from "../engine/types.js";
import { boundsOf, END_TO_END, MEASURES, ONLY_OF_SOME, ofKey, STANDARD, type Measured, type MeasureKey } from "./measures.js";
import { formatMean, rateScale, words, type Scale } from "./numbers.js";

/** The key of the flow from which a relay passes on. */
const ORIGIN = "end_to_end_origin";

export interface Row {
  readonly variant: string;
  readonly flow: string;
  readonly seeds: number;
  /** Whether all seeds of the variant gave equal results, so that a mean has no error. */
  readonly isExact: boolean;
  /** Transfers over all seeds, and how many finished; 0 where the application has no end. */
  readonly transfers: number;
  readonly completed: number;
  readonly values: ReadonlyMap<MeasureKey, Summary | null>;
  /** The saturated link or channel, else the limit of the largest share of the flow's time. */
  readonly limit: string;
}

/** Of a flow, or of what the relay at its sender passed on to it from another. */
interface Subject {
  readonly name: string;
  readonly has: (flow: FlowResult) => boolean;
  readonly of: (key: MeasureKey, flow: FlowResult, run: RunDocument) => number | null;
  readonly limit: (flows: readonly FlowResult[]) => string;
}

/** Rows in the order in which variants and flows appear; those of relayed transfers end the rows of a variant. */
export function rowsOf(
  runs: readonly FinishedRun[],
  summarise: Summarise,
  keys: readonly MeasureKey[] = STANDARD,
): Row[] {
  const rows: Row[] = [];
  for (const variant of new Set(runs.map((run) => run.label))) {
    const ofVariant = runs.filter((run) => run.label === variant);
    const isExact = areEqual(ofVariant);
    for (const subject of subjectsOf(ofVariant.flatMap((run) => run.result.flows)))
      rows.push(rowOf(variant, subject, ofVariant, isExact, summarise, keys));
  }
  return rows;
}

function subjectsOf(flows: readonly FlowResult[]): Subject[] {
  const alone = [...new Set(flows.map(({ flow }) => flow))].map((name): Subject => ({
    name,
    has: ({ flow }) => flow === name,
    of: (key, flow, run) => (MEASURES[key] as Measured).of(flow, run),
    limit: dominantLimit,
  }));
  const nameOf = (flow: FlowResult): string | null =>
    flow[ORIGIN] ? `${String(flow[ORIGIN])} to ${flow.flow}, end to end` : null;
  const relayed = new Set(flows.map(nameOf).filter((name) => name !== null));
  return [
    ...alone,
    ...[...relayed].map((name): Subject => ({
      name,
      has: (flow) => nameOf(flow) === name,
      of: (key, flow) => (key in END_TO_END ? ofKey(flow, END_TO_END[key as keyof typeof END_TO_END]) : null),
      limit: () => "-",
    })),
  ];
}

/** Whether several seeds gave equal results of all flows and workloads. */
function areEqual(runs: readonly FinishedRun[]): boolean {
  const ofRun = ({ flows, workloads }: RunDocument) => [...flows, ...workloads].map((row) => ({ ...row, seed: 0 }));
  const found = new Set(runs.map((run) => JSON.stringify(ofRun(run.result))));
  return runs.length > 1 && found.size === 1;
}

function withoutEnds(made: Summary | null): Summary | null {
  return made && { ...made, low: null, high: null, method: "single" };
}

function rowOf(
  variant: string,
  { name, has, of, limit }: Subject,
  runs: readonly FinishedRun[],
  isExact: boolean,
  summarise: Summarise,
  keys: readonly MeasureKey[],
): Row {
  const found = runs.flatMap(({ result }) => result.flows.filter(has).map((flow) => ({ flow, result })));
  const knownOf = (key: MeasureKey): number[] =>
    found.map(({ flow, result }) => of(key, flow, result)).filter((value) => value !== null);
  const values = new Map<MeasureKey, Summary | null>();
  for (const key of keys) {
    const known = knownOf(key);
    const made = known.length ? summarise(known, boundsOf(MEASURES[key])) : null;
    values.set(key, isExact ? withoutEnds(made) : made);
  }
  const flows = found.map(({ flow }) => flow);
  const transfers = flows.filter((flow) => ofKey(flow, "size_bytes") !== null).length;
  const completed = knownOf("completion").length;
  return { variant, flow: name, seeds: found.length, isExact, transfers, completed, values, limit: limit(flows) };
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
  /** The tables below it. */
  readonly workloads?: TextTable;
  readonly airtime?: TextTable;
}

interface Column {
  readonly heading: string;
  readonly cell: (row: Row) => string;
}

/** Cells, with the units in the headings; `first` is the heading of the variants. */
export function asText(rows: readonly Row[], keys: readonly MeasureKey[] = STANDARD, first = "variant"): TextTable {
  const columns = keys.flatMap((key) => columnsOf(key, rows));
  return {
    headings: [first, "flow", ...columns.map(({ heading }) => heading), "dominant limit"],
    rows: rows.map((row) => [row.variant, row.flow, ...columns.map(({ cell }) => cell(row)), row.limit]),
    caption: [caption(rows), ...(keys.includes("completion") ? ofTransfers(rows) : [])].join(" "),
  };
}

/** None where no flow has the measure; how many transfers finished stands beside their time. */
function columnsOf(key: MeasureKey, rows: readonly Row[]): Column[] {
  if (ONLY_OF_SOME.includes(key) && !rows.some((row) => row.values.get(key))) return [];
  // What calls make of it are their late packets; the table has room for one of both.
  if (key === "delayVariation" && rows.every(({ values }) => !values.get("lost") || values.get("late"))) return [];
  const { factor, unit } = scaleOf(key, rows);
  const mean: Column = {
    heading: `${MEASURES[key].heading} ${unit}`.trim(),
    cell: (row) => formatMean(row.values.get(key) ?? null, factor) + countOf(row.values.get(key), row.seeds),
  };
  if (key !== "completion") return [mean];
  if (!rows.some((row) => row.transfers)) return [];
  return [{ heading: "completed", cell: (row) => (row.transfers ? `${row.completed} of ${row.transfers}` : "-") }, mean];
}

/** Of how many seeds a mean is, where some have no value, as in the table of `farlink run`. */
function countOf(made: Summary | null | undefined, seeds: number): string {
  return made && made.count < seeds ? ` (${made.count} of ${seeds})` : "";
}

function scaleOf(key: MeasureKey, rows: readonly Row[]): Scale {
  const unit = MEASURES[key].unit;
  const largest = Math.max(...rows.map((row) => row.values.get(key)?.mean ?? -Infinity));
  if (unit === "rate") return rateScale(Math.max(0, largest));
  if (unit === "s" && largest < 1 && largest > 0) return { factor: 1e-3, unit: "ms" };
  return { factor: { ms: 1e-3, "%": 1e-2, s: 1, "": 1 }[unit], unit };
}

function caption(rows: readonly Row[]): string {
  const counts = rows.map((row) => row.seeds);
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  const seeds = fewest < most ? `${fewest} to ${most} seeds` : `${most} seeds`;
  if (most <= 1) return "One seed; with several, means have intervals.";
  if (rows.every((row) => row.isExact)) return `All ${seeds} gave equal results: nothing random took effect.`;
  const exact = new Set(rows.filter((row) => row.isExact).map((row) => row.variant));
  const equal = exact.size ? ` All seeds gave equal results with ${[...exact].join(", ")}.` : "";
  return `${seeds}; mean ± half-width, or mean [low, high]; 95 % CI: Student's t.${equal}`;
}

/** What a person must know to read the numbers of transfers. */
function ofTransfers(rows: readonly Row[]): string[] {
  const isAny = rows.some(({ completed }) => completed > 0);
  const isPartial = rows.some(({ completed, transfers }) => completed > 0 && completed < transfers);
  return [
    ...(isAny ? ["Goodput is over a flow's time, which ends when its transfer is complete."] : []),
    ...(isPartial ? ["Completion is the mean of the transfers that finished."] : []),
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
