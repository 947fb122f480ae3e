/** What was made: its progress and results, and whether the form has had other settings since. */

import { announce } from "./announce.js";
import { h } from "./dom.js";

const OUTDATED = "The results below were made with earlier settings. Run again for the present ones.";

export class Outcome {
  readonly element: HTMLElement;
  private readonly line = h("p", { class: "note", hidden: true }, OUTDATED);
  private readonly made: HTMLElement;

  constructor(progress: HTMLElement, results: HTMLElement) {
    this.made = h("div", {}, progress, results);
    this.element = h("div", {}, this.line, this.made);
  }

  /** Dims the results and says why, or takes both away. */
  setOutdated(isOutdated: boolean): void {
    if (this.line.hidden === !isOutdated) return;
    this.line.hidden = !isOutdated;
    this.made.classList.toggle("outdated", isOutdated);
    if (isOutdated) announce(OUTDATED);
  }
}
