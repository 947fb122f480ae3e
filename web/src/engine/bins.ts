/** Rates over time in bins, by the engine: figures of the command line have the same bins and values. */
import init, { binEdges, binnedRate } from "../../build/farlink_web.js";
import { compiled } from "./crew.js";
import type { Samples } from "./types.js";

export interface Bins {
  readonly edges: Float64Array;
  /** Of each bin, in s. */
  readonly width: number;
}

/** Loads the engine into this thread; bins can then be made without waiting. */
export async function openBins(): Promise<void> {
  await init({ module_or_path: await compiled() });
}

/** At most `most` bins of equal width between two times in s; none is narrower than the time between samples. */
export function binsOf([from, to]: readonly [number, number], sample_s: number, most: number): Bins {
  const samples = sample_s > 0 ? Math.floor((to - from) / sample_s + 1e-9) + 1 : 2;
  const edges = binEdges(from, to, samples, most + 1);
  return { edges, width: edges[1]! - edges[0]! };
}

/** The mean rate of each bin in bit/s, from bytes received so far. */
export function rateOf({ edges }: Bins, { t, v }: Pick<Samples, "t" | "v">): Float64Array {
  return binnedRate(edges, t, v.map((bytes) => 8 * bytes));
}
