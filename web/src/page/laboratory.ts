/** The laboratory: a form on one side, results on the other. */

import type { BuiltIn, Description, Diagnostic, FinishedRun, Models, Opened, ScenarioRefused } from "../engine/types.js";
import { formatSeconds } from "../results/numbers.js";
import type { TextTable } from "../results/rows.js";
import { announceFault } from "./announce.js";
import { h } from "./dom.js";
import { Execution } from "./execution.js";
import { isFault, isSame, runnable, type Experiment, type Runnable } from "./experiment.js";
import { fromFile, type Shared } from "./link.js";
import { networkOf } from "./network/model.js";
import { NetworkView } from "./network/view.js";
import { isSetByAll } from "./overrides.js";
import { Outcome } from "./outcome.js";
import { plural, Progress } from "./progress.js";
import { ResultsView, type Tools } from "./results-view.js";
import { formatSeeds } from "./seeds.js";
import { Setup } from "./setup.js";
import { shareElement } from "./share.js";
import { FIRST } from "./suggestions.js";

/** After the last change, in ms. */
const CHECK_AFTER = 250;
/** Seconds of one core for a million events (types.ts). */
const SECONDS_PER_EVENT = 0.3e-6;

export class Laboratory {
  private readonly setup: Setup;
  private readonly progress = new Progress();
  private readonly results: ResultsView;
  private execution: Execution | null = null;
  private readonly network: NetworkView;
  private readonly outcome: Outcome;
  private isRunning = false;
  /** The runs under way are to be followed by others. */
  private isOld = false;
  private isFresh = true;
  /** Runs asked for and experiments opened so far: only what was asked for last is begun. */
  private asked = 0;
  private checkDue = 0;
  private checked = 0;
  private shared: TextTable | null = null;
  /** What the results are of. */
  private ran: Experiment | null = null;

  constructor(
    root: HTMLElement,
    private readonly tools: Tools,
    builtins: readonly BuiltIn[],
    models: Models,
  ) {
    this.setup = new Setup(builtins, {
      onChange: () => this.changed(),
      onRun: () => (this.isRunning ? this.execution?.cancel() : void this.run(true)),
      onFile: (text) => this.openExperiment(text),
    });
    this.network = new NetworkView((path, value) => {
      this.setup.set(path, value);
      this.runAnew();
    });
    this.results = new ResultsView(
      tools,
      shareElement(() => this.current()),
    );
    this.outcome = new Outcome(this.progress.element, this.results.element);
    root.replaceChildren(
      h("h1", { id: "laboratory-title", class: "unseen" }, "Laboratory"),
      h(
        "div",
        { class: "columns" },
        this.setup.element,
        h("div", { class: "outcome" }, this.network.element, this.outcome.element),
      ),
    );
    this.setup.offer(models);
    this.setup.choose(FIRST);
  }

  /** The first sight of the page: the comparison that the form begins with is made at once. */
  begin(): void {
    if (!this.isFresh) return;
    this.isFresh = false;
    void this.run();
  }

  /** Opens what a link holds; its results are shown until they are computed anew. */
  open(shared: Shared): void {
    this.isFresh = this.isOld = false;
    this.asked += 1;
    this.execution?.cancel();
    this.execution = this.ran = null;
    this.progress.clear();
    this.setup.experiment = shared.experiment;
    this.shared = shared.results;
    this.setRan(shared.results ? this.setup.experiment : null);
    if (shared.results) this.results.showShared(shared.results);
    else {
      this.results.clear();
      this.results.say("Run computes the results of this experiment.");
    }
  }

  /** Says why a link could not be opened. */
  refuseLink(text: string): void {
    this.results.say(text);
    announceFault(text);
  }

  private openExperiment(text: string): void {
    try {
      this.open(fromFile(text));
    } catch (error) {
      this.refuseLink((error as Error).message);
    }
  }

