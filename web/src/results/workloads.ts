/** The table of workloads, as `farlink run` prints it (python/farlink/runs/workload_table.py). */

import type { FinishedRun, Summarise } from "../engine/types.js";
import { groupedBy } from "./grouped.js";
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
  const isUnfinished = runs.flatMap(ofRun).some((row) => row.class === ALL && row.completed < row.arrivals);
  return {
    headings: ["variant", "workload", "completed", `completion ${scale.unit} p50`, "p95", "p99", "slowdown p50", "p95", "p99"],
    rows,
    caption: [
      "slowdown: completion time over a lower bound of it, the least time on an empty path",
      ...(isOfSeveral ? ["percentiles of each seed, their mean ± half-width"] : []),
      ...(isUnfinished
        ? [
            "a percentile counts unfinished flows as longer than all others, and is - where it is one of them",
            "an earlier `stop` of the workload leaves them time",
          ]
        : []),
    ].join("; "),
  };
}

function cellsOf(rows: readonly WorkloadRow[], seeds: number, scale: Scale, summarise: Summarise): string[] {
  const { workload, class: ofClass } = rows[0]!;
  const mean = (column: string, factor = 1): string => {
    const values = rows.map((row) => valueOf(row, column));
    if (values.includes(Infinity)) return formatMean(null, factor);
    const known = values.filter((value) => value !== null);
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

/** A value of a class of flows; infinite for a percentile that is an unfinished flow's. */
function valueOf(row: WorkloadRow, column: string): number | null {
  const value = row[column];
  if (typeof value === "number") return value;
  const percent = Number(column.match(/_p(\d+)/)![1]);
  const isUnknown = row.completed > 0 && row[column.replace(/_p\d+/, "_mean")] === null;
  return isUnknown || 100 * row.completed >= percent * row.arrivals ? null : Infinity;
}

function scaleOf(rows: readonly WorkloadRow[]): Scale {
  const medians = rows.map((row) => row["completion_p50_s"]).filter((value) => typeof value === "number");
  return medians.length && Math.max(...medians) < 1 ? { factor: 1e-3, unit: "ms" } : { factor: 1, unit: "s" };
}
