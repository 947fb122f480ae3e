/** A job: every variant with every seed. */
import { Ended, type Member, type Task } from "./crew.js";
import { joined } from "./curves.js";
import type { Progress } from "./protocol.js";
import type { Description, Job, Order, Over, Overrides, RunResult, SeriesByName } from "./types.js";

/** What a job needs of its pool. */
interface Bench {
  describe(toml: string, over: Over): Promise<Description>;
  put(task: Task): void;
  drop(task: Task): void;
}

interface Variant {
  readonly label: string;
  readonly overrides: Overrides;
}

export class Jobs implements Job {
  readonly done: Promise<RunResult[]>;
  private cancelled = false;
  private readonly tasks: Task[] = [];
  private readonly busy = new Set<Member>();

  constructor(private readonly order: Order, private readonly bench: Bench) {
    this.done = this.all();
  }

  cancel(): void {
    this.cancelled = true;
    for (const task of this.tasks) this.bench.drop(task);
    for (const member of this.busy) member.end(new Ended("cancelled"));
  }

  private async all(): Promise<RunResult[]> {
    const { toml, files = {}, seeds } = this.order;
    const { variants, first } = await this.variants(toml, files);
    for (const { overrides } of variants.slice(first)) await this.bench.describe(toml, { overrides, files });
    const runs = new Map<string, Promise<RunResult>>();
    const key = (variant: number, seed: number) => `${variant} ${seed}`;
    for (const seed of seeds) {
      variants.forEach((variant, place) => runs.set(key(place, seed), this.one(variant, seed)));
    }
    return Promise.all(variants.flatMap((_, place) => seeds.map((seed) => runs.get(key(place, seed))!)));
  }

  /** The variants, and how many of them are known to be valid. */
  private async variants(toml: string, files: Over["files"] & object): Promise<{ variants: readonly Variant[]; first: number }> {
    if (this.order.variants !== undefined) return { variants: this.order.variants, first: 0 };
    const { name } = await this.bench.describe(toml, { files });
    return { variants: [{ label: name, overrides: {} }], first: 1 };
  }

  private one({ label, overrides }: Variant, seed: number): Promise<RunResult> {
    if (this.cancelled) return Promise.resolve({ label, seed, failed: "cancelled", series: {} });
    const { toml, files = {}, columns = false } = this.order;
    const body = { toml, overrides, files, seed, columns };
    return new Promise((resolve) => {
      const parts: SeriesByName[] = [];
      const end = (run: RunResult) => {
        parts.length = 0;
        resolve(run);
        notify(() => this.order.onRun?.(run));
      };
      const fail = ({ message }: Error) => end({ label, seed, failed: message, series: joined(parts) });
      const onProgress = (progress: Progress) => {
        parts.push(progress.series);
        notify(() => this.order.onSlice?.({ label, seed, ...progress }));
      };
      const begin = async (member: Member) => {
        this.busy.add(member);
        const asked = member.ask("run", body, onProgress);
        await asked.then(({ document, ...rest }) => end({ label, seed, result: document, ...rest }), fail);
        this.busy.delete(member);
      };
      const task: Task = { begin, drop: fail };
      this.tasks.push(task);
      this.bench.put(task);
    });
  }
}

/** A mistake in a page's function does not end the job. */
function notify(call: () => void): void {
  try {
    call();
  } catch (error) {
    reportError(error);
  }
}
