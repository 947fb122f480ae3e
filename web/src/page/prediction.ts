/** A number that is predicted before all settings of a lesson are run, and then compared with the measured one. */

import type { Prediction, Results } from "../lessons/lesson.js";
import { formatNumber } from "../results/numbers.js";
import { button, field, h } from "./dom.js";

/** A prediction so near, as a share of the measured number, is called close. */
const CLOSE = 0.1;

export class PredictionForm {
  readonly element: HTMLElement;
  private readonly input = h("input", { type: "text", inputmode: "decimal", size: 8, autocomplete: "off", required: true });
  private readonly outcome = h("p", { class: "outcome-of-prediction", role: "status" });
  private readonly buttons: HTMLElement;

  constructor(
    private readonly prediction: Prediction,
    onRun: () => void,
  ) {
    const { question, unit } = prediction;
    this.input.addEventListener("input", () => this.input.setCustomValidity(""));
    const submit = (event: Event): void => {
      event.preventDefault();
      const read = readPrediction(this.input.value);
      if ("fault" in read) {
        this.input.setCustomValidity(read.fault);
        this.input.reportValidity();
      } else onRun();
    };
    this.buttons = h(
      "div",
      { class: "row" },
      h("button", { type: "submit", class: "run" }, "Run all settings"),
      button("Run without a prediction", onRun),
    );
    this.element = h(
      "form",
      { class: "prediction", onsubmit: submit as EventListener },
      h("div", { class: "row" }, field(`Predict, in ${unit}: ${question}`, this.input), this.buttons),
      this.outcome,
    );
  }

  /** Compares with what was measured. */
  compare(results: Results): void {
    const { unit, of, isInstant = false } = this.prediction;
    const measured = of(results);
    this.input.readOnly = true;
    this.buttons.hidden = true;
    const { value } = this;
    const found = `Measured: ${formatNumber(measured)} ${unit}.`;
    if (value === null) this.outcome.textContent = found;
    else {
      const verdict = verdictOn(value, measured, isInstant);
      this.outcome.textContent = `${found} You predicted ${formatNumber(value)} ${unit}: ${verdict}.`;
    }
  }

  private get value(): number | null {
    const read = readPrediction(this.input.value);
    return "fault" in read ? null : read.value;
  }
}

/** How near a prediction is; of instants, which are in s, by their difference. */
export function verdictOn(value: number, measured: number, isInstant: boolean): string {
  if (isInstant)
    return `${formatNumber(Math.abs(value - measured))} s ${value < measured ? "before" : "after"} the measured time`;
  const share = measured === 0 ? Infinity : value / measured;
  return Math.abs(share - 1) <= CLOSE ? "close" : `${formatNumber(share)} times the measured value`;
}

/** A number that is predicted, or why the text is none. What lessons ask for is never negative. */
export function readPrediction(written: string): { value: number } | { fault: string } {
  const text = written.trim();
  if (/^\d{1,3},\d{3}$/.test(text) && !text.startsWith("0"))
    return { fault: `${text} can be ${text.replace(",", "")} or ${text.replace(",", ".")}: write one of these` };
  const number = text.replace(",", ".");
  if (/^[-\u2212]\s*\d/.test(number)) return { fault: "This quantity cannot be negative" };
  if (!/^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(number) || !Number.isFinite(Number(number)))
    return { fault: "Write a number, such as 0.5" };
  return { value: Number(number) };
}
