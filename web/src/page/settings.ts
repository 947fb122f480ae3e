/** The control of a lesson: a slider over its settings. */

import type { Control, Setting } from "../lessons/lesson.js";
import { freshId, h } from "./dom.js";

export class SettingsSlider {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly output = h("output");

  /** `onChange` is called with a setting when the slider was moved to it. */
  constructor(
    private readonly control: Control,
    onChange: (setting: Setting) => void,
  ) {
    const id = freshId("setting");
    const { settings, initial } = control;
    const first = settings.findIndex(({ label }) => label === initial);
    this.input = h("input", { type: "range", id, min: 0, max: settings.length - 1, step: 1, value: first });
    this.output.setAttribute("for", id);
    this.input.addEventListener("input", () => this.say());
    this.input.addEventListener("change", () => onChange(this.setting));
    const marks = settings.map(({ label }, place) => {
      const mark = h("span", { "aria-hidden": "true" }, label);
      mark.addEventListener("click", () => {
        this.input.value = String(place);
        this.say();
        onChange(this.setting);
      });
      return mark;
    });
    this.element = h(
      "div",
      { class: "steps" },
      h("label", { for: id }, `${control.label}: `, this.output),
      this.input,
      h("div", { class: "marks" }, ...marks),
    );
    this.element.style.setProperty("--count", String(settings.length));
    this.say();
  }

  get setting(): Setting {
    return this.control.settings[Number(this.input.value)]!;
  }

  private say(): void {
    this.output.textContent = this.setting.label;
    this.input.setAttribute("aria-valuetext", this.setting.label);
  }
}
