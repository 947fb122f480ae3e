/** What the page shows of results as tables: of flows, of workloads, of airtime. */

import type { FinishedRun, Summarise } from "../engine/types.js";
import { airtimeText } from "./airtime.js";
import { asText, rowsOf, type TextTable } from "./rows.js";
import { workloadsText } from "./workloads.js";

/** The table of flows with those of workloads and airtime, if there are any; that of workloads in its place without flows. */
export function resultsText(runs: readonly FinishedRun[], summarise: Summarise): TextTable {
  const rows = rowsOf(runs, summarise);
  const workloads = workloadsText(runs, summarise);
  const airtime = airtimeText(runs, summarise);
  const isAlone = workloads !== null && !rows.length;
  return {
    ...(isAlone ? workloads : asText(rows)),
    ...(workloads && !isAlone ? { workloads } : {}),
    ...(airtime ? { airtime } : {}),
  };
}
