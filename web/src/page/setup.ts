/** The form of the laboratory: scenario, simulated time, variants, seeds, and the button that runs them. */

import type { BuiltIn, Diagnostic, Files, Models } from "../engine/types.js";
import { button, choice, field, h } from "./dom.js";
import { withCommands } from "./commands.js";
import { save } from "./download.js";
import { Editor } from "./editor/editor.js";
import type { Experiment } from "./experiment.js";
import { withOverride } from "./overrides.js";
import { FIRST, suggestionFor } from "./suggestions.js";
import { VariantsForm } from "./variants.js";

const OWN = "";
const SAVED = "scenario.toml";

export interface SetupEvents {
  readonly onChange: () => void;
  readonly onRun: () => void;
  /** An experiment was opened as a file. */
  readonly onFile: (text: string) => void;
}

export class Setup {
  readonly element: HTMLElement;
  readonly variants: VariantsForm;
  private readonly scenario: HTMLSelectElement;
  private readonly about = h("p", { class: "hint" });
  private readonly duration = h("input", { type: "text", size: 8, autocomplete: "off", placeholder: "as written" });
  private readonly seeds = h("input", {
    type: "text",
    size: 8,
    autocomplete: "off",
    title: "How many, from 1 on, such as 20; or which, such as 11..30 or 1,3,7",
  });
  private readonly fault = h("p", { class: "fault", hidden: true });
  private readonly estimate = h("p", { class: "hint" });
  private readonly runButton = h("button", { type: "submit", class: "run" }, "Run");
  private readonly mistakes = h("ul", { class: "mistakes", "aria-label": "Mistakes in the scenario" });
  /** Closed on a narrow screen, where results would be far below. */
  private readonly file = h("details", { class: "file", open: !matchMedia("(max-width: 959px)").matches });
  private readonly editor: Editor;
  private files: Files = {};
  private isSetting = false;

  constructor(
    private readonly builtins: readonly BuiltIn[],
    private readonly events: SetupEvents,
  ) {
    const options = builtins.map(({ name }): [string, string] => [name, name]);
    this.scenario = choice([...options, [OWN, "a scenario of your own"]], FIRST, (name) => this.choose(name));
    this.variants = new VariantsForm(() => this.changed());
    const place = h("div", { class: "editor" });
    const label = h("h2", { id: "editor-label" }, "Scenario file");
    this.file.append(
      h("summary", {}, label),
      h("p", { class: "hint" }, "Ctrl+Space completes; Escape, then Tab leaves the editor."),
      place,
    );
    this.editor = new Editor(place, label.id, () => this.edited());
    for (const input of [this.duration, this.seeds]) input.addEventListener("input", () => this.changed());
    this.element = h(
      "form",
      { class: "setup", "aria-label": "Experiment", onsubmit: ((event: Event) => this.submit(event)) as EventListener },
      h("div", { class: "row grow" }, field("Scenario", this.scenario), this.opener()),
      this.about,
      h("div", { class: "row" }, field("Simulated time", this.duration), field("Seeds", this.seeds), this.runButton),
      this.fault,
      this.estimate,
      this.variants.element,
      this.mistakes,
      this.file,
    );
  }

  /** Lets the editor and the form know what may be written. */
  offer(models: Models): void {
    this.editor.complete(models);
    this.variants.offer(models.models);
  }

  get experiment(): Experiment {
    return {
      toml: this.editor.text,
      files: this.files,
      duration: this.duration.value,
      common: this.variants.common,
      seeds: this.seeds.value,
      variants: this.variants.variants,
    };
  }

  set experiment(experiment: Experiment) {
    this.isSetting = true;
    this.editor.text = experiment.toml;
    this.isSetting = false;
    this.files = experiment.files;
    this.duration.value = experiment.duration;
    this.seeds.value = experiment.seeds;
    this.variants.variants = experiment.variants;
    this.variants.common = experiment.common;
    const builtIn = this.builtins.find((each) => each.toml === experiment.toml);
    this.scenario.value = builtIn?.name ?? OWN;
    this.about.textContent = builtIn ? builtIn.title : "";
    this.changed();
  }

  /** Starts with a built-in scenario and what to compare with it. */
  choose(name: string): void {
    const builtIn = this.builtins.find((each) => each.name === name);
    if (!builtIn) return;
    const { duration, seeds, variants } = suggestionFor(name);
    this.experiment = { toml: builtIn.toml, files: {}, duration, common: "", seeds, variants };
  }

  /** Sets a value of all variants. */
  set(path: string, value: string): void {
    this.variants.common = withOverride(this.variants.common, path, value);
    this.changed();
  }

  setRunning(isRunning: boolean): void {
    this.runButton.textContent = isRunning ? "Cancel" : "Run";
    this.runButton.classList.toggle("cancel", isRunning);
  }

  say(estimate: string): void {
    this.estimate.textContent = estimate;
  }

  /** Shows a mistake of the seeds, the simulated time or the values of all variants; no text takes it away. */
  setFault(text: string, of?: "seeds" | "duration"): void {
    this.fault.textContent = text;
    this.fault.hidden = !text;
    this.seeds.setAttribute("aria-invalid", String(Boolean(text) && of === "seeds"));
    this.duration.setAttribute("aria-invalid", String(Boolean(text) && of === "duration"));
  }

  /** Shows mistakes of the scenario at their keys and in a list. */
  showMistakes(diagnostics: readonly Diagnostic[]): void {
    this.editor.mark(diagnostics);
    this.mistakes.replaceChildren(
      ...diagnostics.map((each) => {
        const where = `line ${each.line}${each.key ? `, ${each.key}` : ""}`;
        const text = [each.message, each.remedy].filter(Boolean).join("; ");
        return h(
          "li",
          { class: "fault" },
          button(where, () => this.goTo(each), { class: "link" }),
          `: ${text}`,
        );
      }),
    );
  }

  private goTo(mistake: Diagnostic): void {
    this.file.open = true;
    this.editor.goTo(mistake);
  }

  private opener(): HTMLElement {
    const input = h("input", { type: "file", multiple: true, class: "unseen", tabindex: -1, "aria-hidden": "true" });
    input.addEventListener("change", () => void this.open([...(input.files ?? [])]).then(() => (input.value = "")));
    const open = button("Open files", () => input.click(), { title: "A scenario (.toml) and the files that it names, or an experiment (.json)" });
    const keep = button("Save the scenario", () => save(SAVED, withCommands(this.experiment, SAVED), "application/toml"), {
      title: "The scenario file as it is written, with the commands that make the runs of this form",
    });
    return h("div", { class: "row" }, input, open, keep);
  }

  private async open(files: readonly File[]): Promise<void> {
    const experiment = files.find((file) => file.name.endsWith(".json"));
    if (experiment) return this.events.onFile(await experiment.text());
    const scenario = files.find((file) => file.name.endsWith(".toml"));
    const others = files.filter((file) => file !== scenario);
    const read = await Promise.all(
      others.map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())] as const),
    );
    const opened = { ...this.files, ...Object.fromEntries(read) };
    if (!scenario) {
      this.files = opened;
      this.changed();
      return;
    }
    this.experiment = { ...suggestionFor(OWN), common: "", toml: await scenario.text(), files: opened };
  }

  private edited(): void {
    if (this.isSetting) return;
    this.scenario.value = this.builtins.find((each) => each.toml === this.editor.text)?.name ?? OWN;
    this.changed();
  }

  private changed(): void {
    if (!this.isSetting) this.events.onChange();
  }

  private submit(event: Event): void {
    event.preventDefault();
    this.events.onRun();
  }
}
