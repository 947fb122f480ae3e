/** The network of a lesson with its packets, which move: a part of one run, played over and over. */

import type { AnimationPage, Pool } from "../engine/types.js";
import type { Lesson, Setting } from "../lessons/lesson.js";
import { h } from "./dom.js";
import { Maker } from "./maker.js";

export class MovingNetwork {
  readonly element: HTMLElement;
  private readonly place = h("div", { class: "moving" });
  private readonly caption = h("p", { class: "hint" });
  private readonly maker = new Maker("the animation");
  private shown = "";

  constructor(
    private readonly lesson: Lesson,
    private readonly pool: Pool,
    private readonly animationPage: AnimationPage,
  ) {
    this.element = h("div", { class: "moving-network" }, this.place, this.caption, this.maker.element);
  }

  /** Plays the run with a setting. */
  async show({ label, overrides }: Setting): Promise<void> {
    if (this.shown === label) return;
    this.shown = label;
    const { toml, seeds, film } = this.lesson;
    const seed = seeds[0]!;
    try {
      const options = { overrides, window_s: film };
      const made = await this.maker.run((watch) => this.pool.animation(toml, seed, { ...options, ...watch }));
      if (!made) return;
      const title = `Moving packets: ${label}`;
      const page = this.animationPage({ ...made, view: "network" });
      this.place.replaceChildren(h("iframe", { title, sandbox: "allow-scripts", srcdoc: page }));
      this.caption.textContent = `${label}, seed ${seed}: packets from ${film[0]} s to ${film[1]} s, slower than they are.`;
    } catch (error) {
      this.caption.textContent = `The network could not be played: ${(error as Error).message}`;
    }
  }
}
