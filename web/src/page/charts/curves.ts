/** Which curves the charts show: one flow with all variants, or all flows with one variant. */

import type { Measure, Rate, Samples } from "../../engine/types.js";
import { isRate, meanOf } from "./grid.js";
import { ALONE, MOST_CURVES } from "./palette.js";
import type { Recording } from "./recording.js";

export interface Selection {
  readonly seed: number;
  /** All flows with this variant, or else .. */
  readonly variant?: string;
  /** .. this flow with all variants. */
  readonly flow?: string;
}

/** From and to, in s of simulated time. */
export type Span = readonly [number, number];

export interface Curve {
  readonly name: string;
  /** Its colour and dashes. */
  readonly place: number;
  readonly samples: Samples;
}

export class Shown {
  constructor(
    readonly recording: Recording,
    readonly variants: readonly string[],
    readonly flows: readonly string[],
    readonly selection: Selection,
    /** Which rate is drawn. */
    private readonly rate: Rate,
    private readonly chosen: Span | null = null,
  ) {}

  /** The time that charts show. */
  get span(): Span {
    return this.chosen ?? [0, this.recording.duration || 1];
  }

  /** The names in the legend, in the order of colours. */
  get names(): readonly string[] {
    return (this.selection.variant === undefined ? this.variants : this.flows).slice(0, MOST_CURVES);
  }

  /** How many curves are left out. */
  get leftOut(): number {
    return (this.selection.variant === undefined ? this.variants : this.flows).length - this.names.length;
  }

  curves(measure: Measure): Curve[] {
    if (measure === "queue") return this.queues();
    if (isRate(measure) && measure !== this.rate) return [];
    const { seed, variant, flow } = this.selection;
    return this.names.flatMap((name, place) => {
      const wanted = variant === undefined ? flow : name;
      const found = this.recording.samples(variant ?? name, seed, measure).find((each) => each.of === wanted);
      return found ? [{ name, place, samples: found }] : [];
    });
  }

  /** Of the link with the longest mean queue in any of the runs shown. */
  private queues(): Curve[] {
    const { seed, variant } = this.selection;
    const labels = variant === undefined ? this.names : [variant];
    const all = labels.map((label) => this.recording.samples(label, seed, "queue"));
    const longest = all
      .flat()
      .reduce<Samples | null>((top, each) => (top && meanOf(top) >= meanOf(each) ? top : each), null);
    return labels.flatMap((name, place) => {
      const found = all[place]!.find((each) => each.of === longest?.of);
      return found ? [{ name, place: variant === undefined ? place : ALONE, samples: found }] : [];
    });
  }
}

/** Reads `0..10`, in s; null for anything else. */
export function readSpan(text: string): Span | null {
  const found = /^\s*([\d.]+)\s*(?:s\s*)?\.\.\s*([\d.]+)\s*s?\s*$/.exec(text);
  const [from, to] = [Number(found?.[1]), Number(found?.[2])];
  return from < to ? [from, to] : null;
}
