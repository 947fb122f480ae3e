/** The form for variants: a name and the values that it sets, a line each; and a quick way to compare models of a kind. */

import type { Model } from "../engine/types.js";
import { button, choice, field, freshId, h } from "./dom.js";
import type { WrittenVariant } from "./experiment.js";

const KINDS = ["congestion_control", "recovery", "route_failure", "queue", "error", "routing", "mac"];

interface Entry {
  readonly element: HTMLElement;
  readonly label: HTMLInputElement;
  readonly changes: HTMLTextAreaElement;
  readonly fault: HTMLElement;
}

export class VariantsForm {
  readonly element: HTMLElement;
  private readonly list = h("ol", { class: "variants" });
  private readonly all = h("textarea", { rows: 1, spellcheck: "false", autocomplete: "off" });
  private readonly compare = h("details", { class: "compare" }, h("summary", {}, "Compare models"));
  private entries: Entry[] = [];

  constructor(private readonly onChange: () => void) {
    const add = button("Add a variant", () => {
      this.add({ label: `variant ${this.entries.length + 1}`, changes: "" });
      this.entries.at(-1)?.label.focus();
      this.onChange();
    });
    this.element = h(
      "fieldset",
      { class: "variants-form" },
      h("legend", {}, "Variants"),
      h(
        "p",
        { class: "hint" },
        "Each sets values over the scenario, a line each, such as ",
        h("code", {}, "congestion_control = hybla"),
        " or ",
        h("code", {}, 'links.0.delay = "20 ms"'),
        ".",
      ),
      this.list,
      field("Values of all variants", this.all, "Sliders write them. A variant's own values have precedence."),
      h("div", { class: "row" }, add, this.compare),
    );
    this.all.addEventListener("input", () => {
      fit(this.all);
      this.onChange();
    });
  }

  /** The values of all variants, a line each. */
  get common(): string {
    return this.all.value;
  }

  set common(text: string) {
    this.all.value = text;
    fit(this.all);
  }

  get variants(): WrittenVariant[] {
    return this.entries.map(({ label, changes }) => ({ label: label.value, changes: changes.value }));
  }

  set variants(variants: readonly WrittenVariant[]) {
    this.entries = [];
    this.list.replaceChildren();
    for (const variant of variants) this.add(variant);
  }

  /** Shows a mistake at a variant; no text takes it away. */
  setFault(number: number, text: string): void {
    const entry = this.entries[number];
    if (!entry) return;
    entry.fault.textContent = text;
    entry.fault.hidden = !text;
    entry.changes.setAttribute("aria-invalid", String(Boolean(text)));
  }

  clearFaults(): void {
    for (const number of this.entries.keys()) this.setFault(number, "");
  }

  /** Offers the models of each kind. */
  offer(models: readonly Model[]): void {
    const boxes = h("div", { class: "boxes" });
    const fill = (kind: string): void => {
      const named = models.filter((model) => model.kind === kind);
      boxes.replaceChildren(
        ...named.map((model) =>
          h("label", { title: model.doc }, h("input", { type: "checkbox", value: model.name }), ` ${model.name}`),
        ),
      );
    };
    const kinds = KINDS.filter((kind) => models.some((model) => model.kind === kind));
    let kind = kinds[0] ?? "";
    const select = choice(
      kinds.map((each) => [each, each.replaceAll("_", " ")] as const),
      kind,
      (value) => {
        kind = value;
        fill(kind);
      },
    );
    fill(kind);
    const use = button("Use as variants", () => {
      const names = [...boxes.querySelectorAll<HTMLInputElement>("input:checked")].map((box) => box.value);
      if (!names.length) return;
      this.variants = names.map((name) => ({ label: name, changes: `${kind} = ${name}` }));
      this.compare.open = false;
      this.onChange();
    });
    const group = h("fieldset", { class: "plain" }, h("legend", { class: "unseen" }, "Models to compare"), boxes);
    this.compare.replaceChildren(h("summary", {}, "Compare models"), field("Kind", select), group, use);
  }

  private add(variant: WrittenVariant): void {
    const number = freshId("variant");
    const label = h("input", { type: "text", value: variant.label, id: `${number}-name`, autocomplete: "off" });
    const changes = h("textarea", {
      id: `${number}-values`,
      spellcheck: "false",
      autocomplete: "off",
      "aria-describedby": `${number}-fault`,
    });
    changes.value = variant.changes;
    fit(changes);
    const fault = h("p", { class: "fault", id: `${number}-fault`, hidden: true });
    const remove = button("×", () => {
      this.entries = this.entries.filter((each) => each !== entry);
      element.remove();
      this.onChange();
    });
    remove.setAttribute("aria-label", `Remove the variant ${variant.label}`);
    const element = h(
      "li",
      {},
      h(
        "div",
        { class: "variant" },
        h("label", { for: label.id, class: "unseen" }, "Name"),
        label,
        h("label", { for: changes.id, class: "unseen" }, "Values"),
        changes,
        remove,
      ),
      fault,
    );
    const entry: Entry = { element, label, changes, fault };
    label.addEventListener("input", () => {
      remove.setAttribute("aria-label", `Remove the variant ${label.value}`);
      this.onChange();
    });
    changes.addEventListener("input", () => {
      fit(changes);
      this.onChange();
    });
    this.entries.push(entry);
    this.list.append(element);
  }
}

/** As many rows as lines. */
function fit(text: HTMLTextAreaElement): void {
  text.rows = Math.max(text.value.split("\n").length, 1);
}