  /** Opens a file or a saved run that the page was started with. */
  openFile(opened: Opened): void {
    this.isFresh = false;
    const labels = [...new Set(opened.runs.map((run) => run.label))];
    const seeds = [...new Set(opened.runs.map((run) => run.seed))];
    this.setup.experiment = {
      toml: opened.toml,
      files: opened.files,
      duration: "",
      common: "",
      seeds: seeds.length ? formatSeeds(seeds) : "1",
      variants: labels.length ? labels.map((label) => ({ label, changes: "" })) : [{ label: opened.name, changes: "" }],
    };
    if (opened.runs.length) this.showSaved(opened.runs);
  }

  private showSaved(runs: readonly FinishedRun[]): void {
    const order = runnable(this.setup.experiment);
    if (isFault(order)) return;
    const execution = Execution.ofSaved(order, runs);
    this.execution = execution;
    this.setRan(this.setup.experiment);
    this.results.begin(execution, runs[0]!.result.scenario, flowsOf(execution.runs));
    void this.results.end();
  }

  /** The experiment of the form, with its results if all its runs have finished. */
  private current(): Shared {
    const { experiment } = this.setup;
    const isOfForm = !this.isRunning && this.ran && isSame(experiment, this.ran);
    return { experiment, results: isOfForm && this.execution?.isWhole ? this.results.text : null };
  }

  /** Runs what the form says now, in place of runs under way. */
  private runAnew(): void {
    this.isOld = this.isRunning;
    if (this.isRunning) this.execution?.cancel();
    else void this.run();
  }

  /** `isAsked`: a person pressed the button, and is taken to the results. */
  private async run(isAsked = false): Promise<void> {
    const { experiment } = this.setup;
    this.asked += 1;
    const { asked } = this;
    try {
      const order = await this.check();
      if (!order) return;
      const { overrides } = order.variants[0]!;
      const description = await this.tools.pool.describe(order.toml, { overrides, files: order.files });
      if (asked === this.asked) await this.execute(experiment, order, description, isAsked);
    } catch (error) {
      this.refuse(error);
    }
  }

  private async execute(
    experiment: Experiment,
    order: Runnable,
    { name, flows }: Description,
    isAsked: boolean,
  ): Promise<void> {
    this.isFresh = false;
    this.setRunning(true);
    const execution = Execution.start(this.tools.pool, order, this.progress, {
      onSamples: () => this.results.refreshSamples(),
      onRun: () => this.results.refreshTable(),
    });
    this.execution = execution;
    this.setRan(experiment);
    this.results.begin(execution, name, flows);
    if (isAsked) this.progress.reveal();
    try {
      await execution.finish();
      // Another experiment may have been opened meanwhile.
      if (this.execution !== execution) return;
      this.progress.end(summaryOf(execution, this.progress.elapsed));
      await this.results.end();
      if (this.execution === execution) this.compareWithShared(execution);
    } catch (error) {
      if (this.execution === execution) this.progress.end("Nothing was run.");
      throw error;
    } finally {
      this.setRunning(false);
      if (this.isOld) this.runAnew();
    }
  }

  private setRan(experiment: Experiment | null): void {
    this.ran = experiment;
    this.compareWithForm();
  }

  private changed(): void {
    this.compareWithForm();
    this.checkSoon();
  }

  /** Marks results that the form would not make. */
  private compareWithForm(): void {
    this.outcome.setOutdated(this.ran !== null && !isSame(this.setup.experiment, this.ran));
  }

  private setRunning(isRunning: boolean): void {
    this.isRunning = isRunning;
    this.setup.setRunning(isRunning);
  }

  /** Whether the results equal those of the link, of which they are computed anew. */
  private compareWithShared(execution: Execution): void {
    const text = this.results.text;
    if (!this.shared || !text) return;
    if (!execution.isWhole) {
      this.results.say("These results are not compared with those of the link: not all runs finished.");
      return;
    }
    const isEqual = JSON.stringify(text) === JSON.stringify(this.shared);
    this.results.say(
      isEqual
        ? "These results equal those of the link."
        : "These results differ from those of the link: the experiment or the version of Farlink is another.",
    );
  }

