/** The table of airtime, as `farlink run` prints it (python/farlink/runs/run_table.py). */

import type { FinishedRun, Summarise } from "../engine/types.js";
import { groupedBy } from "./grouped.js";
import { formatMean } from "./numbers.js";
import type { TextTable } from "./rows.js";

/** Stations, each with a row; and how many of more of them have one. */
const MOST_STATIONS = 12;
const BUSIEST = 5;
const PERCENT = 1e-2;
const SHARES = ["busy_share", "transmitting_share"] as const;

interface AirtimeRow {
  readonly channel: string;
  readonly node: string;
  readonly busy_share: number;
  readonly transmitting_share: number;
}

/** A row per variant and station, the busiest first; null where no run has a shared channel. */
export function airtimeText(runs: readonly FinishedRun[], summarise: Summarise): TextTable | null {
  const ofRun = ({ result }: FinishedRun) => withStations(result.airtime as unknown as readonly AirtimeRow[]);
  const variants = [...groupedBy(runs, (run) => run.label)].map(([variant, ofVariant]) => {
    const stations = [...groupedBy(ofVariant.flatMap(ofRun), ({ station }) => station)];
    return { variant, stations: stations.sort(([, one], [, other]) => byAirtime(one, other)) };
  });
  const most = Math.max(...variants.map(({ stations }) => stations.length));
  if (most <= 0) return null;
  const rest = most > MOST_STATIONS ? `; the ${BUSIEST} busiest of ${most} stations: the saved JSON has all` : "";
  return {
    headings: ["variant", "station", "medium busy %", "transmitting %"],
    rows: variants.flatMap(({ variant, stations }) =>
      stations.slice(0, stations.length > MOST_STATIONS ? BUSIEST : MOST_STATIONS).map(([station, rows]) => {
        const mean = (share: (typeof SHARES)[number]) => summarise(rows.map((row) => row[share]), [0, 1]);
        return [variant, station, ...SHARES.map((share) => formatMean(mean(share), PERCENT))];
      }),
    ),
    caption: `busy: the station transmits or senses a transmission, % of the run${rest}`,
  };
}

/** The rows of a run with the names of stations: the node, or CHANNEL.NODE of one on several channels. */
function withStations(rows: readonly AirtimeRow[]): (AirtimeRow & { readonly station: string })[] {
  const counts = groupedBy(rows, ({ node }) => node);
  return rows.map((row) => ({
    ...row,
    station: counts.get(row.node)!.length > 1 ? `${row.channel}.${row.node}` : row.node,
  }));
}

/** Where all hear each other the medium is equally busy; the one that transmits most comes first there. */
function byAirtime(one: readonly AirtimeRow[], other: readonly AirtimeRow[]): number {
  const busy = (rows: readonly AirtimeRow[]) => Number(mean(rows.map((row) => row.busy_share)).toFixed(3));
  const transmitting = (rows: readonly AirtimeRow[]) => mean(rows.map((row) => row.transmitting_share));
  return busy(other) - busy(one) || transmitting(other) - transmitting(one);
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
