/** Numbers as the command line prints them (python/farlink/runs/run_table.py). */

import type { Summary } from "../engine/types.js";

/** Of a mean of equal values, relative to it. */
const ROUNDING = 1e-12;

/** Three digits of a single value; of a mean as many as its interval supports. */
export function formatMean(value: Summary | null, scale = 1): string {
  if (value === null) return "-";
  const mean = value.mean / scale;
  const alone = () => mean.toFixed(Number.isInteger(mean) ? 0 : decimals(mean, 3));
  if (value.low === null || value.high === null) return alone();
  const low = value.low / scale;
  const high = value.high / scale;
  const halfWidth = (high - low) / 2;
  if (halfWidth <= ROUNDING * Math.abs(mean)) return alone();
  const digits = decimals(halfWidth, 2);
  const isSymmetric = isClose(mean - low, high - mean, 1e-6, 1e-9 * Math.abs(mean));
  const written = halfWidth.toFixed(digits);
  if (isSymmetric) return `${mean.toFixed(digits)} ± ${Number(written) ? written : Number(halfWidth.toPrecision(1))}`;
  return `${mean.toFixed(digits)} [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;
}

/** Three digits of a number; what rounds to 0 has no sign. */
export function formatNumber(value: number): string {
  const text = value.toFixed(decimals(value, 3));
  return Number(text) === 0 ? "0" : text;
}

/** How many decimals show so many digits of a number; at most three. */
export function decimals(value: number, significant: number): number {
  if (value === 0) return 0;
  return Math.min(Math.max(significant - 1 - Math.floor(Math.log10(Math.abs(value))), 0), 3);
}

function isClose(one: number, other: number, relative: number, absolute: number): boolean {
  return Math.abs(one - other) <= Math.max(relative * Math.max(Math.abs(one), Math.abs(other)), absolute);
}

export interface Scale {
  readonly factor: number;
  readonly unit: string;
}

/** The unit that suits the largest rate. */
export function rateScale(largest: number): Scale {
  return largest >= 1e6 ? { factor: 1e6, unit: "Mbit/s" } : { factor: 1e3, unit: "kbit/s" };
}

/** A duration in the unit that suits it, three digits. */
export function formatSeconds(seconds: number): string {
  if (seconds >= 60) return `${Math.round(seconds)} s`;
  if (seconds >= 1) return `${Number(seconds.toPrecision(3))} s`;
  return `${Number((seconds * 1e3).toPrecision(3))} ms`;
}

/** `queue_full` as a person reads it. */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}
