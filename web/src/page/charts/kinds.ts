/** What each chart shows, with the unit that suits its values. */

import type { Measure } from "../../engine/types.js";
import { isRate } from "./grid.js";
import { rateScale, type Scale } from "../../results/numbers.js";

export const TITLES: Readonly<Record<Measure, string>> = {
  delivery: "Delivery rate",
  goodput: "Goodput",
  cwnd: "Congestion window",
  rtt: "RTT",
  queue: "Queue",
};

export function scaleFor(measure: Measure, largest: number): Scale {
  if (isRate(measure)) return rateScale(largest);
  if (measure === "rtt") return largest >= 2 ? { factor: 1, unit: "s" } : { factor: 1e-3, unit: "ms" };
  return { factor: 1, unit: measure === "cwnd" ? "segments" : "packets" };
}
