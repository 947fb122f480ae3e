/** How far the runs are. */

import type { Slice } from "../engine/types.js";
import { formatSeconds } from "../results/numbers.js";
import { announce } from "./announce.js";
import { h } from "./dom.js";

export class Progress {
  readonly element: HTMLElement;
  private readonly bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the runs" });
  private readonly text = h("p", { class: "hint" });
  private shares = new Map<string, number>();
  private total = 0;
  private finished = 0;
  private began = 0;

  constructor() {
    this.element = h("div", { class: "progress", hidden: true }, this.bar, this.text);
  }

  start(total: number): void {
    this.shares = new Map();
    this.total = total;
    this.finished = 0;
    this.began = performance.now();
    this.element.hidden = false;
    this.bar.hidden = false;
    this.show();
    announce(`${plural(total, "run")} started`);
  }

  /** Scrolls to it where it is below the form. */
  reveal(): void {
    if (this.element.getBoundingClientRect().top > innerHeight) this.element.scrollIntoView({ block: "start" });
  }

  slice(slice: Slice): void {
    this.shares.set(`${slice.seed} ${slice.label}`, slice.time / slice.duration);
    this.show();
  }

  run(label: string, seed: number): void {
    this.shares.set(`${seed} ${label}`, 1);
    this.finished += 1;
    this.show();
  }

  /** Says how it ended; the bar is gone. */
  end(text: string): void {
    this.bar.hidden = true;
    this.text.textContent = text;
    announce(text);
  }

  /** Says nothing: what is shown is of other runs. */
  clear(): void {
    this.element.hidden = true;
    this.text.textContent = "";
  }

  get elapsed(): string {
    return formatSeconds((performance.now() - this.began) / 1e3);
  }

  private show(): void {
    const done = [...this.shares.values()].reduce((sum, share) => sum + share, 0);
    this.bar.value = this.total ? done / this.total : 0;
    this.text.textContent = `${this.finished} of ${plural(this.total, "run")} finished`;
  }
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
