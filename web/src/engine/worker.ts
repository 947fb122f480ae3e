/** A worker: it holds the engine, and answers one request at a time. */
import * as wasm from "../../build/farlink_web.js";

import { animation } from "./animation.js";
import type { Answers, Kind, Message, Progress, Request, Requests } from "./protocol.js";
import { type Checked, run, validated } from "./simulate.js";
import type { Diagnostic, SeriesByName } from "./types.js";

const scope = globalThis as unknown as {
  postMessage(message: Message, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
  farlinkPanicked(message: string): void;
};

let memory: WebAssembly.Memory | undefined;
let panic = "";
scope.farlinkPanicked = (message) => {
  panic = message;
};

const handlers: { [K in Kind]: (body: Requests[K]) => Answers[K] } = {
  open({ module }) {
    memory = wasm.initSync({ module }).memory;
    return null;
  },
  describe(source) {
    const { scenario, description } = validated(source);
    scenario.free();
    return description;
  },
  builtins: () => JSON.parse(wasm.builtIns()) as Answers["builtins"],
  models: () => ({
    schema: JSON.parse(wasm.schema()) as Answers["models"]["schema"],
    models: JSON.parse(wasm.models()) as Answers["models"]["models"],
  }),
  run({ seed, columns, ...source }) {
    return run(validated(source), seed, { progress: post }, ({ document, explanation, series, columns: all }) => ({
      document, explanation, series, ...(columns ? { columns: all() } : {}),
    }));
  },
  animation({ seed, window_s, ...source }) {
    const checked: Checked = validated(source);
    const window = window_s ?? ([0, checked.description.duration_s] as const);
    return run(checked, seed, { progress: post, animate: window }, (finished) => animation(checked, finished));
  },
  pcap({ seed, ...source }) {
    return run(validated(source), seed, { progress: post, capture: true }, ({ pcap }) => pcap());
  },
};

scope.onmessage = ({ data: { kind, body } }) => {
  panic = "";
  try {
    const answer = (handlers[kind] as (body: unknown) => Answers[Kind])(body);
    scope.postMessage({ what: "answer", answer, memory: memory?.buffer.byteLength ?? 0 }, buffers(answer));
  } catch (error) {
    // The engine refuses with a text; everything else is a defect.
    if (typeof error === "string") {
      scope.postMessage({ what: "refused", diagnostic: JSON.parse(error) as Diagnostic });
    } else {
      scope.postMessage({ what: "broken", message: reason(error) });
    }
  }
};

function post(progress: Progress): void {
  scope.postMessage({ what: "progress", progress }, arrays(progress.series));
}

function reason(error: unknown): string {
  if (panic !== "") return panic;
  // Every panic leaves its message; an allocation that fails leaves none.
  const isAllocation = error instanceof WebAssembly.RuntimeError && /unreachable/i.test(error.message);
  if (isAllocation) return "out of memory: a run in a browser has 1 GiB at most";
  return error instanceof Error ? error.message : String(error);
}

/** What is handed over instead of copied. */
function buffers(answer: Answers[Kind]): Transferable[] {
  if (answer instanceof Uint8Array) return [answer.buffer as ArrayBuffer];
  if (answer !== null && "series" in answer) return arrays(answer.series as SeriesByName);
  return [];
}

function arrays(series: SeriesByName): Transferable[] {
  return Object.values(series).flatMap(({ t, v }) => [t.buffer as ArrayBuffer, v.buffer as ArrayBuffer]);
}
