/** What is implausible in the scenarios of runs. */
import type { FinishedRun } from "../engine/types.js";

/** One line per warning, with the variants that have it unless all have it. */
export function warningsOf(runs: readonly FinishedRun[]): string[] {
  const labels = new Set(runs.map((run) => run.label));
  const labelsByLine = new Map<string, Set<string>>();
  for (const { label, result } of runs) {
    for (const { file, line, key, message, remedy } of result.warnings) {
      // A value of a variant stands in a text of its own, of one line.
      const text = `${file === "scenario" ? `line ${line}, ` : ""}${key}: ${message}; ${remedy}`;
      labelsByLine.set(text, (labelsByLine.get(text) ?? new Set()).add(label));
    }
  }
  return [...labelsByLine].map(([text, having]) =>
    having.size === labels.size ? text : `${[...having].join(", ")}: ${text}`,
  );
}
