/** What the page shows of results as tables: of flows, of workloads, or of both. */

import type { FinishedRun, Summarise } from "../engine/types.js";
import { asText, rowsOf, type TextTable } from "./rows.js";
import { workloadsText } from "./workloads.js";

/** The table of flows with that of workloads, if there are any; that of workloads in its place where no flow is. */
export function resultsText(runs: readonly FinishedRun[], summarise: Summarise): TextTable {
  const rows = rowsOf(runs, summarise);
  const workloads = workloadsText(runs, summarise);
  if (workloads && !rows.length) return workloads;
  return workloads ? { ...asText(rows), workloads } : asText(rows);
}
