/** A worker that is replaced when its engine broke, when a run was cancelled, and when it holds much memory. */
import type { Answers, Kind, Message, Progress, Request, Requests } from "./protocol.js";
import type { Diagnostic, ScenarioRefused } from "./types.js";

/** An engine gives no memory back: above this it is replaced. */
const MOST_IDLE_BYTES = 2 ** 28;

/** A scenario was refused. */
export class Refused extends Error implements ScenarioRefused {
  override readonly name = "ScenarioRefused";
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostic: Diagnostic) {
    const { file, line, column, key, message, remedy } = diagnostic;
    super([`${file}:${line}:${column}: ${key === "" ? "" : `${key}: `}${message}`, remedy].filter(Boolean).join("; "));
    this.diagnostics = [diagnostic];
  }
}

/** The engine ended unexpectedly. */
export class Broken extends Error {
  override readonly name = "EngineBroken";
}

/** The request was cancelled, or the pool closed. */
export class Ended extends Error {
  override readonly name: "Cancelled" | "PoolClosed" = "Cancelled";
}

export class PoolClosed extends Ended {
  override readonly name = "PoolClosed";
}

interface Pending {
  resolve(answer: Answers[Kind]): void;
  reject(reason: Error): void;
  progress?: ((progress: Progress) => void) | undefined;
}

let module: Promise<WebAssembly.Module> | undefined;

/** The engine, compiled once for the page and all workers. */
export function compiled(): Promise<WebAssembly.Module> {
  return (module ??= compile());
}

async function compile(): Promise<WebAssembly.Module> {
  const response = await fetch(new URL("./farlink.wasm", import.meta.url));
  if (!response.ok) throw new Broken(`farlink.wasm: ${response.status} ${response.statusText}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** A request that waits for a worker. */
export interface Task {
  /** Begins it, and resolves when the worker is free again; never rejects. */
  begin(member: Member): Promise<void>;
  drop(reason: Error): void;
}

export class Member {
  private worker: Worker | undefined;
  private opening: Promise<unknown> | undefined;
  private pending: Pending | undefined;
  /** Why what began before is over; another object for each end. */
  private ended: Error = new Ended();

  constructor(private readonly module: Promise<WebAssembly.Module>) {
    // A browser takes some tens of milliseconds to begin a worker: the first request need not wait for them.
    this.open().catch(() => undefined);
  }

  /** Asks for one thing; not before the last was answered. */
  async ask<K extends Kind>(kind: K, body: Requests[K], progress?: (progress: Progress) => void): Promise<Answers[K]> {
    const { ended } = this;
    await this.open();
    if (ended !== this.ended) throw this.ended;
    return this.send(kind, body, progress);
  }

  /** Ends what is being done: its promise rejects with `reason`. The next request gets a new worker. */
  end(reason: Error): void {
    this.ended = reason;
    this.worker?.terminate();
    this.worker = undefined;
    this.opening = undefined;
    const { pending } = this;
    this.pending = undefined;
    pending?.reject(reason);
  }

  private open(): Promise<unknown> {
    this.opening ??= this.begin();
    return this.opening;
  }

  private async begin(): Promise<void> {
    const { ended } = this;
    const module = await this.module;
    if (ended !== this.ended) throw this.ended;
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Message>) => this.receive(data);
    worker.onerror = ({ message }) => this.end(new Broken(message || "worker.js cannot be loaded"));
    this.worker = worker;
    await this.send("open", { module });
  }

  private send<K extends Kind>(kind: K, body: Requests[K], progress?: Pending["progress"]): Promise<Answers[K]> {
    return new Promise((resolve, reject) => {
      this.pending = { resolve: resolve as Pending["resolve"], reject, progress };
      this.worker?.postMessage({ kind, body } as Request);
    });
  }

  private receive(message: Message): void {
    const { pending } = this;
    switch (message.what) {
      case "progress":
        pending?.progress?.(message.progress);
        return;
      case "answer":
        this.pending = undefined;
        pending?.resolve(message.answer);
        if (message.memory > MOST_IDLE_BYTES) this.end(new Ended());
        return;
      case "refused":
        this.pending = undefined;
        pending?.reject(new Refused(message.diagnostic));
        return;
      case "broken":
        this.end(new Broken(message.message));
    }
  }
}
