/**
 * The Shapiro-Wilk test as `scipy.stats.shapiro` has it: P. Royston, "Remark AS R94: A remark on algorithm AS 181: The
 * W-test for normality", Applied Statistics 44 (4), 1995.
 */
import { normal } from "./distributions.js";

/** Below this p values do not count as normal. */
const NORMALITY = 0.05;
/** With fewer values the test tells nothing. */
const FEWEST_TO_TEST = 8;

/** Coefficients of the paper's polynomials, constants first; the names are those of its listing. */
const C1 = [0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056];
const C2 = [0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633];
const C3 = [0.544, -0.39978, 0.025054, -6.714e-4];
const C4 = [1.3822, -0.77857, 0.062767, -0.0020322];
const C5 = [-1.5861, -0.31082, -0.083751, 0.0038915];
const C6 = [-0.4803, -0.082676, 0.0030302];
const G = [-2.273, 0.459];
/** Up to so many values the distribution of W is transformed in another way. */
const SMALL = 11;

export function isNormal(values: readonly number[]): boolean {
  return values.length < FEWEST_TO_TEST || shapiro(values) >= NORMALITY;
}

/** The p of the hypothesis that the values are normal; of more than five values that are not all equal. */
export function shapiro(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const weights = weightsOf(sorted.length);
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  const spread = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const line = weights.reduce((sum, weight, i) => sum + weight * (sorted.at(-1 - i)! - sorted[i]!), 0);
  return significance(1 - line ** 2 / spread, sorted.length);
}

/** The weights of the differences between the i-th largest and the i-th smallest value. */
function weightsOf(count: number): number[] {
  const half = Math.floor(count / 2);
  const scores = Array.from({ length: half }, (_, i) => -normal.inv((i + 1 - 0.375) / (count + 0.25), 0, 1));
  const squares = 2 * scores.reduce((sum, score) => sum + score ** 2, 0);
  const root = 1 / Math.sqrt(count);
  const first = polynomial(C1, root) + scores[0]! / Math.sqrt(squares);
  const second = polynomial(C2, root) + scores[1]! / Math.sqrt(squares);
  const rest = squares - 2 * scores[0]! ** 2 - 2 * scores[1]! ** 2;
  const factor = Math.sqrt(rest / (1 - 2 * first ** 2 - 2 * second ** 2));
  return [first, second, ...scores.slice(2).map((score) => score / factor)];
}

/** The p of 1 - W. */
function significance(complement: number, count: number): number {
  let y = Math.log(complement);
  const size = count <= SMALL ? count : Math.log(count);
  if (count <= SMALL) {
    const gamma = polynomial(G, count);
    if (y >= gamma) return 0;
    y = -Math.log(gamma - y);
  }
  const [mean, deviation] = count <= SMALL ? [C3, C4] : [C5, C6];
  return 1 - normal.cdf(y, polynomial(mean, size), Math.exp(polynomial(deviation, size)));
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0);
}
