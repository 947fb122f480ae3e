/** The samples of all runs while they are made and after they ended. */

import type { Measure, RunResult, Samples, SeriesByName, Slice } from "../../engine/types.js";

/** Samples that arrive in parts. */
class Growing {
  private parts: Samples[] = [];

  add(samples: Samples): void {
    this.parts.push(samples);
  }

  get whole(): Samples {
    if (this.parts.length > 1) {
      const { measure, of } = this.parts[0]!;
      this.parts = [
        { measure, of, t: joined(this.parts.map((part) => part.t)), v: joined(this.parts.map((part) => part.v)) },
      ];
    }
    return this.parts[0]!;
  }
}

export class Recording {
  private readonly runs = new Map<string, Map<string, Growing>>();
  /** Simulated time of the longest run, in s. */
  duration = 0;

  append(slice: Slice): void {
    this.duration = Math.max(this.duration, slice.duration);
    this.add(slice.label, slice.seed, slice.series);
  }

  /** The series of a run that ended have all its samples. */
  finish(run: RunResult): void {
    this.runs.set(keyOf(run.label, run.seed), new Map());
    this.add(run.label, run.seed, run.series);
    const last = Object.values(run.series).map((samples) => samples.t.at(-1) ?? 0);
    this.duration = Math.max(this.duration, ...last);
  }

  samples(label: string, seed: number, measure: Measure): Samples[] {
    const series = this.runs.get(keyOf(label, seed));
    return [...(series?.values() ?? [])].map((each) => each.whole).filter((each) => each.measure === measure);
  }

  private add(label: string, seed: number, series: SeriesByName): void {
    const key = keyOf(label, seed);
    const run = this.runs.get(key) ?? new Map<string, Growing>();
    this.runs.set(key, run);
    for (const [name, samples] of Object.entries(series)) {
      const growing = run.get(name) ?? new Growing();
      growing.add(samples);
      run.set(name, growing);
    }
  }
}

function keyOf(label: string, seed: number): string {
  return `${seed} ${label}`;
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
