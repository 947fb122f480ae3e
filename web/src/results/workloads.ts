/** The table of workloads, as `farlink run` prints it (python/farlink/runs/workload_table.py). */

import type { FinishedRun, Summarise } from "../engine/types.js";
import { formatMean, words, type Scale } from "./numbers.js";
import type { TextTable } from "./rows.js";

const PERCENTILES = ["p50", "p95", "p99"] as const;
const ALL = "all";

interface WorkloadRow {
  readonly workload: string;
  readonly class: string;
  readonly arrivals: number;
  readonly completed: number;
  readonly [column: string]: unknown;
}

/** A row per variant, workload, and class of sizes in which flows arrived; null where no run has workloads. */
export function workloadsText(runs: readonly FinishedRun[], summarise: Summarise): TextTable | null {
  const ofRun = ({ result }: FinishedRun) => result.workloads as readonly WorkloadRow[];
  if (!runs.some((run) => ofRun(run).length)) return null;
  const scale = scaleOf(runs.flatMap(ofRun));
  const rows = [...groupedBy(runs, (run) => run.label)].flatMap(([variant, ofVariant]) =>
    [...groupedBy(ofVariant.flatMap(ofRun), (row) => JSON.stringify([row.workload, row.class]))]
      .filter(([, found]) => found[0]!.class === ALL || found.some((row) => row.arrivals))
      .map(([, found]) => [variant, ...cellsOf(found, ofVariant.length, scale, summarise)]),
  );
  const isOfSeveral = new Set(runs.map((run) => run.seed)).size > 1;
  return {
    headings: ["variant", "workload", "completed", `completion ${scale.unit} p50`, "p95", "p99", "slowdown p50", "p95", "p99"],
    rows,
    caption:
      "slowdown: completion time over that of the flow alone on an empty path" +
      (isOfSeveral ? "; percentiles of each seed, their mean ± half-width" : ""),
  };
}

function cellsOf(rows: readonly WorkloadRow[], seeds: number, scale: Scale, summarise: Summarise): string[] {
  const { workload, class: ofClass } = rows[0]!;
  const mean = (column: string, factor = 1): string => {
    const known = rows.map((row) => row[column]).filter((value) => typeof value === "number");
    const count = known.length && known.length < seeds ? ` (${known.length} of ${seeds})` : "";
    return formatMean(known.length ? summarise(known) : null, factor) + count;
  };
  const sum = (column: "arrivals" | "completed") => rows.reduce((total, row) => total + row[column], 0);
  return [
    ofClass === ALL ? workload : `${workload} ${words(ofClass)}`,
    `${sum("completed")} of ${sum("arrivals")}`,
    ...PERCENTILES.map((each) => mean(`completion_${each}_s`, scale.factor)),
    ...PERCENTILES.map((each) => mean(`slowdown_${each}`)),
  ];
}

function scaleOf(rows: readonly WorkloadRow[]): Scale {
  const medians = rows.map((row) => row["completion_p50_s"]).filter((value) => typeof value === "number");
  return medians.length && Math.max(...medians) < 1 ? { factor: 1e-3, unit: "ms" } : { factor: 1, unit: "s" };
}

function groupedBy<Each>(all: readonly Each[], keyOf: (each: Each) => string): Map<string, Each[]> {
  const found = new Map<string, Each[]>();
  for (const each of all) found.set(keyOf(each), [...(found.get(keyOf(each)) ?? []), each]);
  return found;
}
