/** The results of the laboratory: table, charts, explanation, animation, files. They grow while runs are made. */

import type { AnimationPage, FinishedRun, Pool, Summarise } from "../engine/types.js";
import type { TextTable } from "../results/rows.js";
import { resultsText } from "../results/tables.js";
import { warningsOf } from "../results/warnings.js";
import { announceFault } from "./announce.js";
import { Chooser } from "./charts/chooser.js";
import type { Span } from "./charts/curves.js";
import { ChartPanel } from "./charts/panel.js";
import { seriesCsv, save, toCsv, toJson } from "./download.js";
import type { Execution } from "./execution.js";
import { explanationElement } from "./explanation.js";
import { Film, type Chosen } from "./film.js";
import { button, field, h } from "./dom.js";
import { Maker } from "./maker.js";
import { tableElements } from "./table.js";

/** Between two drawings of the table while runs are made, in ms. */
const PAUSE = 400;
const NO_FLOW = "The scenario has no flow of its own, so that only queues are drawn. The table has its workloads.";
const NO_EXPLANATION = "Flows of workloads have no explanation.";

export interface Tools {
  readonly pool: Pool;
  readonly summarise: Summarise;
  readonly animationPage: AnimationPage;
}

export class ResultsView {
  readonly element: HTMLElement;
  private readonly table = h("div");
  private readonly note = h("p", { class: "note", hidden: true });
  private readonly warnings = h("ul", { class: "warnings", "aria-label": "Warnings", hidden: true });
  private readonly chooser = new Chooser(() => this.select());
  private readonly panel = new ChartPanel(["delivery", "cwnd", "rtt", "queue"], (span) => this.zoom(span));
  private readonly noFlow = h("p", { class: "hint", hidden: true }, NO_FLOW);
  private readonly explanations = h("div", { class: "explanations" });
  private readonly film: Film;
  private readonly capture = new Maker("the capture");
  private readonly variant = h("select");
  /** The choice of the variant whose run is recorded; hidden where there is one. */
  private readonly recorded = field("Variant of the animation and of the packets", this.variant);
  private readonly ofWorkloads = button("Workloads, CSV", () => this.saveWorkloads());
  private readonly rest: HTMLElement;
  private execution: Execution | null = null;
  private name = "farlink";
  private tableDue = 0;

  constructor(
    private readonly tools: Tools,
    share: HTMLElement,
  ) {
    this.film = new Film(tools.pool, tools.animationPage, () => this.chosen());
    this.rest = h(
      "div",
      { hidden: true },
      section("Over time", this.chooser.element, this.noFlow, this.panel.element),
      section("What limited the flows", this.explanations),
      section(
        "Animation and packets",
        h("p", { class: "hint" }, "Of one run, with the seed chosen above. The animation has nodes, frames, routes and drops."),
        this.recorded,
        this.film.element,
        h("div", { class: "row" }, button("Packets, pcap", () => void this.savePcap())),
        this.capture.element,
      ),
      section("Files and link", this.downloads(), share),
    );
    this.element = h("div", { class: "results-view" }, this.note, this.warnings, this.table, this.rest);
  }

  /** Shows runs that are being made. */
  begin(execution: Execution, name: string, flows: readonly string[]): void {
    this.execution = execution;
    this.name = name;
    this.note.hidden = this.warnings.hidden = true;
    this.rest.hidden = false;
    this.film.clear();
    this.capture.cancel();
    this.noFlow.hidden = flows.length > 0;
    this.ofWorkloads.hidden = true;
    this.explanations.replaceChildren(h("p", { class: "hint" }, "Explanations follow when the runs have finished."));
    this.table.replaceChildren();
    this.offerVariants(execution.order.variants.map((variant) => variant.label));
    this.chooser.offer(
      execution.order.variants.map((variant) => variant.label),
      flows,
      execution.order.seeds,
    );
    this.refreshSamples();
  }

  refreshSamples(): void {
    if (this.execution) this.panel.show(this.chooser.shown(this.execution.recording));
  }

  /** Draws the table soon: many runs may end at once. */
  refreshTable(): void {
    if (this.tableDue) return;
    this.tableDue = window.setTimeout(() => this.drawTable(), PAUSE);
  }

  /** All runs ended. */
  async end(): Promise<void> {
    this.drawTable();
    this.refreshSamples();
    await otherWork();
    this.explain();
  }

