/**
 * What the engine offers to a page: scenarios are checked and run in workers, results come back as they are made.
 * `openPool` is in `pool.ts`, `summarise` in `statistics.ts`, `animationPage` in `animation.ts`, `opened` in `opened.ts`.
 */

/** Files that a scenario names, by path as written. */
export type Files = Readonly<Record<string, Uint8Array>>;

/** Values set over a scenario, as `--set PATH=VALUE`: a dotted path with the TOML of its value, or a bare word. */
export type Overrides = Readonly<Record<string, string>>;

/** Opens one worker per core, at least one. */
export type OpenPool = (options?: { workers?: number }) => Pool;

export interface Pool {
  /** How many runs are made at the same time. */
  readonly workers: number;
  /** The mistakes of a scenario; empty if it is valid. The engine reports the first only. */
  check(toml: string, options?: Over): Promise<Diagnostic[]>;
  /** What a valid scenario is made of; rejects with `ScenarioRefused`. */
  describe(toml: string, options?: Over): Promise<Description>;
  builtins(): Promise<BuiltIn[]>;
  /** What may be written in a scenario, for completion. */
  models(): Promise<Models>;
  /** Runs every variant with every seed, variants of a seed one after the other. */
  run(order: Order): Job;
  /** The recording of a run, with frames of `window_s` only (the whole run by default). */
  animation(
    toml: string,
    seed: number,
    options?: Over & Watch & { window_s?: readonly [number, number] },
  ): Promise<Animation>;
  /** The packets at the flows' senders. */
  pcap(toml: string, seed: number, options?: Over & Watch): Promise<Uint8Array>;
  /** Ends all workers; pending promises reject with `PoolClosed`. */
  close(): void;
}

/** What else a scenario is made from. */
export interface Over {
  readonly overrides?: Overrides;
  readonly files?: Files;
}

/** The progress and the end of one recording. */
export interface Watch {
  /** Its abort ends the recording: the promise rejects. */
  readonly signal?: AbortSignal;
  /** Called with the share of the simulated time that is done. */
  readonly onProgress?: (share: number) => void;
}

/** Why a valid scenario is implausible, and where: one warning of `farlink check`. */
export interface Warning {
  readonly message: string;
  /** What to write instead; empty if the message implies it. */
  readonly remedy: string;
  /** The dotted key at fault; empty where the text could not be parsed. */
  readonly key: string;
  /** `scenario` for the text, `--set` for an override, else the path of a file. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** In characters, from 1. */
  readonly column: number;
}

/** Why a scenario is refused, and where. */
export interface Diagnostic extends Warning {
  /** How many characters of the line are at fault, at least 1. */
  readonly length: number;
}

/** The reason of a promise that needed a valid scenario: `name` is "ScenarioRefused". */
export interface ScenarioRefused extends Error {
  readonly diagnostics: readonly Diagnostic[];
}

export interface Description {
  readonly name: string;
  readonly duration_s: number;
  /** The scenario's own seed. */
  readonly seed: number;
  /** The flows' labels, in order. */
  readonly flows: readonly string[];
  readonly nodes: readonly string[];
  /** x and y of the nodes in m, at the beginning with the scenario's own seed; a node on links only has no meaning there. */
  readonly positions: readonly (readonly [number, number])[];
  /** The nodes on each shared channel. */
  readonly channels: readonly (readonly string[])[];
  /** An estimate of the events of a run, to an order of magnitude: a million takes about 0.3 s. */
  readonly events: number;
  /** An estimate of the bytes of memory of a run with time series. */
  readonly bytes: number;
  /** The part of it that does not depend on what happens in the run. */
  readonly certain_bytes: { readonly total: number; readonly cause: string; readonly remedy: string };
  readonly warnings: readonly Warning[];
  /** Canonical TOML with every default. */
  readonly resolved: string;
}

export interface BuiltIn {
  readonly name: string;
  readonly toml: string;
  /** Its subject, in one line. */
  readonly title: string;
}

export interface Models {
  /** The JSON Schema of a scenario file. */
  readonly schema: JsonSchema;
  readonly models: readonly Model[];
}

export type JsonSchema = { readonly [key: string]: unknown };

/** A member of a plug-point. */
export interface Model {
  /** The key that names it: `congestion_control`, `queue`, .. */
  readonly kind: string;
  readonly name: string;
  readonly doc: string;
  readonly source: string;
  readonly parameters: readonly { name: string; kind: string; default: string | null; doc: string }[];
}

/** What to run. */
export interface Order {
  readonly toml: string;
  readonly files?: Files;
  /** One without overrides, labelled by the scenario's name, if left out. */
  readonly variants?: readonly { label: string; overrides: Overrides }[];
  readonly seeds: readonly number[];
  /** Called at most ten times a second per worker, with the samples since the previous call for the same run. */
  readonly onSlice?: (slice: Slice) => void;
  /** Called with each run as it ends. */
  readonly onRun?: (run: RunResult) => void;
  /** Keep every column of the time series (`FinishedRun.columns`); some 100 bytes per sample and flow. */
  readonly columns?: boolean;
}

export interface Job {
  /**
   * All runs, by variant in the order given, then by seed. Resolves after `cancel()`, too: a run that was not finished
   * has `failed`. Rejects with `ScenarioRefused` if the scenario is refused with any variant; nothing is run then.
   */
  readonly done: Promise<RunResult[]>;
  /** Ends the runs within a second; runs already finished stay. */
  cancel(): void;
}

/** Progress of one run. */
export interface Slice {
  readonly label: string;
  readonly seed: number;
  /** Simulated time reached, in s. */
  readonly time: number;
  /** Simulated time of the whole run, in s. */
  readonly duration: number;
  /** By `MEASURE:OF`, such as `cwnd:transfer`. */
  readonly series: SeriesByName;
}

