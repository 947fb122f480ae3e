/** The pool: one worker per core for runs, and one for questions, which so never wait for a run. */
import { compiled, Ended, Member, PoolClosed, Refused, type Task } from "./crew.js";
import { Jobs } from "./jobs.js";
import type { Answers, Kind, Progress, Requests } from "./protocol.js";
import type { BuiltIn, Description, Diagnostic, Job, Models, OpenPool, Order, Over, Pool, Watch } from "./types.js";

export const openPool: OpenPool = ({ workers = navigator.hardwareConcurrency } = {}) =>
  new Workers(Math.max(Math.floor(workers || 1), 1));

class Workers implements Pool {
  private readonly module = compiled();
  private readonly all: Member[];
  private readonly free: Member[];
  private waiting: Task[] = [];
  private readonly desk: Member;
  /** The desk answers one question after the other. */
  private last: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(readonly workers: number) {
    this.module.catch(() => undefined);
    this.desk = new Member(this.module);
    this.all = Array.from({ length: workers }, () => new Member(this.module));
    this.free = [...this.all];
  }

  async check(toml: string, over: Over = {}): Promise<Diagnostic[]> {
    try {
      await this.describe(toml, over);
      return [];
    } catch (error) {
      if (error instanceof Refused) return [...error.diagnostics];
      throw error;
    }
  }

  describe(toml: string, over: Over = {}): Promise<Description> {
    return this.question("describe", { ...over, toml });
  }

  builtins(): Promise<BuiltIn[]> {
    return this.question("builtins", {});
  }

  models(): Promise<Models> {
    return this.question("models", {});
  }

  run(order: Order): Job {
    return new Jobs(order, {
      describe: (toml, over) => this.describe(toml, over),
      put: (task) => this.put(task),
      drop: (task) => this.drop(task),
    });
  }

  animation(toml: string, seed: number, options: Over & Watch & { window_s?: readonly [number, number] } = {}) {
    const { signal, onProgress, ...rest } = options;
    return this.long("animation", { ...rest, toml, seed }, signal, onProgress);
  }

  pcap(toml: string, seed: number, options: Over & Watch = {}): Promise<Uint8Array> {
    const { signal, onProgress, ...rest } = options;
    return this.long("pcap", { ...rest, toml, seed }, signal, onProgress);
  }

  close(): void {
    this.closed = true;
    const waiting = this.waiting;
    this.waiting = [];
    for (const task of waiting) task.drop(new PoolClosed("the pool is closed"));
    for (const member of [this.desk, ...this.all]) member.end(new PoolClosed("the pool is closed"));
  }

  private question<K extends Kind>(kind: K, body: Requests[K]): Promise<Answers[K]> {
    const answer = this.last.then(() => {
      if (this.closed) throw new PoolClosed("the pool is closed");
      return this.desk.ask(kind, body);
    });
    this.last = answer.catch(() => undefined);
    return answer;
  }

  private long<K extends Kind>(
    kind: K,
    body: Requests[K],
    signal: AbortSignal | undefined,
    onProgress: Watch["onProgress"],
  ): Promise<Answers[K]> {
    return new Promise((resolve, reject) => {
      const begin = async (member: Member) => {
        const end = () => member.end(new Ended("cancelled"));
        signal?.addEventListener("abort", end);
        const report = ({ time, duration }: Progress) => onProgress?.(time / duration);
        await member.ask(kind, body, report).then(resolve, reject);
        signal?.removeEventListener("abort", end);
      };
      const task: Task = { begin, drop: reject };
      signal?.addEventListener("abort", () => this.drop(task), { once: true });
      this.put(task);
    });
  }

  private put(task: Task): void {
    if (this.closed) {
      task.drop(new PoolClosed("the pool is closed"));
      return;
    }
    this.waiting.push(task);
    this.next();
  }

  private drop(task: Task): void {
    if (!this.waiting.includes(task)) return;
    this.waiting = this.waiting.filter((each) => each !== task);
    task.drop(new Ended("cancelled"));
  }

  private next(): void {
    while (this.free.length > 0 && this.waiting.length > 0) {
      const member = this.free.shift()!;
      void this.waiting.shift()!.begin(member).then(() => {
        this.free.push(member);
        this.next();
      });
    }
  }
}
