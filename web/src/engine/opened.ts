/** What `farlink lab FILE` put into the page: JSON in the element `opened` (python/farlink/lab). */
import { byName } from "./curves.js";
import type { Explanation, Files, FinishedRun, Measure, Opened, ReadOpened, RunDocument } from "./types.js";

interface Written {
  name: string;
  toml: string;
  /** Base64. */
  files: Record<string, string>;
  runs: {
    label: string;
    seed: number;
    result: RunDocument;
    explanation: Explanation[];
    /** What is not defined is null. */
    series: { measure: Measure; of: string; t: number[]; v: (number | null)[] }[];
  }[];
}

export const opened: ReadOpened = () => {
  const element = globalThis.document.getElementById("opened");
  if (element === null) return null;
  const { name, toml, files, runs } = JSON.parse(element.textContent) as Written;
  return { name, toml, files: decoded(files), runs: runs.map(finished) } satisfies Opened;
};

function decoded(files: Written["files"]): Files {
  const bytes = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, bytes(text)]));
}

function finished({ series, ...run }: Written["runs"][number]): FinishedRun {
  const curves = series.map(({ measure, of, t, v }) => ({
    measure, of, t: Float64Array.from(t), v: Float64Array.from(v, (value) => value ?? NaN),
  }));
  return { ...run, series: byName(curves) };
}
