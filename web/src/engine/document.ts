/** The document of one seed, as `farlink run --json` prints it (python/farlink/runs/run.py). */
import type { Description, RunDocument } from "./types.js";

type Row = Record<string, unknown>;

/** What the engine gives of one seed. */
export interface Part {
  flows: RunDocument["flows"];
  workloads: Row[];
  drops: Record<string, number>;
  drops_by_node: Row[];
  failed_attempts: Record<string, number>;
  ledger: Row[];
  links: Row[];
  stations: Row[];
  airtime: Row[];
  hops: Row[];
  jain: number | null;
  engine: { events: number; sim_s: number };
}

export function document(part: Part, of: Description, seed: number, version: string, cpu_s: number): RunDocument {
  const rows = (rows: Row[], ...keys: string[]): Row[] =>
    rows.map((row) => ({ ...Object.fromEntries(keys.map((key) => [key, row[key]])), seed, ...row }));
  return {
    schema: 2,
    farlink: version,
    scenario: of.name,
    seeds: [seed],
    warnings: of.warnings,
    flows: part.flows,
    workloads: rows(part.workloads, "workload", "class"),
    drops: sorted(part.drops),
    drops_by_node: part.drops_by_node,
    failed_attempts: sorted(part.failed_attempts),
    ledger: part.ledger,
    links: rows(part.links, "link") as RunDocument["links"][number][],
    stations: rows(part.stations, "channel", "node"),
    airtime: rows(part.airtime, "channel", "node"),
    hops: rows(part.hops, "channel", "from", "to"),
    jain: part.jain,
    engine: { events: part.engine.events, cpu_s, sim_s: part.engine.sim_s },
  };
}

function sorted(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
