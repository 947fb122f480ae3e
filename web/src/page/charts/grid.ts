/** Curves on common instants, as a chart needs them; the number of instants bounds the time of drawing. */

import { binsOf, rateOf } from "../../engine/bins.js";
import type { Measure, Rate, Samples } from "../../engine/types.js";

export type Values = (number | null)[];

/** What a chart draws: the values of each curve at common instants. */
export interface Grid {
  readonly times: readonly number[];
  readonly values: readonly Values[];
  /** Over which time each value is a mean, in s; 0: over none. */
  readonly averaged_s: number;
}

const POINTS = 700;
/** As in figures of the command line (python/farlink/drawing/time_series.py). */
const MOST_BINS = 100;

export function isRate(measure: Measure): measure is Rate {
  return measure === "delivery" || measure === "goodput";
}

/** The curves of a measure between two times, in the measure's own unit. */
export function gridOf(measure: Measure, curves: readonly Samples[], span: readonly [number, number]): Grid {
  if (isRate(measure)) return ratesOf(curves, span);
  const times = instants(...span, POINTS);
  return { times, values: curves.map((samples) => onGrid(samples, times)), averaged_s: 0 };
}

/** A bin that the samples do not reach yet has no value. */
function ratesOf(curves: readonly Samples[], span: readonly [number, number]): Grid {
  const sample_s = Math.max(...curves.map(sampleTime));
  const bins = binsOf(span, sample_s, MOST_BINS);
  const values = curves.map((samples) => {
    const reached = (samples.t.at(-1) ?? -Infinity) + sample_s * (1 + 1e-6);
    return Array.from(rateOf(bins, samples), (rate, place) => (bins.edges[place + 1]! <= reached ? rate : null));
  });
  const times = Array.from(bins.edges.subarray(1), (end) => end - bins.width / 2);
  return { times, values, averaged_s: bins.width };
}

function sampleTime({ t }: Samples): number {
  return t.length > 1 ? (t.at(-1)! - t[0]!) / (t.length - 1) : 0;
}

/** Instants from `from` to `to`, both included. */
export function instants(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, place) => from + ((to - from) * place) / (count - 1));
}

/**
 * A value for each instant: of the samples since the previous instant the last, or the largest of a measure with short
 * peaks. Without a new sample the value stays; it ends with the last sample.
 */
export function onGrid(samples: Samples, times: readonly number[]): Values {
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
      last = Number.isNaN(value) ? null : value;
      if (last !== null) peak = peak === null ? last : Math.max(peak, last);
    }
    if (time > end + 1e-9) return null;
    // What was before the first instant is not shown.
    return isPeaked && !isFirst ? (peak ?? last) : last;
  });
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
