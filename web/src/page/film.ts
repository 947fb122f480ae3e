/** The animation of a run: made when asked for, in a frame without access to the page. */

import type { Animation, AnimationPage, Over, Pool } from "../engine/types.js";
import { announceFault } from "./announce.js";
import { readSpan } from "./charts/curves.js";
import { button, field, h } from "./dom.js";
import { Maker } from "./maker.js";

/** Frames are recorded from the beginning; later ones by choice. */
const FIRST_WINDOW = "0..10";

/** A run of an experiment, by its variant and seed. */
export interface Chosen {
  readonly toml: string;
  readonly label: string;
  readonly seed: number;
  readonly over: Over;
}

export class Film {
  readonly element: HTMLElement;
  private readonly window = h("input", { type: "text", value: FIRST_WINDOW, size: 10 });
  private readonly place = h("div", { class: "film" });
  private readonly fault = h("p", { class: "fault" });
  private readonly maker = new Maker("the animation");

  constructor(
    private readonly pool: Pool,
    private readonly animationPage: AnimationPage,
    private readonly chosen: () => Chosen | null,
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
      this.maker.element,
      this.place,
    );
  }

  /** Shows nothing, and ends what is being made: the run that was animated is replaced. */
  clear(): void {
    this.maker.cancel();
    this.fault.textContent = "";
    this.place.replaceChildren();
  }

  private async make(): Promise<void> {
    const chosen = this.chosen();
    const window = readSpan(this.window.value);
    if (!window) return this.refuse("Write the frames as 0..10: two instants in seconds, the earlier one first.");
    if (!chosen) return;
    const { toml, seed, label, over } = chosen;
    this.clear();
    const options = { ...over, window_s: window };
    try {
      const made = await this.maker.run((watch) => this.pool.animation(toml, seed, { ...options, ...watch }));
      if (!made) return;
      const named = { ...made, scenario: `${made.scenario}, ${label}` };
      this.place.replaceChildren(frame(this.animationPage(named), named));
    } catch (error) {
      this.refuse(`The animation could not be made: ${(error as Error).message}`);
    }
  }

  private refuse(text: string): void {
    this.fault.textContent = text;
    announceFault(text);
  }
}

function frame(page: string, { scenario, seed }: Animation): HTMLElement {
  return h("iframe", { title: `Animation of ${scenario}, seed ${seed}`, sandbox: "allow-scripts", srcdoc: page });
}
