/** The messages between the pool and its workers. */
import type {
  Animation, BuiltIn, Columns, Description, Diagnostic, Explanation, Models, Over, RunDocument, SeriesByName,
} from "./types.js";

/** A scenario with all that belongs to it. */
export interface Source extends Over {
  readonly toml: string;
}

/** What a worker can be asked for, by kind. */
export interface Requests {
  open: { module: WebAssembly.Module };
  describe: Source;
  builtins: object;
  models: object;
  run: Source & { seed: number; columns: boolean };
  animation: Source & { seed: number; window_s?: readonly [number, number] };
  pcap: Source & { seed: number };
}

/** What it answers in the end. */
export interface Answers {
  open: null;
  describe: Description;
  builtins: BuiltIn[];
  models: Models;
  run: { document: RunDocument; explanation: Explanation[]; series: SeriesByName; columns?: Columns };
  animation: Animation;
  pcap: Uint8Array;
}

export type Kind = keyof Requests;
export type Request = { [K in Kind]: { kind: K; body: Requests[K] } }[Kind];

/** Samples of a run since the last message. */
export interface Progress {
  readonly time: number;
  readonly duration: number;
  readonly series: SeriesByName;
}

/** A worker answers one request at a time. */
export type Message =
  | { what: "progress"; progress: Progress }
  /** `memory` is what the engine holds, in bytes; it never gives any back. */
  | { what: "answer"; answer: Answers[Kind]; memory: number }
  | { what: "refused"; diagnostic: Diagnostic }
  /** The engine cannot be used again. */
  | { what: "broken"; message: string };
