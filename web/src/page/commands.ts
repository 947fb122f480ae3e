/** The commands that make the runs of an experiment, as comments above its scenario. */

import { isFault, runnable, type Experiment } from "./experiment.js";

const BEGIN = "# Runs of the laboratory, with simulated time, sliders and variants:\n";
const BEFORE = new RegExp(`^${BEGIN}(?:#   .*\n)*`);

/** The scenario's text, with a command for each variant; `name` is that of its file. Without runs the text alone. */
export function withCommands(experiment: Experiment, name: string): string {
  const text = experiment.toml.replace(BEFORE, "");
  const made = runnable(experiment);
  if (isFault(made)) return text;
  const seeds = ["--seeds", quoted(experiment.seeds.replaceAll(/\s/g, ""))];
  const lines = made.variants.flatMap(({ label, overrides }) => {
    const settings = Object.entries(overrides).flatMap(([path, value]) => ["--set", quoted(`${path}=${value}`)]);
    return [`${label}:`, ["farlink run", name, ...seeds, ...settings].join(" ")];
  });
  return BEGIN + lines.map((line) => `#   ${printable(line)}\n`).join("") + text;
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w.,:/=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A comment of TOML ends with its line, and has no control characters. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ");
}
