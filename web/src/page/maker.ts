/** A run that is recorded for an animation or a file: its progress, and the button that ends it. */

import type { Watch } from "../engine/types.js";
import { announce } from "./announce.js";
import { button, h } from "./dom.js";

export class Maker {
  readonly element: HTMLElement;
  private readonly bar: HTMLProgressElement;
  private job: AbortController | null = null;

  constructor(what: string) {
    this.bar = h("progress", { max: 1, value: 0, "aria-label": `Progress of ${what}` });
    const cancel = (): void => {
      this.cancel();
      announce("Cancelled");
    };
    const row = h("div", { class: "row" }, this.bar, button(`Cancel ${what}`, cancel));
    this.element = h("div", { hidden: true }, row);
  }

  /** What `make` gives; null if it was cancelled, which a newer one does, too. */
  async run<T>(make: (watch: Watch) => Promise<T>): Promise<T | null> {
    this.cancel();
    const job = new AbortController();
    this.job = job;
    this.bar.value = 0;
    this.element.hidden = false;
    try {
      const made = await make({ signal: job.signal, onProgress: (share) => (this.bar.value = share) });
      return job.signal.aborted ? null : made;
    } catch (error) {
      if (job.signal.aborted) return null;
      throw error;
    } finally {
      if (this.job === job) this.cancel();
    }
  }

  cancel(): void {
    this.job?.abort();
    this.job = null;
    this.element.hidden = true;
  }
}
