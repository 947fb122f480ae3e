/** What a table of results may have as columns; each measure has one value per flow and seed. */

import type { Bounds, FlowResult, RunDocument } from "../engine/types.js";

/** `rate` takes the unit that suits the column. */
export type Unit = "rate" | "ms" | "s" | "%" | "";

export interface Measured {
  readonly heading: string;
  readonly unit: Unit;
  /** Those of its values, if not from 0 on; shares end at 1. */
  readonly bounds?: Bounds;
  /** In SI units (shares as 0 to 1); null where the flow has no such value. */
  readonly of: (flow: FlowResult, run: RunDocument) => number | null;
}

export const MEASURES = {
  goodput: { heading: "goodput", unit: "rate", of: (flow) => flow.goodput_bps },
  delay: { heading: "delay", unit: "ms", of: (flow) => flow.delay_mean_s },
  lost: { heading: "lost", unit: "%", of: (flow) => ofKey(flow, "loss_rate") },
  delayVariation: { heading: "delay variation", unit: "ms", of: (flow) => ofKey(flow, "delay_variation_mean_s") },
  late: { heading: "late", unit: "%", of: (flow) => ofKey(flow, "late_rate") },
  mouthToEar: { heading: "mouth to ear", unit: "ms", of: (flow) => ofKey(flow, "mouth_to_ear_s") },
  mos: { heading: "MOS", unit: "", bounds: [1, 4.5], of: (flow) => ofKey(flow, "mos") },
  retransmitted: { heading: "retransmitted", unit: "", of: (flow) => flow.packets_retransmitted },
  dropped: { heading: "dropped", unit: "", of: (flow) => sum(flow.drops) },
  rtt: { heading: "mean RTT", unit: "ms", of: (flow) => flow.rtt_mean_s },
  timeouts: { heading: "timeouts", unit: "", of: (flow) => flow.timeouts },
  fastRetransmits: { heading: "fast recoveries", unit: "", of: (flow) => flow.fast_retransmits },
  completion: { heading: "completion", unit: "s", of: (flow) => ofKey(flow, "completion_s") },
  delivery: { heading: "delivered", unit: "%", of: (flow) => ofKey(flow, "delivery_ratio") },
  failedAttempts: { heading: "failed attempts", unit: "", of: (flow) => sum(flow["failed_attempts"]) },
  frozen: { heading: "frozen", unit: "%", of: (flow) => flow.limited_by?.["frozen"] ?? null },
  inTimeout: { heading: "in timeout", unit: "%", of: (flow) => flow.limited_by?.["timeout"] ?? null },
  busiest: { heading: "busiest link", unit: "%", of: (_, run) => largest(run.links.map((link) => link.utilisation)) },
  longestQueue: {
    heading: "mean queue, packets",
    unit: "",
    of: (_, run) => largest(run.links.map((link) => numberOrNull(link["queue_mean_packets"]))),
  },
} satisfies Record<string, Measured>;

export type MeasureKey = keyof typeof MEASURES;

/** The bounds of its intervals. */
export function boundsOf({ unit, bounds }: Measured): Bounds {
  return bounds ?? [0, unit === "%" ? 1 : Infinity];
}

/** The columns of the command line's table; those of datagrams, calls and transfers appear only where a flow has them. */
export const STANDARD: readonly MeasureKey[] = [
  "goodput",
  "delay",
  "lost",
  "delayVariation",
  "late",
  "mouthToEar",
  "mos",
  "completion",
  "retransmitted",
  "dropped",
];
export const ONLY_OF_SOME: readonly MeasureKey[] = ["lost", "delayVariation", "late", "mouthToEar", "mos"];
/** What is known of a transfer that crosses several connections: keys of the flow of its last connection. */
export const END_TO_END = {
  goodput: "end_to_end_goodput_bps",
  delay: "end_to_end_delay_mean_s",
  completion: "end_to_end_completion_s",
} satisfies Partial<Record<MeasureKey, string>>;

export function ofKey(flow: FlowResult, key: string): number | null {
  return numberOrNull(flow[key]);
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

function sum(counts: unknown): number {
  return Object.values((counts ?? {}) as Record<string, number>).reduce((total, count) => total + count, 0);
}

function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length ? Math.max(...known) : null;
}
