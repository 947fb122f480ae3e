/** The samples of all runs while they are made and after they ended. */

import { joined } from "../../engine/curves.js";
import type { Measure, RunResult, Samples, SeriesByName, Slice } from "../../engine/types.js";

export class Recording {
  /** The series of each run, in parts as they arrive. */
  private readonly runs = new Map<string, SeriesByName[]>();
  /** Simulated time of the longest run, in s. */
  duration = 0;

  append({ label, seed, duration, series }: Slice): void {
    this.duration = Math.max(this.duration, duration);
    this.runs.set(keyOf(label, seed), [...this.parts(label, seed), series]);
  }

  /** The series of a run that ended have all its samples. */
  finish({ label, seed, series }: RunResult): void {
    this.runs.set(keyOf(label, seed), [series]);
    this.duration = Math.max(this.duration, ...Object.values(series).map(({ t }) => t.at(-1) ?? 0));
  }

  samples(label: string, seed: number, measure: Measure): Samples[] {
    const parts = this.parts(label, seed);
    const whole = parts.length > 1 ? joined(parts) : (parts[0] ?? {});
    if (parts.length > 1) this.runs.set(keyOf(label, seed), [whole]);
    return Object.values(whole).filter((each) => each.measure === measure);
  }

  private parts(label: string, seed: number): readonly SeriesByName[] {
    return this.runs.get(keyOf(label, seed)) ?? [];
  }
}

function keyOf(label: string, seed: number): string {
  return `${seed} ${label}`;
}