  /** Results that came with a link, until they are computed anew. */
  showShared(table: TextTable): void {
    this.clear();
    this.table.replaceChildren(...tableElements(table, "Results in the link"));
    this.say("These results came with the link or file. Run computes them on this computer and compares them.");
  }

  /** Shows nothing: another experiment was opened. */
  clear(): void {
    clearTimeout(this.tableDue);
    this.tableDue = 0;
    this.execution = null;
    this.film.clear();
    this.capture.cancel();
    this.rest.hidden = this.note.hidden = this.warnings.hidden = true;
    this.table.replaceChildren();
  }

  say(text: string): void {
    this.note.hidden = false;
    this.note.textContent = text;
  }

  get text(): TextTable | null {
    return this.execution?.runs.length ? resultsText(this.execution.runs, this.tools.summarise) : null;
  }

  private drawTable(): void {
    clearTimeout(this.tableDue);
    this.tableDue = 0;
    const runs = this.execution?.runs ?? [];
    if (!runs.length) return;
    this.table.replaceChildren(...tableElements(resultsText(runs, this.tools.summarise), "Results"));
    this.ofWorkloads.hidden = !runs.some((run) => run.result.workloads.length);
    this.warn(runs);
  }

  private warn(runs: readonly FinishedRun[]): void {
    const lines = warningsOf(runs);
    this.warnings.hidden = lines.length === 0;
    this.warnings.replaceChildren(...lines.map((line) => h("li", {}, `Warning: ${line}`)));
  }

  /** A former choice stays if it is still there. */
  private offerVariants(labels: readonly string[]): void {
    const former = this.variant.value;
    this.variant.replaceChildren(...labels.map((label) => h("option", { selected: label === former }, label)));
    this.recorded.hidden = labels.length < 2;
  }

  private select(): void {
    const { variant } = this.chooser.selection;
    if (variant !== undefined) this.variant.value = variant;
    this.refreshSamples();
    this.explain();
  }

  private zoom(span: Span | null): void {
    this.chooser.setSpan(span);
    this.refreshSamples();
  }

  private explain(): void {
    const { variant, seed } = this.chooser.selection;
    const runs =
      this.execution?.runs.filter((run) => run.seed === seed && (variant === undefined || run.label === variant)) ?? [];
    const found = runs.flatMap((run) => run.explanation.map((each) => explanationElement(run.label, each)));
    const isOfWorkloads = runs.length > 0 && !found.length;
    this.explanations.replaceChildren(...(isOfWorkloads ? [h("p", { class: "hint" }, NO_EXPLANATION)] : found));
  }

  private chosen(): Chosen | null {
    if (!this.execution) return null;
    const { seed } = this.chooser.selection;
    const { toml, files, variants } = this.execution.order;
    const { label, overrides } = variants[this.variant.selectedIndex]!;
    return { toml, seed, label, over: { overrides, files } };
  }

  private downloads(): HTMLElement {
    const runs = () => this.execution?.runs ?? [];
    const json = () => toJson(this.execution!.order.toml, this.execution!.order.variants, runs());
    return h(
      "div",
      { class: "row" },
      button("Results, JSON", () => save(`${this.name}.json`, json(), "application/json")),
      button("Results, CSV", () => save(`${this.name}.csv`, toCsv(runs()), "text/csv")),
      this.ofWorkloads,
      button("Time series, CSV", () => save(`${this.name}-series.csv`, seriesCsv(runs()), "text/csv")),
      button("Charts, PNG", () => void this.savePng()),
    );
  }

  private saveWorkloads(): void {
    save(`${this.name}-workloads.csv`, toCsv(this.execution?.runs ?? [], "workloads"), "text/csv");
  }

  private async savePng(): Promise<void> {
    const picture = await this.panel.png();
    if (picture) save(`${this.name}.png`, picture, "image/png");
  }

  private async savePcap(): Promise<void> {
    const chosen = this.chosen();
    if (!chosen) return;
    const { toml, seed, label, over } = chosen;
    try {
      const bytes = await this.capture.run((watch) => this.tools.pool.pcap(toml, seed, { ...over, ...watch }));
      if (bytes) save(`${this.name}-${label}-${seed}.pcap`, bytes as BlobPart, "application/vnd.tcpdump.pcap");
    } catch (error) {
      announceFault(`The capture could not be made: ${(error as Error).message}`);
    }
  }
}

function section(title: string, ...content: HTMLElement[]): HTMLElement {
  return h("section", { class: "part" }, h("h2", {}, title), ...content);
}

/** Lets the page draw, and take what the user does. */
function otherWork(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