export type SeriesByName = Readonly<Record<string, Samples>>;

/**
 * `delivery` and `goodput` in bytes received so far, each once: in any order, and in order (`rateOf` gives the rates);
 * `cwnd` in segments; `rtt` in s, the latest sample, NaN until the first; `queue` in packets, of the six links that
 * queued most (until then).
 */
export type Measure = Rate | "cwnd" | "rtt" | "queue";
export type Rate = "delivery" | "goodput";

/** A time series; a value that is not defined is NaN. */
export interface Samples {
  readonly measure: Measure;
  /** The label of the flow; of a queue the link, such as `ground->remote`. */
  readonly of: string;
  /** In s. */
  readonly t: Float64Array;
  readonly v: Float64Array;
}

/** A run that ended by itself, or why it did not. */
export type RunResult = FinishedRun | FailedRun;

export interface FinishedRun {
  readonly label: string;
  readonly seed: number;
  /** The document that `farlink run --json` prints for this seed (docs/guide/json.md). */
  readonly result: RunDocument;
  /** A row per flow. */
  readonly explanation: readonly Explanation[];
  readonly series: SeriesByName;
  /** If the order asked for them. */
  readonly columns?: Columns;
  readonly failed?: undefined;
}

/** What the engine measured, byte by byte as the Python package has it. */
export interface Columns {
  /** The results before they become `RunDocument`. */
  readonly json: string;
  readonly flows: readonly Column[];
  readonly links: readonly Column[];
}

/** A column of a table; its unit is in its name. */
export interface Column {
  readonly name: string;
  readonly kind: "text" | "word" | "integer" | "number";
  /** Little-endian: of `integer` u64 (all bits set: undefined), of `number` f64, of `word` u32, places in `words`. */
  readonly bytes: Uint8Array;
  /** The values of `text`, the distinct values of `word`. */
  readonly words: readonly string[];
}

export interface FailedRun {
  readonly label: string;
  readonly seed: number;
  /** "cancelled", or what the engine reported. */
  readonly failed: string;
  /** The samples until then. */
  readonly series: SeriesByName;
}

/** The keys that every flow has; see docs/guide/json.md for all. */
export interface FlowResult {
  readonly flow: string;
  readonly seed: number;
  readonly goodput_bps: number;
  readonly delay_mean_s: number | null;
  readonly rtt_mean_s: number | null;
  readonly packets_sent: number;
  readonly packets_delivered: number;
  readonly packets_retransmitted: number | null;
  readonly timeouts: number | null;
  readonly fast_retransmits: number | null;
  readonly drops: Readonly<Record<string, number>>;
  /** Shares of the flow's time by limit; null without TCP. */
  readonly limited_by: Readonly<Record<string, number>> | null;
  readonly bottleneck: string | null;
  readonly bottleneck_utilisation: number | null;
  readonly [key: string]: unknown;
}

export interface RunDocument {
  readonly schema: number;
  /** The program's version. */
  readonly farlink: string;
  readonly scenario: string;
  readonly seeds: readonly number[];
  readonly warnings: readonly Warning[];
  readonly flows: readonly FlowResult[];
  readonly workloads: readonly Readonly<Record<string, unknown>>[];
  readonly drops: Readonly<Record<string, number>>;
  readonly drops_by_node: readonly Readonly<Record<string, unknown>>[];
  readonly failed_attempts: Readonly<Record<string, number>>;
  readonly ledger: readonly Readonly<Record<string, unknown>>[];
  readonly links: readonly { link: string; seed: number; utilisation: number | null; [key: string]: unknown }[];
  readonly stations: readonly Readonly<Record<string, unknown>>[];
  readonly airtime: readonly Readonly<Record<string, unknown>>[];
  readonly hops: readonly Readonly<Record<string, unknown>>[];
  readonly jain: number | null;
  /** `cpu_s` is the real time of the run in its worker. */
  readonly engine: { readonly events: number; readonly cpu_s: number; readonly sim_s: number };
}

/** What limited one flow; as `farlink explain --json`, without advice. */
export interface Explanation {
  readonly flow: string;
  readonly seed: number;
  /** Two or three sentences. */
  readonly text: string;
  readonly bottleneck: { readonly link: string; readonly utilisation: number } | null;
  /** Shares of the flow's time, largest first. */
  readonly limited_by: Readonly<Record<string, number>>;
  readonly drops: readonly { place: string | null; cause: string; packets: number }[];
}

/**
 * What the page of `farlink run --animate` plays: `animationPage(animation)` is that page as HTML, for the `srcdoc` of
 * an iframe with `sandbox="allow-scripts"`.
 */
export interface Animation {
  readonly scenario: string;
  readonly seed: number;
  /** The engine's recording: positions, frames, drops and routes. */
  readonly film: unknown;
  readonly [key: string]: unknown;
}

export type AnimationPage = (animation: Animation) => string;

/** A mean with its 95 % CI by the method of the command line; ends are null for a single value. */
export interface Summary {
  readonly mean: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly count: number;
  readonly method: "single" | "t";
}

/** The mean of a measure; its interval ends within the bounds, below the least one only if a value is negative. Null without values. */
export type Summarise = (values: readonly number[], bounds?: Bounds) => Summary | null;

/** The least and the most that a measure can be. */
export type Bounds = readonly [number, number];

/** What `farlink lab FILE` was asked to open. */
export interface Opened {
  /** The file's name. */
  readonly name: string;
  readonly toml: string;
  readonly files: Files;
  /** The runs of a saved run (`farlink run --out`); empty for a scenario file. */
  readonly runs: readonly FinishedRun[];
}

/** Null where the page was opened without a file. */
export type ReadOpened = () => Opened | null;
