/** Slices of a run: some tens of milliseconds each, so that progress is shown. As python/farlink/execution/execute.py. */

/** Of simulated time, in s; slices then become longer or shorter until they take so many milliseconds: */
const FIRST_S = 0.01;
const SHORT_MS = 20;
const LONG_MS = 100;
/** Bounds a slice when a long time without events, which takes no time, is followed by traffic. */
const FEWEST = 200;
const FIRST_EVENTS = 10_000;
const MOST_EVENTS = 500_000;

/** Where the slices of a run end. */
export class Slices {
  private step_s = FIRST_S;
  private events = FIRST_EVENTS;

  constructor(private readonly duration_s: number) {}

  /** The simulated time at which the next slice ends. */
  until(now_s: number): number {
    return Math.min(now_s + Math.min(this.step_s, this.duration_s / FEWEST), this.duration_s);
  }

  /** The number of events after which it ends. */
  limit(handled: number): number {
    return handled + this.events;
  }

  /** Makes the next one longer or shorter than the last, which took so long. */
  adapt(took_ms: number): void {
    if (took_ms < SHORT_MS) {
      this.step_s = Math.min(this.step_s * 2, this.duration_s);
      this.events = Math.min(this.events * 2, MOST_EVENTS);
    } else if (took_ms > LONG_MS) {
      this.step_s = Math.max(this.step_s / 2, 1e-9);
      this.events = Math.max(Math.floor(this.events / 2), 1);
    }
  }
}
