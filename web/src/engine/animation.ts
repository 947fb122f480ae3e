/** What the page of an animation plays, as python/farlink/animation/__init__.py makes it. */
import { binEdges, quantity, tomlToJson } from "../../build/farlink_web.js";

import { rateOf } from "./bins.js";
import { MOST_QUEUES } from "./curves.js";
import type { Checked, Finished } from "./simulate.js";
import type { Animation, Description, Samples } from "./types.js";

/** Points of all curves together, and of one. */
const MOST_POINTS = 40_000;
const LONGEST_CURVE = 2_000;
const FEWEST_POINTS = 50;
const MOST_BINS = 100;
/** Of the longest mean queue: shorter ones are lines along the axis. */
const LEAST_QUEUE = 0.01;
/** Of all links together; more are too narrow to be seen. */
const MOST_OUTAGES = 2_000;

interface Written {
  links?: { down?: string[]; reverse?: { down?: string[] } }[];
  channels?: { mac?: { name: string; slot?: string } }[];
}

export function animation({ description }: Checked, run: Finished): Animation {
  const { document } = run;
  const written = JSON.parse(tomlToJson(description.resolved)) as Written;
  return {
    scenario: document.scenario,
    seed: document.seeds[0]!,
    farlink: document.farlink,
    film: run.film(),
    slots: (written.channels ?? []).map(({ mac }) => (mac?.name === "frn" ? seconds(mac.slot ?? "") : null)),
    curves: flowCurves(run, description),
    queues: queueCurves(run),
    outages: outages(written.links ?? [], description.duration_s),
    results: { flows: document.flows, drops: document.drops, failed_attempts: document.failed_attempts },
  };
}

function flowCurves({ series }: Finished, { flows, duration_s }: Description): object[] {
  const longest = Math.min(LONGEST_CURVE, Math.max(Math.floor(MOST_POINTS / Math.max(flows.length, 1)), FEWEST_POINTS));
  return flows.flatMap((label, flow) => {
    const [delivery, cwnd, rtt] = ["delivery", "cwnd", "rtt"].map((measure) => series[`${measure}:${label}`]!);
    const shown = places(delivery!.t, longest);
    if (shown.length === 0) return [];
    const values = (curve: Samples) => shown.map((place) => defined(curve.v[place]!));
    return [{
      flow, time_s: times(delivery!, shown), delivery_rate_bps: deliveryRate(delivery!, shown, duration_s),
      cwnd_segments: values(cwnd!), rtt_s: values(rtt!),
    }];
  });
}

/** The mean rate in the bin of each sample; bins are hundredths of the run, or samples. */
function deliveryRate({ t, v }: Samples, shown: readonly number[], duration_s: number): number[] {
  const chosen = (values: Float64Array) => Float64Array.from(shown, (place) => values[place]!);
  const samples = { t: chosen(t), v: chosen(v) };
  const edges = binEdges(0, duration_s, shown.length, MOST_BINS + 1);
  const rates = rateOf({ edges, width: 0 }, samples);
  let bin = 0;
  return Array.from(samples.t, (time) => {
    while (bin + 1 < rates.length && edges[bin + 1]! <= time) bin += 1;
    return Math.round(rates[bin]!);
  });
}

function queueCurves({ series }: Finished): object[] {
  const queues = Object.values(series).filter(({ measure }) => measure === "queue");
  const sums = queues.map(({ v }) => v.reduce((sum, value) => sum + value, 0));
  const least = Math.max(LEAST_QUEUE * Math.max(...sums), 1);
  return queues.filter((_, place) => sums[place]! >= least).slice(0, MOST_QUEUES).map((queue) => {
    const shown = places(queue.t, LONGEST_CURVE);
    return { link: queue.of, time_s: times(queue, shown), queue_packets: shown.map((place) => queue.v[place]!) };
  });
}

/** Every n-th sample, so that there are at most so many. */
function places({ length }: Float64Array, most: number): number[] {
  const step = Math.max(Math.ceil(length / most), 1);
  return Array.from({ length: Math.ceil(length / step) }, (_, place) => place * step);
}

function times({ t }: Samples, shown: number[]): number[] {
  return shown.map((place) => Number(t[place]!.toFixed(6)));
}

/** Six digits are more than a screen shows. */
function defined(value: number): number | null {
  return Number.isNaN(value) ? null : Number(value.toPrecision(6));
}

/** When which link was down in either direction, in s, up to the end of the run. */
function outages(links: NonNullable<Written["links"]>, duration_s: number): object[] {
  const all = links.flatMap(({ down = [], reverse = {} }, link) =>
    [...new Set([...down, ...(reverse.down ?? [])])].flatMap((text) =>
      recurrences(text, duration_s).map(([begin_s, end_s]) => ({ link, begin_s, end_s: Math.min(end_s, duration_s) })),
    ),
  );
  return all.slice(0, MOST_OUTAGES);
}

/** Each time of `15 s..15200 ms every 15 s` until the end of the run. */
function recurrences(outage: string, duration_s: number): [number, number][] {
  const [first, every] = outage.split(" every ");
  const [begin, end] = first!.split("..").map(seconds);
  const period = every === undefined ? duration_s : seconds(every);
  const count = Math.min(Math.max(Math.ceil((duration_s - begin!) / period), 0), MOST_OUTAGES);
  return Array.from({ length: count }, (_, place) => [rounded(begin! + place * period), rounded(end! + place * period)]);
}

function rounded(time_s: number): number {
  return Number(time_s.toFixed(9));
}

function seconds(text: string): number {
  return quantity(text) ?? NaN;
}
