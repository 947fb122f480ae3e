/** Results as files. */

import type { FinishedRun, Measure } from "../engine/types.js";
import type { Variant } from "./experiment.js";
import { h } from "./dom.js";

/** Offers a file to the person. */
export function save(name: string, content: BlobPart, type: string): void {
  const link = h("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The documents of `farlink run --json` of every variant and seed, with what made them. */
export function toJson(toml: string, variants: readonly Variant[], runs: readonly FinishedRun[]): string {
  const made = variants.map(({ label, overrides }) => ({
    label,
    overrides,
    runs: runs.filter((run) => run.label === label).map((run) => run.result),
  }));
  return `${JSON.stringify({ scenario: toml, variants: made }, null, 2)}\n`;
}

/** A row per variant, flow (or class of a workload) and seed; groups by cause are columns such as `drops_queue_full`. */
export function toCsv(runs: readonly FinishedRun[], table: "flows" | "workloads" = "flows"): string {
  const rows = runs.flatMap((run) => run.result[table].map((row) => ({ variant: run.label, ...flattened(row) })));
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => names.map((name) => cell((row as Record<string, unknown>)[name])).join(","));
  return [names.map(cell).join(","), ...lines, ""].join("\n");
}

/** The columns of `farlink run --series` that curves are. */
const COLUMNS: Readonly<Record<Measure, string>> = {
  delivery: "delivered_bytes",
  goodput: "received_bytes",
  cwnd: "cwnd_segments",
  rtt: "rtt_s",
  queue: "queue_packets",
};

/** A row per sample. */
export function seriesCsv(runs: readonly FinishedRun[]): string {
  const lines = ["variant,seed,measure,of,time_s,value"];
  for (const run of runs) {
    for (const { measure, of, t, v } of Object.values(run.series)) {
      const head = [run.label, run.seed, COLUMNS[measure], of].map(cell).join(",");
      for (const [at, time] of t.entries()) lines.push(`${head},${time},${Number.isNaN(v[at]) ? "" : v[at]}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function flattened(flow: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(flow)) {
    if (value !== null && typeof value === "object") {
      for (const [cause, count] of Object.entries(value)) row[`${name}_${cause}`] = count;
    } else row[name] = value;
  }
  return row;
}

/** A text that a spreadsheet would compute gets an apostrophe. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@]/.test(value) ? `'${value}` : value;
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
