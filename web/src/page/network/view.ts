/** The network of the scenario, drawn, with sliders for one link of it. */

import { choice, field, freshId, h } from "../dom.js";
import { drawing } from "./drawing.js";
import type { Link, Network } from "./model.js";
import { formatQuantity, QUANTITIES, settingOf, stepsOf, type Quantity } from "./steps.js";

const WORDS: Readonly<Record<Quantity, string>> = { rate: "Rate", delay: "Delay", loss: "Loss", queue: "Queue" };

const BOTH = "Values are of both directions, also for loss, unless the scenario has a value in reverse.";

/** A value that was set: a dotted path with its TOML. */
export type OnSet = (path: string, value: string) => void;

export class NetworkView {
  readonly element = h("section", { class: "network-view", "aria-label": "Network", hidden: true });
  private readonly picture = h("div", { class: "picture" });
  private readonly controls = h("div", { class: "sliders" });
  private network: Network | null = null;
  private chosen = 0;

  constructor(private readonly onSet: OnSet) {
    this.element.append(this.picture, this.controls);
  }

  /** Draws a network; the sliders of a link stay if they are of the same network. */
  show(network: Network): void {
    const shape = ({ name, links }: Network): string => JSON.stringify([name, links.map(({ ends }) => ends)]);
    const isSame = this.network !== null && shape(network) === shape(this.network);
    const isEqual = JSON.stringify(network) === JSON.stringify(this.network);
    this.network = network;
    this.element.hidden = false;
    if (isEqual) return;
    if (!isSame) this.chosen = narrowest(network.links);
    this.draw();
    // A slider that is being moved keeps the focus.
    if (!isSame || !this.controls.contains(document.activeElement)) this.fillControls();
  }

  private draw(): void {
    if (this.network) this.picture.replaceChildren(drawing(this.network, this.chosen, (link) => this.choose(link)));
  }

  private choose(link: number): void {
    this.chosen = link;
    this.draw();
    this.fillControls();
  }

  private fillControls(): void {
    const { links } = this.network!;
    const link = links[this.chosen];
    this.controls.replaceChildren();
    if (!link) {
      this.controls.append(h("p", { class: "hint" }, "All nodes share channels, whose values are in the scenario file."));
      return;
    }
    const names = links.map(({ ends }, number): [string, string] => [String(number), ends.join(" to ")]);
    const select = choice(names, String(this.chosen), (value) => this.choose(Number(value)));
    if (new Set(links.map(({ path }) => path)).size > 1) this.controls.append(field("Link", select));
    else this.controls.append(h("p", {}, links.length > 1 ? `All ${links.length} links` : names[0]![1]));
    for (const quantity of QUANTITIES) this.controls.append(this.slider(quantity, link));
    this.controls.append(h("p", { class: "hint" }, BOTH));
  }

  private slider(quantity: Quantity, link: Link): HTMLElement {
    const present = link[quantity];
    if (present === null || link.fixed.includes(quantity)) {
      const why = link.fixed.includes(quantity) ? "set by every variant" : quantity === "queue" ? "without a limit" : "varies";
      return h("div", { class: "slider" }, h("span", {}, WORDS[quantity]), h("output", {}, why));
    }
    const steps = stepsOf(quantity, present);
    const id = freshId("slider");
    const input = h("input", { type: "range", id, min: 0, max: steps.length - 1, step: 1, value: steps.indexOf(present) });
    const output = h("output", { for: id });
    const say = (): number => {
      const value = steps[Number(input.value)]!;
      output.textContent = formatQuantity(quantity, value);
      input.setAttribute("aria-valuetext", output.textContent);
      return value;
    };
    say();
    input.addEventListener("input", say);
    input.addEventListener("change", () => {
      const [path, value] = settingOf(quantity, say(), link.discipline);
      this.onSet(`${link.path}.${path}`, value);
    });
    return h("div", { class: "slider" }, h("label", { for: id }, WORDS[quantity]), input, output);
  }
}

/** The link that limits most; the first of equals. */
function narrowest(links: readonly Link[]): number {
  const rates = links.map(({ rate }) => rate ?? Infinity);
  return Math.max(rates.indexOf(Math.min(...rates)), 0);
}
