/** The page of one lesson: question, control, results, and what the numbers show once every setting was run. */

import type { Lesson, Setting } from "../lessons/lesson.js";
import { Results } from "../lessons/lesson.js";
import { asText, rowsOf } from "../results/rows.js";
import { announce, announceFault } from "./announce.js";
import { Chooser } from "./charts/chooser.js";
import { ChartPanel } from "./charts/panel.js";
import { Recording } from "./charts/recording.js";
import { button, h } from "./dom.js";
import type { Experiment } from "./experiment.js";
import { MovingNetwork } from "./moving-network.js";
import { formatOverride } from "./overrides.js";
import { PredictionForm } from "./prediction.js";
import type { Tools } from "./results-view.js";
import { formatSeeds } from "./seeds.js";
import { SettingsSlider } from "./settings.js";
import { tableElement } from "./table.js";
import type { FinishedRun } from "../engine/types.js";

export class LessonPage {
  readonly element: HTMLElement;
  private readonly table = h("div");
  private readonly state = h("p", { class: "hint" });
  private readonly prediction: PredictionForm;
  private readonly slider: SettingsSlider;
  private readonly network: MovingNetwork;
  private readonly chooser: Chooser;
  private readonly panel: ChartPanel;
  private readonly findings = h("div");
  private readonly recording = new Recording();
  private readonly runs = new Map<string, FinishedRun[]>();
  private flows: readonly string[] = [];

  constructor(
    private readonly lesson: Lesson,
    private readonly tools: Tools,
    toLaboratory: (experiment: Experiment) => void,
    next: Lesson | undefined,
  ) {
    this.prediction = new PredictionForm(lesson.prediction, () => void this.run(lesson.control.settings));
    this.slider = new SettingsSlider(lesson.control, (setting) => void this.choose(setting));
    this.network = new MovingNetwork(lesson, tools.pool, tools.animationPage);
    this.chooser = new Chooser(() => this.draw(), lesson.span ?? null);
    this.panel = new ChartPanel(lesson.charts, (span) => {
      this.chooser.setSpan(span);
      this.draw();
    });
    this.element = h(
      "article",
      { class: "lesson" },
      h("p", { class: "trail" }, h("a", { href: "#lessons" }, "Lessons")),
      h("h1", {}, lesson.title),
      h("p", { class: "question" }, lesson.question),
      ...lesson.background.map((text) => h("p", {}, text)),
      this.prediction.element,
      h("div", { class: "control" }, this.slider.element, this.state),
      h("div", { class: "watch" }, this.network.element, h("div", {}, this.chooser.element, this.panel.element)),
      h("h2", {}, "Results"),
      this.table,
      h("h2", {}, "Observe"),
      h("ol", {}, ...lesson.observe.map((text) => h("li", {}, text))),
      h("h2", {}, "What the numbers show"),
      this.findings,
      h("h2", {}, "Continue"),
      h("p", {}, lesson.further),
      h(
        "div",
        { class: "row" },
        button("Open in the laboratory", () => toLaboratory(this.experiment)),
        next ? h("a", { href: `#lesson=${next.id}`, class: "next" }, `Next: ${next.title}`) : null,
      ),
    );
    this.draw();
  }

  /** Runs the first setting, so that there is something to compare with. */
  start(): void {
    void this.choose(this.slider.setting);
  }

  private async choose(setting: Setting): Promise<void> {
    await Promise.all([this.run([setting]), this.network.show(setting)]);
  }

  /** Runs what was not run yet. */
  private async run(settings: readonly Setting[]): Promise<void> {
    const { lesson } = this;
    const wanted = settings.filter((each) => !this.runs.has(each.label));
    if (!wanted.length) return this.draw();
    for (const { label } of wanted) this.runs.set(label, []);
    this.state.textContent = `Running ${wanted.map((each) => each.label).join(", ")}`;
    announce(this.state.textContent);
    try {
      this.flows = (await this.tools.pool.describe(lesson.toml)).flows;
      const job = this.tools.pool.run({
        toml: lesson.toml,
        variants: wanted,
        seeds: lesson.seeds,
        onSlice: (slice) => {
          this.recording.append(slice);
          this.draw();
        },
      });
      for (const run of await job.done) {
        this.recording.finish(run);
        if (run.failed === undefined) this.runs.get(run.label)?.push(run);
        else announceFault(`${run.label}, seed ${run.seed}: ${run.failed}`);
      }
      // A setting with a run that failed is run again when it is chosen again.
      for (const { label } of wanted) if (this.runs.get(label)?.length !== lesson.seeds.length) this.runs.delete(label);
      const left = this.lesson.control.settings.length - this.finished.length;
      this.state.textContent = left ? `${left} more to run.` : "All settings were run.";
      announce(this.state.textContent);
    } catch (error) {
      for (const { label } of wanted) this.runs.delete(label);
      this.state.textContent = (error as Error).message;
      announceFault(this.state.textContent);
    }
    this.draw();
    this.showTable();
  }

  /** The settings that have results, in the order of the control. */
  private get finished(): Setting[] {
    return this.lesson.control.settings.filter(
      (each) => this.runs.get(each.label)?.length === this.lesson.seeds.length,
    );
  }

  private draw(): void {
    const labels = this.lesson.control.settings.map((each) => each.label).filter((label) => this.runs.has(label));
    if (labels.length) {
      this.chooser.offer(labels, this.flows, this.lesson.seeds);
      this.panel.show(this.chooser.shown(this.recording));
    }
    if (!this.findings.firstChild) this.showFindings();
  }

  private showTable(): void {
    const runs = this.finished.flatMap((each) => this.runs.get(each.label)!);
    const rows = rowsOf(runs, this.tools.summarise, this.lesson.columns);
    if (rows.length)
      this.table.replaceChildren(
        tableElement(asText(rows, this.lesson.columns, this.lesson.control.label), "Results of the settings"),
      );
    this.showFindings();
  }

  private showFindings(): void {
    const { settings } = this.lesson.control;
    if (this.finished.length < settings.length) {
      this.findings.replaceChildren(
        h("p", { class: "hint" }, `Predict first. The findings appear when all ${settings.length} settings were run.`),
      );
      return;
    }
    const runs = settings.flatMap((each) => this.runs.get(each.label)!);
    const results = new Results(rowsOf(runs, this.tools.summarise, this.lesson.columns), runs);
    this.prediction.compare(results);
    const items = this.lesson.claims.map((claim) => {
      const isTrue = claim.holds(results);
      return h(
        "li",
        { class: isTrue ? "holds" : "fails" },
        claim.text,
        h(
          "span",
          { class: "verdict" },
          isTrue ? " Checked against the numbers above." : " Not so in the numbers above.",
        ),
      );
    });
    this.findings.replaceChildren(h("ul", { class: "findings" }, ...items));
  }

  private get experiment(): Experiment {
    const { toml, seeds, control } = this.lesson;
    const variants = control.settings.map(({ label, overrides }) => ({
      label,
      changes: Object.entries(overrides)
        .map(([path, value]) => formatOverride(path, value))
        .join("\n"),
    }));
    return { toml, files: {}, duration: "", common: "", seeds: formatSeeds(seeds), variants };
  }
}
