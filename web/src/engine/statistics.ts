/** Means and how sure they are, by the method of python/farlink/statistics.py; tests/python compares the numbers. */
import { studentt } from "./distributions.js";
import type { Summarise, Summary } from "./types.js";

const CONFIDENCE = 0.95;

export const summarise: Summarise = (values, [least, most] = [0, Infinity]) => {
  const made = interval(values);
  if (made === null || made.low === null || made.high === null) return made;
  // A negative value shows that the measure has no least one.
  const low = Math.min(...values) < 0 ? made.low : Math.max(made.low, least);
  return { ...made, low, high: Math.min(made.high, most) };
};

/** Student's t. */
function interval(values: readonly number[]): Summary | null {
  const count = values.length;
  if (count === 0) return null;
  const mean = sum(values) / count;
  if (count === 1) return { mean, low: null, high: null, count, method: "single" };
  const variance = sum(values.map((value) => (value - mean) ** 2)) / (count - 1);
  const half = studentt.inv((1 + CONFIDENCE) / 2, count - 1) * Math.sqrt(variance / count);
  return { mean, low: mean - half, high: mean + half, count, method: "t" };
}

/** Neumaier's compensated sum (ZAMM 54, 1974), close to `math.fsum`. */
function sum(values: readonly number[]): number {
  let total = 0;
  let lost = 0;
  for (const value of values) {
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return total + lost;
}
