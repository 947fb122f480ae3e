/** Runs of an experiment: what has been recorded and finished so far, and the way to end them. */

import type { FinishedRun, Job, Pool, RunResult } from "../engine/types.js";
import { Recording } from "./charts/recording.js";
import type { Runnable } from "./experiment.js";
import type { Progress } from "./progress.js";

export interface Watcher {
  /** New samples. */
  readonly onSamples: () => void;
  /** A run ended. */
  readonly onRun: () => void;
}

export class Execution {
  readonly recording = new Recording();
  readonly runs: FinishedRun[] = [];
  readonly failures: { label: string; seed: number; failed: string }[] = [];

  private constructor(
    readonly order: Runnable,
    private job: Job | null,
  ) {}

  static start(pool: Pool, order: Runnable, progress: Progress, watcher: Watcher): Execution {
    const made = new Execution(order, null);
    progress.start(order.variants.length * order.seeds.length);
    made.job = pool.run({
      ...order,
      onSlice: (slice) => {
        made.recording.append(slice);
        progress.slice(slice);
        watcher.onSamples();
      },
      onRun: (run) => {
        made.add(run);
        progress.run(run.label, run.seed);
        watcher.onRun();
      },
    });
    return made;
  }

  /** Runs that were made before. */
  static ofSaved(order: Runnable, runs: readonly FinishedRun[]): Execution {
    const made = new Execution(order, null);
    for (const run of runs) made.add(run);
    return made;
  }

  cancel(): void {
    this.job?.cancel();
  }

  /** Resolves when all runs ended, with them in order; rejects if the scenario is refused. */
  async finish(): Promise<void> {
    const all = (await this.job?.done) ?? [];
    this.runs.length = 0;
    this.failures.length = 0;
    for (const run of all) this.add(run);
  }

  /** Whether every run finished. */
  get isWhole(): boolean {
    return this.runs.length === this.order.variants.length * this.order.seeds.length;
  }

  get isCancelled(): boolean {
    return this.failures.some((each) => each.failed === "cancelled");
  }

  private add(run: RunResult): void {
    this.recording.finish(run);
    if (run.failed === undefined) this.runs.push(run);
    else this.failures.push(run);
  }
}