  private refuse(error: unknown): void {
    const refused = error as ScenarioRefused;
    if (refused.name === "ScenarioRefused") this.setup.showMistakes(refused.diagnostics);
    announceFault(refused.message);
    this.results.say(refused.message);
  }

  private checkSoon(): void {
    clearTimeout(this.checkDue);
    this.checkDue = window.setTimeout(() => void this.check().catch((error) => this.refuse(error)), CHECK_AFTER);
  }

  /** The runs of the form if they can be made; mistakes are shown where they are. */
  private async check(): Promise<Runnable | null> {
    clearTimeout(this.checkDue);
    this.checked += 1;
    const number = this.checked;
    const made = runnable(this.setup.experiment);
    this.setup.setFault(isFault(made) && made.variant === null ? made.text : "", "seeds");
    this.setup.variants.clearFaults();
    if (isFault(made)) {
      if (made.variant !== null) this.setup.variants.setFault(made.variant, made.text);
      this.setup.say("");
      return null;
    }
    const found = await this.firstMistake(made);
    if (number !== this.checked) return null;
    this.setup.showMistakes(found && isInText(found.mistake) ? [found.mistake] : []);
    if (!found) {
      this.showEstimate(made, number).catch((error) => this.refuse(error));
      return made;
    }
    this.setup.say("");
    if (!isInText(found.mistake)) this.showFault(found.variant, found.mistake);
    return null;
  }

  /** A mistake of a value over the scenario: at the variant, unless the value is one of all variants. */
  private showFault(variant: number, { key, message, remedy }: Diagnostic): void {
    const text = [message, remedy].filter(Boolean).join("; ");
    const { common, variants } = this.setup.experiment;
    if (isSetByAll([variants[variant]!.changes], key)) this.setup.variants.setFault(variant, text);
    else if (isSetByAll([common], key)) this.setup.setFault(`values of all variants: ${text}`);
    else if (key === "duration") this.setup.setFault(text, "duration");
    else this.setup.variants.setFault(variant, text);
  }

  private async firstMistake({
    toml,
    files,
    variants,
  }: Runnable): Promise<{ variant: number; mistake: Diagnostic } | null> {
    for (const [variant, { overrides }] of variants.entries()) {
      const [mistake] = await this.tools.pool.check(toml, { overrides, files });
      if (mistake) return { variant, mistake };
    }
    return null;
  }

  private async showEstimate(order: Runnable, number: number): Promise<void> {
    const { toml, files, variants, seeds } = order;
    const described = await Promise.all(
      variants.map(({ overrides }) => this.tools.pool.describe(toml, { overrides, files })),
    );
    if (number !== this.checked) return;
    const changes = this.setup.experiment.variants.map((variant) => variant.changes);
    this.network.show(networkOf(described[0]!, toml, (path) => isSetByAll(changes, path)));
    const events = described.reduce((sum, each) => sum + each.events, 0) * seeds.length;
    const runs = variants.length * seeds.length;
    const cores = Math.min(this.tools.pool.workers, runs);
    const seconds = (events * SECONDS_PER_EVENT) / cores;
    this.setup.say(
      `${plural(runs, "run")} of ${formatSeconds(described[0]!.duration_s)}, about ${Math.max(Math.round(seconds), 1)} s on ${plural(cores, "core")}`,
    );
  }
}

function isInText(mistake: Diagnostic): boolean {
  return mistake.file === "scenario";
}

function flowsOf(runs: readonly FinishedRun[]): string[] {
  return [...new Set(runs.flatMap((run) => run.result.flows.map((flow) => flow.flow)))];
}

function summaryOf(execution: Execution, elapsed: string): string {
  const { runs, failures } = execution;
  const finished = `${plural(runs.length, "run")} finished in ${elapsed}`;
  if (execution.isCancelled) return `Cancelled: ${finished}; the table is of these`;
  const [failure] = failures;
  if (failure)
    return `${finished}; ${plural(failures.length, "run")} failed, first ${failure.label}, seed ${failure.seed}: ${failure.failed}`;
  return finished;
}
