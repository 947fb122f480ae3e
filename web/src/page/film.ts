/** The animation of a run: made when asked for, in a frame without access to the page. */

import type { Animation, AnimationPage, Pool } from "../engine/types.js";
import { announceFault } from "./announce.js";
import { readSpan } from "./charts/curves.js";
import type { Runnable } from "./experiment.js";
import { button, field, h } from "./dom.js";

/** Frames are recorded from the beginning; later ones by choice. */
const FIRST_WINDOW = "0..10";

export class Film {
  readonly element: HTMLElement;
  private readonly window = h("input", { type: "text", value: FIRST_WINDOW, size: 10 });
  private readonly place = h("div", { class: "film" });
  private readonly fault = h("p", { class: "fault" });
  /** Of the animation that is wanted; one that was being made for another is not shown. */
  private number = 0;

  constructor(
    private readonly pool: Pool,
    private readonly animationPage: AnimationPage,
    private readonly chosen: () => { order: Runnable; label: string; seed: number } | null,
  ) {
    this.element = h(
      "div",
      {},
      h(
        "div",
        { class: "row" },
        field("Frames from..to, in s", this.window),
        button("Make the animation", () => void this.make()),
      ),
      this.fault,
      this.place,
    );
  }

  /** Shows nothing: the run that was animated is replaced. */
  clear(): void {
    this.number += 1;
    this.fault.textContent = "";
    this.place.replaceChildren();
  }

  private async make(): Promise<void> {
    const chosen = this.chosen();
    const window = readSpan(this.window.value);
    if (!window) return this.refuse("Write the frames as 0..10: two instants in seconds, the earlier one first.");
    if (!chosen) return;
    const { order, label, seed } = chosen;
    const overrides = order.variants.find((variant) => variant.label === label)?.overrides ?? {};
    this.clear();
    const { number } = this;
    this.place.replaceChildren(h("p", { class: "hint" }, "The run is being recorded."));
    try {
      const made = await this.pool.animation(order.toml, seed, { overrides, files: order.files, window_s: window });
      if (number !== this.number) return;
      this.place.replaceChildren(frame(this.animationPage(made), made, label));
    } catch (error) {
      if (number !== this.number) return;
      this.clear();
      this.refuse(`The animation could not be made: ${(error as Error).message}`);
    }
  }

  private refuse(text: string): void {
    this.fault.textContent = text;
    announceFault(text);
  }
}

function frame(page: string, made: Animation, label: string): HTMLElement {
  const title = `Animation of ${made.scenario}, ${label}, seed ${made.seed}`;
  return h("iframe", { title, sandbox: "allow-scripts", srcdoc: page });
}
