/**
 * The BCa bootstrap of a mean as `scipy.stats.bootstrap` makes it from `numpy.random.default_rng(1)`, so that the
 * interval is that of the command line: B. Efron, "Better bootstrap confidence intervals", JASA 82 (397), 1987.
 */
import { normal } from "./distributions.js";

const RESAMPLES = 9999;

export function bootstrapInterval(values: readonly number[], confidence: number): [number, number] {
  const count = values.length;
  const mean = meanOf(values);
  const drawn = drawsOf(count);
  const sample = new Float64Array(count);
  const means = Float64Array.from({ length: RESAMPLES }, (_, resample) => {
    for (let i = 0; i < count; i += 1) sample[i] = values[drawn[resample * count + i]!]!;
    return meanOf(sample);
  }).sort();
  let below = 0;
  for (const each of means) below += (each < mean ? 1 : 0) + (each <= mean ? 1 : 0);
  const bias = normal.inv(below / (2 * RESAMPLES), 0, 1);
  const acceleration = accelerationOf(values);
  const end = (alpha: number) => {
    const shifted = bias + normal.inv(alpha, 0, 1);
    return quantile(means, normal.cdf(bias + shifted / (1 - acceleration * shifted), 0, 1));
  };
  const alpha = (1 - confidence) / 2;
  return [end(alpha), end(1 - alpha)];
}

/** From the means that leave out one value. */
function accelerationOf(values: readonly number[]): number {
  const count = values.length;
  const total = meanOf(values) * count;
  const left = values.map((value) => (total - value) / (count - 1));
  const centre = meanOf(left);
  const parts = left.map((each) => (count - 1) * (centre - each));
  const cubes = parts.reduce((sum, part) => sum + part ** 3, 0) / count ** 3;
  const squares = parts.reduce((sum, part) => sum + part ** 2, 0) / count ** 2;
  return cubes / (6 * squares ** 1.5);
}

function meanOf(values: ArrayLike<number>): number {
  return pairwiseSum(values, 0, values.length) / values.length;
}

/**
 * Sums in the order of NumPy, after N. J. Higham, "The accuracy of floating point summation", SIAM J. Sci. Comput. 14
 * (4), 1993: how a sum is rounded decides whether a resample with all of the values counts as below their mean.
 */
function pairwiseSum(values: ArrayLike<number>, from: number, count: number): number {
  if (count > 128) {
    const half = 8 * Math.floor(count / 16);
    return pairwiseSum(values, from, half) + pairwiseSum(values, from + half, count - half);
  }
  const whole = count - (count % 8);
  // Eight sums side by side, in variables: arrays made for each of 9999 resamples would stop the page's frames.
  let [a, b, c, d, e, f, g, h] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let i = from; i < from + whole; i += 8) {
    a += values[i]!;
    b += values[i + 1]!;
    c += values[i + 2]!;
    d += values[i + 3]!;
    e += values[i + 4]!;
    f += values[i + 5]!;
    g += values[i + 6]!;
    h += values[i + 7]!;
  }
  let sum = a + b + (c + d) + (e + f + (g + h));
  for (let i = whole; i < count; i += 1) sum += values[from + i]!;
  return sum;
}

/** Between two values linearly. */
function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below]! + (place - below) * (sorted[above]! - sorted[below]!);
}

/** The draws for samples of a size: they do not depend on the values. */
const known = new Map<number, Uint32Array>();

function drawsOf(count: number): Uint32Array {
  let draws = known.get(count);
  if (draws === undefined) {
    const random = new Bounded();
    draws = Uint32Array.from({ length: RESAMPLES * count }, () => random.below(count));
    known.set(count, draws);
  }
  return draws;
}

/** What the generator gave so far: samples of each size draw from its beginning. */
const stream: number[] = [];

/** Numbers below a bound, each from the beginning of the stream. */
class Bounded {
  private place = 0;

  /** D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (1), 2019. */
  below(bound: number): number {
    const threshold = 2 ** 32 % bound;
    for (;;) {
      // At most 2^53: bounds are numbers of runs.
      const product = this.next32() * bound;
      if (product % 2 ** 32 >= threshold) return Math.floor(product / 2 ** 32);
    }
  }

  private next32(): number {
    while (this.place >= stream.length) stream.push(generator.next32());
    return stream[this.place++]!;
  }
}

/**
 * PCG64 (M. O'Neill, HMC-CS-2014-0905) in the state of `default_rng(1)`. Numbers of 128 bits are eight parts of 16, the
 * lowest first: with BigInt the draws for one size of sample would take longer than a frame of the page may.
 */
class Random {
  private static readonly MULTIPLIER = partsOf(0x2360ed051fc65da44385df649fccf645n);
  private static readonly INCREMENT = partsOf(0x922af2da2645f895a19857b95740937bn);
  private state = partsOf(0x9c5b484bfedb756c2a6e7d6f320fbc7en);
  private next = new Uint16Array(8);
  /** The upper half of the last number. */
  private half: number | undefined;

  next32(): number {
    if (this.half !== undefined) {
      const { half } = this;
      this.half = undefined;
      return half;
    }
    this.advance();
    const { state } = this;
    const part = (place: number) => state[place]! ^ state[place + 4]!;
    const word = (place: number) => part(place) + 65536 * part(place + 1);
    const turn = state[7]! >> 10;
    const [low, high] = turn < 32 ? [word(0), word(2)] : [word(2), word(0)];
    this.half = turned(high, low, turn % 32);
    return turned(low, high, turn % 32);
  }

  /** State times multiplier plus increment, modulo 2^128. */
  private advance(): void {
    const { state, next } = this;
    let carry = 0;
    for (let place = 0; place < 8; place += 1) {
      let sum = carry + Random.INCREMENT[place]!;
      for (let part = 0; part <= place; part += 1) sum += state[part]! * Random.MULTIPLIER[place - part]!;
      next[place] = sum % 65536;
      carry = Math.floor(sum / 65536);
    }
    [this.state, this.next] = [next, state];
  }
}

const generator = new Random();

function partsOf(number: bigint): Uint16Array<ArrayBuffer> {
  return Uint16Array.from({ length: 8 }, (_, place) => Number((number >> BigInt(16 * place)) & 0xffffn));
}

/** The lower half of two words after a rotation to the right by less than 32. */
function turned(low: number, high: number, turn: number): number {
  return turn === 0 ? low : ((low >>> turn) | (high << (32 - turn))) >>> 0;
}
