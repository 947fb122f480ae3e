/** What a lesson is made of. Every sentence that states a result is a claim, which carries its own test. */

import type { FinishedRun, Measure, Overrides, Samples, Summary } from "../engine/types.js";
import type { MeasureKey } from "../results/measures.js";
import type { Row } from "../results/rows.js";

export interface Lesson {
  /** In the address of its page. */
  readonly id: string;
  readonly title: string;
  readonly question: string;
  /** Definitions and mechanisms, with their source; no results. */
  readonly background: readonly string[];
  readonly toml: string;
  readonly seeds: readonly number[];
  readonly control: Control;
  /** The columns of its table. */
  readonly columns: readonly MeasureKey[];
  readonly charts: readonly Measure[];
  /** The simulated time that charts show first, in s; the whole run if left out. */
  readonly span?: readonly [number, number];
  /** The part of the run that is played, in s: of the first seed, within half a minute. */
  readonly film: readonly [number, number];
  readonly prediction: Prediction;
  /** What to predict and to compare while the control is moved. */
  readonly observe: readonly string[];
  readonly claims: readonly Claim[];
  /** What to change next in the laboratory. */
  readonly further: string;
}

/** A number that is asked for before it is measured. */
export interface Prediction {
  readonly question: string;
  readonly unit: string;
  /** In that unit. */
  readonly of: (results: Results) => number;
  /** A time since the beginning of the run: a ratio of two has no meaning. */
  readonly isInstant?: boolean;
}

export interface Control {
  readonly label: string;
  readonly settings: readonly Setting[];
  /** The label of the setting that is run first. */
  readonly initial: string;
}

export interface Setting {
  readonly label: string;
  readonly overrides: Overrides;
}

/** A sentence on the results of all settings, and whether it is true of them. */
export interface Claim {
  readonly text: string;
  readonly holds: (results: Results) => boolean;
}

/** The numbers of the page, by the label of a setting. */
export class Results {
  constructor(
    readonly rows: readonly Row[],
    readonly runs: readonly FinishedRun[],
  ) {}

  /** The mean with its interval; of the first flow unless another is named. */
  summary(setting: string, key: MeasureKey, flow?: string): Summary {
    const row = this.rows.find((each) => each.variant === setting && (flow === undefined || each.flow === flow));
    const found = row?.values.get(key);
    if (!found) throw new Error(`no ${key} of ${flow ?? "a flow"} with ${setting}`);
    return found;
  }

  mean(setting: string, key: MeasureKey, flow?: string): number {
    return this.summary(setting, key, flow).mean;
  }

  /** Whether the whole interval of one setting is above that of another. */
  isAbove(one: string, other: string, key: MeasureKey, flow?: string): boolean {
    const [high, low] = [this.summary(one, key, flow), this.summary(other, key, flow)];
    return (high.low ?? high.mean) > (low.high ?? low.mean);
  }

  /** What the chart shows for the first seed; of the first curve of the measure unless one is named. */
  samples(setting: string, measure: Measure, of?: string): Samples {
    const run = this.runs.find((each) => each.label === setting);
    const found = Object.values(run?.series ?? {}).find(
      (each) => each.measure === measure && (of === undefined || each.of === of),
    );
    if (!found) throw new Error(`no ${measure} of ${of ?? "a flow"} with ${setting}`);
    return found;
  }
}

/** Whether two values differ by at most a share of the second. */
export function isNear(value: number, expected: number, share: number): boolean {
  return Math.abs(value - expected) <= share * Math.abs(expected);
}

/** Whether a value is the number of a sentence when it is rounded to the digits printed there. */
export function isPrinted(value: number, text: string): boolean {
  return value.toFixed(text.split(".")[1]?.length ?? 0) === text;
}
