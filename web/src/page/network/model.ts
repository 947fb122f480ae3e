/** What is drawn of a network: nodes at places, links with what a slider changes, flows. */

import { quantityOf, toJson } from "../../engine/reading.js";
import type { Description } from "../../engine/types.js";
import { QUANTITIES, type Quantity } from "./steps.js";

export interface Node {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

export interface Link {
  readonly ends: readonly [string, string];
  /** Where its values stand in the scenario: links of a topology share them. */
  readonly path: string;
  /** In bit/s, s, packets lost of those sent, and packets; null where it varies or is not there. */
  readonly rate: number | null;
  readonly delay: number | null;
  readonly loss: number | null;
  readonly queue: number | null;
  /** The name of the queue's model. */
  readonly discipline: string;
  /** What every variant sets itself, so that a value of all has no effect. */
  readonly fixed: readonly Quantity[];
}

export interface Flow {
  readonly label: string;
  readonly from: string;
  readonly to: string;
}

export interface Network {
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly links: readonly Link[];
  readonly flows: readonly Flow[];
}

type Model = string | { readonly name?: string; readonly [key: string]: unknown };

interface Written {
  readonly topology?: string | { readonly link?: unknown };
}

interface Resolved {
  readonly links?: readonly { between: [string, string]; rate: unknown; delay: unknown; queue: Model; error: Model }[];
  readonly flows?: readonly { label: string; from: string; to: string }[];
}

/** The keys of a link that hold what sliders change. */
const VALUES: Readonly<Record<Quantity, string>> = {
  rate: "rate",
  delay: "delay",
  loss: "error.rate",
  queue: "queue.limit",
};
/** Of a queue in bytes, and of bit errors. */
const PACKET_BYTES = 1500;

/** `toml` is the scenario as it was written; `isFixed` says whether every variant sets the value at a path. */
export function networkOf(description: Description, toml: string, isFixed: (path: string) => boolean): Network {
  const { links = [], flows = [] } = toJson(description.resolved) as Resolved;
  const { topology } = toJson(toml) as Written;
  const isShared = typeof topology === "object" && topology.link !== undefined;
  const pathOf = (number: number): string => (isShared ? "topology.link" : `links.${number}`);
  const made = links.map((link, number) => ({
    ends: link.between,
    path: pathOf(number),
    fixed: QUANTITIES.filter((quantity) => isFixed(`${pathOf(number)}.${VALUES[quantity]}`)),
    rate: numberOf(link.rate),
    delay: numberOf(link.delay),
    loss: lossOf(link.error),
    queue: queueOf(link.queue),
    discipline: typeof link.queue === "string" ? link.queue : (link.queue.name ?? ""),
  }));
  return { name: description.name, nodes: placed(description, made, flows), links: made, flows };
}

function numberOf(written: unknown): number | null {
  return typeof written === "string" ? (quantityOf(written) ?? null) : null;
}

function lossOf(error: Model): number | null {
  const { name, rate } = typeof error === "string" ? { name: error, rate: undefined } : error;
  if (name === "none") return 0;
  if (typeof rate !== "number") return null;
  if (name === "packet_error_rate") return rate;
  return name === "bit_error_rate" ? 1 - (1 - rate) ** (8 * PACKET_BYTES) : null;
}

function queueOf(queue: Model): number | null {
  const limit = typeof queue === "string" ? null : queue["limit"];
  const number = numberOf(limit);
  if (number === null) return null;
  return String(limit).endsWith("packets") ? number : Math.round(number / PACKET_BYTES);
}

/** At their positions if these matter for all nodes or for none; else in columns. As python/farlink/runs/notebook.py. */
function placed({ nodes, positions, channels }: Description, links: readonly Link[], flows: readonly Flow[]): Node[] {
  const onChannels = new Set(channels.flat()).size;
  const isPlaced = new Set(positions.map(String)).size > 1 && (onChannels === 0 || onChannels === nodes.length);
  if (isPlaced) return nodes.map((name, place) => ({ name, x: positions[place]![0], y: -positions[place]![1] }));
  return inColumns(nodes, links, flows);
}

/** By their hops from the nodes that only send; those without a path in a last column. */
function inColumns(nodes: readonly string[], links: readonly Link[], flows: readonly Flow[]): Node[] {
  const receivers = new Set(flows.map(({ to }) => to));
  const senders = flows.map(({ from }) => from).filter((from) => !receivers.has(from));
  const hops = new Map((senders.length ? senders : [flows[0]?.from ?? nodes[0]!]).map((name) => [name, 0]));
  for (const [name, hop] of hops) {
    for (const { ends } of links) {
      const other = ends[0] === name ? ends[1] : ends[1] === name ? ends[0] : null;
      if (other !== null && !hops.has(other)) hops.set(other, hop + 1);
    }
  }
  const last = Math.max(...hops.values()) + 1;
  const columnOf = (name: string): number => hops.get(name) ?? last;
  return nodes.map((name) => {
    const members = nodes.filter((each) => columnOf(each) === columnOf(name));
    return { name, x: columnOf(name), y: members.indexOf(name) - (members.length - 1) / 2 };
  });
}
