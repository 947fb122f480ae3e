/** The choice of curves and seed above the charts. */

import type { Rate } from "../../engine/types.js";
import { choice, field, h } from "../dom.js";
import { readSpan, Shown, type Selection, type Span } from "./curves.js";
import type { Recording } from "./recording.js";

const FLOW = "flow:";
const VARIANT = "variant:";
const RATES: readonly (readonly [Rate, string])[] = [
  ["delivery", "delivery rate: new payload received, in order or not"],
  ["goodput", "goodput: payload delivered in order, in bursts after a repair"],
];

export class Chooser {
  readonly element = h("div", { class: "row" });
  private variants: readonly string[] = [];
  private flows: readonly string[] = [];
  private seeds: readonly number[] = [];
  private curves = "";
  /** Whether the person chose the curves. */
  private isChosen = false;
  private seed = 0;
  private rate: Rate = "delivery";
  private readonly time = h("input", { type: "text", size: 9, placeholder: "whole run", autocomplete: "off" });

  constructor(
    private readonly onChange: () => void,
    span: Span | null = null,
  ) {
    this.setSpan(span);
    this.time.addEventListener("change", () => {
      const isWrong = this.time.value.trim() !== "" && !readSpan(this.time.value);
      this.time.setCustomValidity(isWrong ? "Write the time as 0..10: two instants in seconds, the earlier one first." : "");
      this.time.reportValidity();
      this.onChange();
    });
  }

  /** The time that charts show; null is the whole run. */
  setSpan(span: Span | null): void {
    this.time.setCustomValidity("");
    this.time.value = span ? span.map((time) => Number(time.toPrecision(4))).join("..") : "";
  }

  /** Offers what there is; a former choice stays if it is still there. */
  offer(variants: readonly string[], flows: readonly string[], seeds: readonly number[]): void {
    // A choice that has the focus keeps it.
    const isSame = JSON.stringify([variants, flows, seeds]) === JSON.stringify([this.variants, this.flows, this.seeds]);
    if (isSame) return;
    [this.variants, this.flows, this.seeds] = [variants, flows, seeds];
    const options = this.options;
    if (!this.isChosen || !options.some(([value]) => value === this.curves)) this.curves = options[0]?.[0] ?? "";
    if (!seeds.includes(this.seed)) this.seed = seeds[0] ?? 0;
    this.element.replaceChildren(...this.controls());
  }

  /** A time after the end of the runs, which was of others, gives way to the whole run. */
  shown(recording: Recording): Shown {
    const from = readSpan(this.time.value)?.[0] ?? 0;
    if (recording.duration > 0 && from >= recording.duration) this.setSpan(null);
    return new Shown(recording, this.variants, this.flows, this.selection, this.rate, readSpan(this.time.value));
  }

  get selection(): Selection {
    const name = this.curves.slice(this.curves.indexOf(":") + 1);
    return { seed: this.seed, ...(this.curves.startsWith(VARIANT) ? { variant: name } : { flow: name }) };
  }

  private get options(): [string, string][] {
    const { variants, flows } = this;
    const ofFlows = flows.map((flow): [string, string] => [FLOW + flow, `${flow}, all variants`]);
    const ofVariants = variants.map((variant): [string, string] => [VARIANT + variant, `${variant}, all flows`]);
    if (variants.length < 2) return ofVariants;
    return flows.length < 2 ? ofFlows : [...ofFlows, ...ofVariants];
  }

  private controls(): HTMLElement[] {
    const made: HTMLElement[] = [];
    const options = this.options;
    if (options.length > 1) {
      made.push(
        field(
          "Curves",
          choice(options, this.curves, (value) => {
            this.curves = value;
            this.isChosen = true;
            this.onChange();
          }),
        ),
      );
    }
    if (this.seeds.length > 1) {
      const seeds = this.seeds.map((seed): [string, string] => [String(seed), String(seed)]);
      made.push(
        field(
          "Seed",
          choice(seeds, String(this.seed), (value) => {
            this.seed = Number(value);
            this.onChange();
          }),
        ),
      );
    }
    const rate = choice(RATES, this.rate, (value) => {
      this.rate = value as Rate;
      this.onChange();
    });
    made.push(field("Rate shown", rate), field("Time from..to, in s", this.time));
    return made;
  }
}
