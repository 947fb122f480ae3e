/** Curves on common instants, as a chart needs them; the number of instants bounds the time of drawing. */

import type { Measure, Samples } from "../../engine/types.js";

export type Values = (number | null)[];

/** Instants from `from` to `to`, both included. */
export function instants(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, place) => from + ((to - from) * place) / (count - 1));
}

/**
 * A value for each instant: of the samples since the previous instant the last, or the largest of a measure with short
 * peaks. Without a new sample the value stays; it ends with the last sample.
 */
export function onGrid(samples: Samples, times: readonly number[], scale: number): Values {
  const keepsPeaks: readonly Measure[] = ["queue", "rtt"];
  const isPeaked = keepsPeaks.includes(samples.measure);
  const { t, v } = samples;
  const end = t.at(-1) ?? -Infinity;
  let at = 0;
  let last: number | null = null;
  return times.map((time, place) => {
    let peak: number | null = null;
    const isFirst = place === 0;
    for (; at < t.length && t[at]! <= time; at += 1) {
      const value = v[at]!;
      last = Number.isNaN(value) ? null : value / scale;
      if (last !== null) peak = peak === null ? last : Math.max(peak, last);
    }
    if (time > end + 1e-9) return null;
    // What was before the first instant is not shown.
    return isPeaked && !isFirst ? (peak ?? last) : last;
  });
}

/** How many means of the goodput a chart shows side by side. */
const MEANS = 40;

/** Over which time a chart averages a measure, in s; 0: not at all. Goodput arrives in leaps. */
export function averagedOver(measure: Measure, [from, to]: readonly [number, number]): number {
  return measure === "goodput" ? (to - from) / MEANS : 0;
}

/** The mean of the samples within a time before each instant, in s. */
export function movingMean(samples: Samples, over: number): Samples {
  if (over <= 0) return samples;
  const { t, v } = samples;
  const means = new Float64Array(v.length);
  let total = 0;
  let first = 0;
  for (let at = 0; at < v.length; at += 1) {
    total += v[at]!;
    for (; t[first]! <= t[at]! - over && first < at; first += 1) total -= v[first]!;
    means[at] = total / (at - first + 1);
  }
  return { ...samples, v: means };
}

/** The value at an instant, or null. */
export function valueAt(samples: Samples, time: number): number | null {
  return onGrid(samples, [time], 1)[0] ?? null;
}

/** The mean of the values that are defined. */
export function meanOf(samples: Samples): number {
  let total = 0;
  let count = 0;
  for (const value of samples.v) {
    if (Number.isNaN(value)) continue;
    total += value;
    count += 1;
  }
  return count ? total / count : 0;
}
