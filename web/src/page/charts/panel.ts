/** The charts of an experiment with their legend, drawn at most one per frame of the page, so that the page stays responsive. */

import type { Measure } from "../../engine/types.js";
import { h } from "../dom.js";
import { onTheme } from "../theme.js";
import { Chart } from "./chart.js";
import type { Shown, Span } from "./curves.js";
import { isRate } from "./grid.js";
import { colourOf, dashOf, ink, sampleOf } from "./palette.js";

/** Between two drawings of a chart, in ms. */
const PAUSE = 250;

export class ChartPanel {
  readonly element: HTMLElement;
  private readonly legend = h("ul", { class: "legend", "aria-label": "Curves" });
  private readonly charts: readonly Chart[];
  private readonly drawnAt = new Map<Chart, number>();
  private readonly waiting = new Set<Chart>();
  private shown: Shown | null = null;
  private isScheduled = false;

  constructor(measures: readonly Measure[], onSpan: (span: Span | null) => void) {
    const all = measures.flatMap((measure): Measure[] => (isRate(measure) ? ["delivery", "goodput"] : [measure]));
    this.charts = all.map((measure) => new Chart(measure, onSpan));
    this.element = h(
      "div",
      { class: "charts" },
      this.legend,
      h("div", { class: "chart-grid" }, ...this.charts.map((chart) => chart.element)),
    );
    onTheme(() => {
      for (const chart of this.charts) chart.redraw();
      this.fillLegend();
    });
  }

  show(shown: Shown): void {
    const isNew = this.shown?.names.join("\n") !== shown.names.join("\n");
    this.shown = shown;
    if (isNew) this.fillLegend();
    this.refresh();
  }

  /** Draws what has been recorded since. */
  refresh(): void {
    for (const chart of this.charts) this.waiting.add(chart);
    this.schedule();
  }

  /** All charts below each other with their legend, as a PNG. */
  async png(): Promise<Blob | null> {
    const pictures = this.charts.map((chart) => chart.picture).filter((picture) => picture !== null);
    const first = pictures[0];
    if (!first || !this.shown) return null;
    const ratio = devicePixelRatio || 1;
    const head = 30 * ratio;
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(...pictures.map((picture) => picture.canvas.width));
    canvas.height = head + pictures.reduce((height, picture) => height + picture.canvas.height + head, 0);
    const paint = canvas.getContext("2d");
    if (!paint) return null;
    paint.fillStyle = ink("--paper");
    paint.fillRect(0, 0, canvas.width, canvas.height);
    paint.font = `${13 * ratio}px system-ui, sans-serif`;
    this.paintLegend(paint, ratio);
    let top = head;
    for (const { canvas: picture, title } of pictures) {
      paint.fillStyle = ink("--ink");
      paint.fillText(title, 8 * ratio, top + 20 * ratio);
      paint.drawImage(picture, 0, top + head);
      top += head + picture.height;
    }
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  }

  private paintLegend(paint: CanvasRenderingContext2D, ratio: number): void {
    let left = 8 * ratio;
    for (const [place, name] of (this.shown?.names ?? []).entries()) {
      paint.strokeStyle = colourOf(place);
      paint.lineWidth = 2 * ratio;
      paint.setLineDash(dashOf(place).map((dash) => dash * ratio));
      paint.beginPath();
      paint.moveTo(left, 15 * ratio);
      paint.lineTo(left + 30 * ratio, 15 * ratio);
      paint.stroke();
      paint.fillStyle = ink("--ink");
      paint.fillText(name, left + 36 * ratio, 19 * ratio);
      left += 52 * ratio + paint.measureText(name).width;
    }
  }

  private fillLegend(): void {
    if (!this.shown) return;
    const { names, leftOut } = this.shown;
    const items = names.map((name, place) => h("li", {}, sampleOf(place), name));
    if (leftOut > 0) items.push(h("li", { class: "hint" }, `${leftOut} more are in the table only`));
    this.legend.replaceChildren(...items);
  }

  private schedule(): void {
    if (this.isScheduled || !this.waiting.size) return;
    this.isScheduled = true;
    requestAnimationFrame((now) => {
      this.isScheduled = false;
      const due = [...this.waiting].find((chart) => now - (this.drawnAt.get(chart) ?? -Infinity) >= PAUSE);
      if (due && this.shown) {
        this.waiting.delete(due);
        this.drawnAt.set(due, now);
        due.show(this.shown.curves(due.measure), this.shown.span);
      }
      this.schedule();
    });
  }
}
