/** What to compare first with each built-in scenario, short enough to be watched. */

import type { WrittenVariant } from "./experiment.js";

export interface Suggestion {
  /** Empty for the scenario's own. */
  readonly duration: string;
  readonly seeds: string;
  readonly variants: readonly WrittenVariant[];
}

export const FIRST = "satellite";

const SUGGESTIONS: Readonly<Record<string, Suggestion>> = {
  satellite: {
    duration: "60 s",
    seeds: "1..5",
    variants: models("congestion_control", ["cubic", "reno", "hybla", "bbr"]),
  },
  leo: { duration: "60 s", seeds: "1..5", variants: models("congestion_control", ["cubic", "reno", "bbr"]) },
  dumbbell: { duration: "", seeds: "1..5", variants: models("congestion_control", ["reno", "cubic"]) },
  competition: {
    duration: "60 s",
    seeds: "1..5",
    variants: [
      { label: "reno against cubic", changes: "flows.0.tcp.congestion_control = reno" },
      { label: "vegas against cubic", changes: "flows.0.tcp.congestion_control = vegas" },
    ],
  },
  asymmetric_access: {
    duration: "",
    seeds: "1..5",
    variants: [
      { label: "drop_tail", changes: "" },
      { label: "fq_codel", changes: "links.1.queue = fq_codel" },
    ],
  },
  chain_80211: { duration: "", seeds: "1..5", variants: windows(["2", "4", "8", "32"]) },
  underwater: { duration: "300 s", seeds: "1..5", variants: windows(["1", "3", "16", "64"]) },
  frn: {
    duration: "",
    seeds: "1..5",
    variants: [
      { label: "combined frames", changes: "" },
      { label: "single frames", changes: "radio.mac.combine = off" },
    ],
  },
  manet: { duration: "20 s", seeds: "1..2", variants: models("congestion_control", ["reno"]) },
};

export function suggestionFor(name: string): Suggestion {
  return SUGGESTIONS[name] ?? { duration: "", seeds: "1..5", variants: [{ label: "as written", changes: "" }] };
}

export function suggestedNames(): string[] {
  return Object.keys(SUGGESTIONS);
}

function models(kind: string, names: readonly string[]): WrittenVariant[] {
  return names.map((name) => ({ label: name, changes: `${kind} = ${name}` }));
}

function windows(packets: readonly string[]): WrittenVariant[] {
  return packets.map((count) => ({ label: `window ${count}`, changes: `flows.0.tcp.max_window = "${count} packets"` }));
}
