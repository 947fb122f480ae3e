/**
 * An experiment in the fragment of an address, which browsers do not send to a server: `#v1=` and base64url of the
 * deflated JSON. The results that the sender saw may be in it, as text. `#v2=` has values of all variants, which a page
 * that knows `#v1=` only would leave out. A number alone as seeds is that seed, not how many: it is written `1..N`.
 */

import type { TextTable } from "../results/rows.js";
import type { Experiment, WrittenVariant } from "./experiment.js";
import { ofLink, withoutCount } from "./seeds.js";

const PREFIXES = ["v1=", "v2="] as const;
/** Of the JSON. More than any scenario needs; a longer text is refused before it fills the memory. */
const MOST_BYTES = 4_000_000;

export interface Shared {
  readonly experiment: Experiment;
  readonly results: TextTable | null;
}

/** Whether a fragment is that of a shared link of any version. */
export function isShared(fragment: string): boolean {
  return /^v\d+=/.test(fragment);
}

/** An experiment as a file, which `fromFile` reads. */
export function toFile({ experiment: { files, ...experiment }, results }: Shared): string {
  const packed = Object.entries(files).map(([path, content]) => [path, toBase64(content)]);
  const seeds = withoutCount(experiment.seeds);
  return JSON.stringify({ ...experiment, seeds, files: Object.fromEntries(packed), results });
}

/** Throws a message for the person who opened the file. */
export function fromFile(text: string): Shared {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("The link or file holds no experiment. Ask for it anew.");
  }
  return read(value);
}

/** Rejects with a message for the person who wants the link. */
export async function encodeShared(shared: Shared): Promise<string> {
  const text = new TextEncoder().encode(toFile(shared));
  if (text.length > MOST_BYTES)
    throw new Error("This experiment is too large for a link, which holds 4 MB at most. Save it, and send it with its files.");
  return PREFIXES[shared.experiment.common.trim() ? 1 : 0] + toBase64(await through(text, new CompressionStream("deflate-raw")));
}

/** Rejects with a message for the person who opened the link. */
export async function decodeShared(fragment: string): Promise<Shared> {
  const prefix = PREFIXES.find((each) => fragment.startsWith(each));
  if (!prefix)
    throw new Error("This link was made by a newer laboratory. Open it with that version.");
  let value: unknown;
  try {
    const bytes = await through(fromBase64(fragment.slice(prefix.length)), new DecompressionStream("deflate-raw"));
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Error("This link is damaged or incomplete. Ask for it anew.");
  }
  return read(value);
}

function read(value: unknown): Shared {
  const given = (value ?? {}) as Record<string, unknown>;
  const files = Object.entries((given["files"] ?? {}) as Record<string, unknown>);
  return {
    experiment: {
      toml: text(given["toml"]),
      duration: text(given["duration"]),
      common: text(given["common"] ?? ""),
      seeds: ofLink(text(given["seeds"])),
      variants: list(given["variants"]).map(readVariant),
      files: Object.fromEntries(files.map(([path, content]) => [path, fromBase64(text(content))])),
    },
    results: given["results"] ? readTable(given["results"] as Record<string, unknown>) : null,
  };
}

function readVariant(value: unknown): WrittenVariant {
  const given = (value ?? {}) as Record<string, unknown>;
  return { label: text(given["label"]), changes: text(given["changes"]) };
}

function readTable(given: Record<string, unknown>): TextTable {
  const table = {
    headings: list(given["headings"]).map(text),
    rows: list(given["rows"]).map((row) => list(row).map(text)),
    caption: text(given["caption"]),
  };
  const below = (["workloads", "airtime"] as const).filter((name) => given[name]);
  return { ...table, ...Object.fromEntries(below.map((name) => [name, readTable(given[name] as Record<string, unknown>)])) };
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new Error("The link or file holds no experiment. Ask for it anew.");
  return value;
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error("The link or file holds no experiment. Ask for it anew.");
  return value;
}

async function through(bytes: Uint8Array, step: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(step).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    length += part.value.length;
    if (length > MOST_BYTES) throw new Error("too long");
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64(encoded: string): Uint8Array {
  const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}
