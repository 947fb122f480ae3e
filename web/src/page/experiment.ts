/** What the laboratory runs: a scenario, variants of it, and seeds. Everything in it is text as the person wrote it. */

import type { Files, Order, Overrides } from "../engine/types.js";
import { parseOverrides } from "./overrides.js";
import { parseSeeds } from "./seeds.js";

export interface Experiment {
  readonly toml: string;
  readonly files: Files;
  /** Simulated time of all runs, such as `60 s`; empty for that of the scenario. */
  readonly duration: string;
  /** Values of all variants, a line per value: `PATH = VALUE`; those of a variant have precedence. */
  readonly common: string;
  readonly variants: readonly WrittenVariant[];
  readonly seeds: string;
}

export interface WrittenVariant {
  readonly label: string;
  /** A line per value: `PATH = VALUE`. */
  readonly changes: string;
}

export interface Variant {
  readonly label: string;
  readonly overrides: Overrides;
}

/** A mistake, and the number of the variant that has it; null for one of the seeds. */
export interface Fault {
  readonly variant: number | null;
  readonly text: string;
}

export interface Runnable extends Order {
  readonly files: Files;
  readonly variants: readonly Variant[];
}

/** The runs of an experiment, or its first mistake outside of the scenario. */
export function runnable(experiment: Experiment): Runnable | Fault {
  const variants: Variant[] = [];
  const common = commonOf(experiment);
  if ("fault" in common) return { variant: null, text: `values of all variants: ${common.fault}` };
  for (const [number, written] of experiment.variants.entries()) {
    const made = variantOf(written, common.overrides, experiment.toml);
    if ("fault" in made) return { variant: number, text: made.fault };
    if (!made.label) return { variant: number, text: "give the variant a name" };
    if (variants.some((each) => each.label === made.label))
      return { variant: number, text: `two variants are called ${made.label}` };
    variants.push(made);
  }
  if (!variants.length) return { variant: null, text: "add a variant" };
  const read = parseSeeds(experiment.seeds);
  if ("fault" in read) return { variant: null, text: read.fault };
  return { toml: experiment.toml, files: experiment.files, seeds: read.seeds, variants };
}

function commonOf({ toml, duration, common }: Experiment): { overrides: Overrides } | { fault: string } {
  const read = parseOverrides(common, toml);
  if ("fault" in read) return read;
  const time: Overrides = duration.trim() ? { duration: JSON.stringify(duration.trim()) } : {};
  return { overrides: { ...time, ...read.overrides } };
}

/** A variant with the values of all; its own have precedence. */
function variantOf(written: WrittenVariant, common: Overrides, toml: string): Variant | { fault: string } {
  const read = parseOverrides(written.changes, toml);
  if ("fault" in read) return read;
  return { label: written.label.trim(), overrides: { ...common, ...read.overrides } };
}

export function isFault(made: Runnable | Fault): made is Fault {
  return "text" in made;
}

/** Whether both make the same runs, with contents of files from the same opening; one with a mistake makes none. */
export function isSame(one: Experiment, other: Experiment): boolean {
  const [ofOne, ofOther] = [runnable(one), runnable(other)];
  if (isFault(ofOne) || isFault(ofOther) || !areSame(ofOne.files, ofOther.files)) return false;
  const textOf = ({ toml, variants, seeds }: Runnable): string => JSON.stringify([toml, variants, seeds]);
  return textOf(ofOne) === textOf(ofOther);
}

function areSame(some: Files, others: Files): boolean {
  const paths = Object.keys(some);
  return paths.length === Object.keys(others).length && paths.every((path) => some[path] === others[path]);
}
