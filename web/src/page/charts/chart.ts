/** One chart: curves over simulated time by uPlot, the values under the pointer as text, and a table of values. */

import uPlot from "uplot";
import type { Measure } from "../../engine/types.js";
import { formatNumber, formatSeconds } from "../../results/numbers.js";
import { h, table } from "../dom.js";
import type { Curve, Span } from "./curves.js";
import { gridOf, type Grid, type Values } from "./grid.js";
import { scaleFor, TITLES } from "./kinds.js";
import { colourOf, dashOf, ink } from "./palette.js";

const HEIGHT = 190;
const TABLE_ROWS = 11;
const SYNC = "farlink";
/** In pixels; a shorter one is a click. */
const LEAST_SELECTION = 6;

export class Chart {
  readonly element: HTMLElement;
  private readonly heading = h("h3");
  private readonly readout = h("p", { class: "readout", "aria-hidden": "true" });
  private readonly canvas = h("div", { class: "canvas", role: "img" });
  private readonly table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Values" });
  private readonly details = h("details", { class: "values" }, h("summary", {}, "Values as a table"), this.table);
  private plot: uPlot | null = null;
  private curves: readonly Curve[] = [];
  private grid: Grid = { times: [], values: [], averaged_s: 0 };
  private unit = "";
  private span: Span = [0, 1];

  /** `onSpan` is called with a span of time that was selected in the chart; null is the whole run. */
  constructor(
    readonly measure: Measure,
    private readonly onSpan: (span: Span | null) => void,
  ) {
    this.element = h(
      "figure",
      { class: "chart" },
      h("div", { class: "chart-head" }, this.heading, this.readout),
      this.canvas,
      this.details,
    );
    // Until it has curves it has no name to be read out either.
    this.element.hidden = true;
    this.details.addEventListener("toggle", () => this.fillTable());
    new ResizeObserver(() => this.plot?.setSize({ width: this.width, height: HEIGHT })).observe(this.canvas);
  }

  /** Draws the curves; a chart without any is hidden. */
  show(curves: readonly Curve[], span: Span): void {
    this.element.hidden = curves.length === 0;
    if (!curves.length) return;
    const isSame =
      this.plot !== null &&
      curves.length === this.curves.length &&
      curves.every((curve, at) => curve.place === this.curves[at]!.place);
    this.curves = curves;
    this.span = span;
    this.grid = gridOf(
      this.measure,
      curves.map((curve) => curve.samples),
      span,
    );
    const { times, averaged_s } = this.grid;
    const scale = scaleFor(this.measure, largest(this.grid));
    const scaled = (values: Values): Values => values.map((value) => (value === null ? null : value / scale.factor));
    const data = [times, ...this.grid.values.map(scaled)] as unknown as uPlot.AlignedData;
    this.describe(averaged_s > 0 ? `mean of ${formatSeconds(averaged_s)}, ${scale.unit}` : scale.unit);
    if (!isSame) this.create(data);
    else this.plot!.setData(data);
    this.fillTable();
  }

  /** Draws again, as after a change of the theme. */
  redraw(): void {
    if (!this.plot) return;
    this.create(this.plot.data);
  }

  /** The picture, for a file. */
  get picture(): { canvas: HTMLCanvasElement; title: string } | null {
    return this.plot && !this.element.hidden ? { canvas: this.plot.ctx.canvas, title: this.heading.textContent } : null;
  }

  private get width(): number {
    return Math.max(this.canvas.clientWidth, 200);
  }

  private describe(unit: string): void {
    this.unit = unit;
    const place = this.measure === "queue" ? ` at ${this.curves[0]!.samples.of}` : "";
    this.heading.textContent = `${TITLES[this.measure]}${place}, ${unit}`;
    const names = this.curves.map((curve) => curve.name).join(", ");
    this.canvas.setAttribute(
      "aria-label",
      `${this.heading.textContent}, over simulated time: ${names}. The table below has the values.`,
    );
  }

  private create(data: uPlot.AlignedData): void {
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), data, this.canvas);
  }

  private options(): uPlot.Options {
    const axis: uPlot.Axis = {
      stroke: () => ink("--faint"),
      grid: { stroke: () => ink("--line"), width: 1 },
      ticks: { stroke: () => ink("--line"), width: 1 },
      font: "12px system-ui, sans-serif",
    };
    return {
      width: this.width,
      height: HEIGHT,
      legend: { show: false },
      cursor: {
        // Other charts show the same instant, but not the span being selected.
        sync: { key: SYNC, filters: { sub: (type) => type === "mousemove" || type === "mouseleave", pub: () => true } },
        points: { size: 6 },
        drag: { x: true, y: false, setScale: false },
        bind: { dblclick: () => () => this.endZoom() },
      },
      scales: {
        x: { time: false, range: () => [...this.span] },
        y: { range: (_, __, most) => [0, (most || 1) * 1.06] },
      },
      axes: [
        { ...axis, size: 34, values: (_, splits) => splits.map((split) => `${split} s`) },
        { ...axis, size: 58 },
      ],
      series: [
        {},
        ...this.curves.map((curve) => ({
          label: curve.name,
          stroke: colourOf(curve.place),
          dash: dashOf(curve.place),
          width: 1.75,
          points: { show: false },
        })),
      ],
      hooks: { setCursor: [(plot) => this.readValues(plot)], setSelect: [(plot) => this.zoom(plot)] },
    };
  }

  private zoom(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < LEAST_SELECTION) return;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.onSpan([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
  }

  private endZoom(): null {
    this.onSpan(null);
    return null;
  }

  private readValues(plot: uPlot): void {
    const place = plot.cursor.idx;
    if (place === null || place === undefined) {
      this.readout.textContent = "";
      return;
    }
    const values = this.curves.map((curve, at) => `${curve.name} ${shown(valueOf(plot, at, place))}`);
    this.readout.textContent = `${shown(plot.data[0][place] ?? null)} s: ${values.join(", ")}`;
  }

  private fillTable(): void {
    const { plot } = this;
    if (!this.details.open || !plot) return;
    const last = plot.data[0].length - 1;
    const places = Array.from({ length: TABLE_ROWS }, (_, row) => Math.round((row * last) / (TABLE_ROWS - 1)));
    const rows = [...new Set(places)].map((place): [string, ...string[]] => [
      shown(plot.data[0][place] ?? null),
      ...this.curves.map((_, at) => shown(valueOf(plot, at, place))),
    ]);
    const heads = ["time, s", ...this.curves.map((curve) => curve.name)];
    const caption = h("caption", {}, `${TITLES[this.measure]}, ${this.unit}`);
    this.table.replaceChildren(table({}, heads, rows, caption));
  }
}

/** What is drawn of a curve at an instant. */
function valueOf(plot: uPlot, curve: number, place: number): number | null {
  return (plot.data[curve + 1] as Values)[place] ?? null;
}

function shown(value: number | null): string {
  return value === null ? "-" : formatNumber(value);
}

function largest({ values }: Grid): number {
  let found = 0;
  for (const each of values) for (const value of each) if (value !== null && value > found) found = value;
  return found;
}
