/** Curves of a run, from the samples that the engine took. */
import type { Measure, Samples, SeriesByName } from "./types.js";

/** Curves of queues: of the links that queued most. */
export const MOST_QUEUES = 6;
/** Numbers per row of the engine's samples of flows and links. */
const FLOW_ROW = 6;
const LINK_ROW = 3;
/** In the order of a row. */
const OF_FLOWS = ["delivery", "goodput", "cwnd", "rtt"] as const;

/** One curve, and how much of it was taken. */
class Curve {
  readonly t: number[] = [];
  readonly v: number[] = [];
  private taken = 0;

  constructor(readonly measure: Measure, readonly of: string) {}

  push(t: number, v: number): void {
    this.t.push(t);
    this.v.push(v);
  }

  /** The points since the last call. */
  take(): Samples {
    const from = this.taken;
    this.taken = this.t.length;
    return this.from(from);
  }

  from(first: number): Samples {
    const part = (values: number[]) => Float64Array.from(values.slice(first));
    return { measure: this.measure, of: this.of, t: part(this.t), v: part(this.v) };
  }
}

/** The curves of one flow. */
class FlowCurves {
  readonly all: readonly Curve[];

  constructor(flow: string) {
    this.all = OF_FLOWS.map((measure) => new Curve(measure, flow));
  }

  push(t: number, values: Float64Array): void {
    for (const [place, curve] of this.all.entries()) {
      const value = values[place]!;
      // An RTT is 0 until the first measurement.
      curve.push(t, curve.measure === "rtt" && value <= 0 ? NaN : value);
    }
  }
}

/** A queue, and the sum of its samples. */
class QueueCurve extends Curve {
  sum = 0;

  constructor(link: string) {
    super("queue", link);
  }

  override push(t: number, v: number): void {
    super.push(t, v);
    this.sum += v;
  }
}

/** All curves of a run. */
export class Curves {
  private readonly flows: FlowCurves[];
  private readonly queues: QueueCurve[];

  constructor(flows: readonly string[], links: readonly string[]) {
    this.flows = flows.map((flow) => new FlowCurves(flow));
    this.queues = links.map((link) => new QueueCurve(link));
  }

  /** Adds the rows that `takeFlowSamples` and `takeLinkSamples` gave. */
  add(flowRows: Float64Array, linkRows: Float64Array): void {
    for (let row = 0; row < flowRows.length; row += FLOW_ROW) {
      const [t, flow] = flowRows.subarray(row, row + 2);
      this.flows[flow!]!.push(t!, flowRows.subarray(row + 2, row + FLOW_ROW));
    }
    for (let row = 0; row < linkRows.length; row += LINK_ROW) {
      const [t, link, packets] = linkRows.subarray(row, row + LINK_ROW);
      this.queues[link!]!.push(t!, packets!);
    }
  }

  /** The points since the last call. */
  take(): SeriesByName {
    return byName(this.chosen().map((curve) => curve.take()));
  }

  /** All points. */
  whole(): SeriesByName {
    return byName(this.chosen().map((curve) => curve.from(0)));
  }

  private chosen(): Curve[] {
    const ranked = this.queues.filter((queue) => queue.sum > 0).sort((a, b) => b.sum - a.sum);
    const most = new Set(ranked.slice(0, MOST_QUEUES));
    const queues = this.queues.filter((queue) => most.has(queue));
    return [...this.flows.flatMap((flow) => flow.all), ...queues];
  }
}

/** Samples by `MEASURE:OF`. */
export function byName(curves: readonly Samples[]): SeriesByName {
  return Object.fromEntries(curves.map((curve) => [`${curve.measure}:${curve.of}`, curve]));
}

/** One series of parts that follow each other. */
export function joined(parts: readonly SeriesByName[]): SeriesByName {
  const found = new Map<string, Samples[]>();
  for (const [name, samples] of parts.flatMap((part) => Object.entries(part))) {
    found.set(name, [...(found.get(name) ?? []), samples]);
  }
  return byName([...found.values()].map((all) => ({
    ...all[0]!, t: concatenated(all.map((each) => each.t)), v: concatenated(all.map((each) => each.v)),
  })));
}

function concatenated(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
