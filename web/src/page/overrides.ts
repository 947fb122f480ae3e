/** The values that a variant sets over the scenario, a line each: `PATH = VALUE`. */

import type { Overrides } from "../engine/types.js";

/** Where a model belongs that is written without a path. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  congestion_control: ofTcp("congestion_control"),
  recovery: ofTcp("recovery"),
  route_failure: ofTcp("route_failure"),
  application: ["flows.*.application"],
  queue: ["links.*.queue"],
  error: ["links.*.error"],
  mac: ["radio.mac"],
  phy: ["radio.phy"],
  propagation: ["radio.propagation"],
};

function ofTcp(key: string): string[] {
  return ["flows", "workloads"].map((list) => `${list}.*.tcp.${key}`);
}

/** The dotted paths of a key: a model's kind alone stands for all of its kind, in the scenario `toml` or in any. */
function pathsOf(key: string, toml?: string): readonly string[] {
  const places = PLACES[key] ?? [key];
  if (toml === undefined || places.length === 1) return places;
  // The engine refuses `*` of a list that is not there.
  const here = places.filter((path) => hasList(toml, path.slice(0, path.indexOf("."))));
  return here.length ? here : places.slice(0, 1);
}

/** Whether a TOML text, which may have mistakes, has a list: `[[flows]]` or `flows = [`. */
function hasList(toml: string, name: string): boolean {
  return new RegExp(`^[ \\t]*(\\[\\[[ \\t]*${name}[ \\t]*\\]\\]|${name}[ \\t]*=)`, "m").test(toml);
}

/** The values by path for the scenario `toml`, or for any; or what is wrong with a line. */
export function parseOverrides(text: string, toml?: string): { overrides: Overrides } | { fault: string } {
  const overrides: Record<string, string> = {};
  for (const line of text.split("\n")) {
    if (!line.trim()) continue;
    const place = line.indexOf("=");
    const key = line.slice(0, place).trim();
    const value = line.slice(place + 1).trim();
    if (place < 1 || !key || !value) return { fault: `write PATH = VALUE, not ${JSON.stringify(line.trim())}` };
    for (const path of pathsOf(key, toml)) {
      if (path in overrides) return { fault: `${key} is set twice` };
      overrides[path] = value;
    }
  }
  return { overrides };
}

/** The line that sets a path. */
export function formatOverride(path: string, value: string): string {
  const short = Object.keys(PLACES).find((key) => PLACES[key]![0] === path);
  return `${short ?? path} = ${value}`;
}

/** A text of values with one set: its line is replaced, or added; a line that sets all of a path ends those below it. */
export function withOverride(text: string, path: string, value: string): string {
  const pathsIn = (line: string): readonly string[] => pathsOf(line.slice(0, line.indexOf("=")).trim());
  const isReplaced = (key: string): boolean => key === path || key.startsWith(`${path}.`);
  const kept = text.split("\n").filter((line) => line.trim() && !pathsIn(line).some(isReplaced));
  return [...kept, formatOverride(path, value)].join("\n");
}

/** Whether each of these texts sets the value at a path, or all of a table that holds it; `*` stands for any number. */
export function isSetByAll(texts: readonly string[], path: string): boolean {
  const parts = path.split(".");
  const covers = (key: string): boolean =>
    key.split(".").every((part, place) => part === parts[place] || (part === "*" && /^\d+$/.test(parts[place] ?? "")));
  const keysOf = (text: string): string[] => {
    const read = parseOverrides(text);
    return "fault" in read ? [] : Object.keys(read.overrides);
  };
  return texts.length > 0 && texts.every((text) => keysOf(text).some(covers));
}
