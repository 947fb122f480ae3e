/** The network as a picture: nodes, links with their values, and an arrow for every flow. */

import { formatQuantity } from "./steps.js";
import type { Link, Network, Node } from "./model.js";

const WIDTH = 640;
const MARGIN = 46;
const LEAST_HEIGHT = 130;
const MOST_HEIGHT = 300;
/** More cannot be distinguished. */
const MOST_NAMED = 25;
const MOST_DESCRIBED = 8;
/** The width of a letter, with some room; a shorter link has no label. */
const LETTER = 8;
const MOST_FLOWS = 12;

type Place = readonly [number, number];

/** `onLink` is called with the number of a link that was pressed; `chosen` is drawn in bold. */
export function drawing(network: Network, chosen: number, onLink: (link: number) => void): SVGSVGElement {
  const { places, height } = scaled(network.nodes);
  const at = (name: string): Place => places.get(name)!;
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "network", role: "img" });
  picture.setAttribute("aria-label", described(network));
  picture.append(arrowHead());
  network.links.forEach((link, number) => {
    const line = svg("line", { ...ends(at(link.ends[0]), at(link.ends[1])), class: number === chosen ? "link chosen" : "link" });
    line.addEventListener("click", () => onLink(number));
    picture.append(line);
  });
  const arrows = network.flows.slice(0, MOST_FLOWS).filter(({ from, to }) => from !== to);
  for (const { from, to } of arrows) picture.append(svg("path", { d: bent(at(from), at(to)), class: "flow", "marker-end": "url(#flow-end)" }));
  const isSmall = network.nodes.length <= MOST_NAMED;
  for (const { name } of network.nodes) {
    const [cx, cy] = at(name);
    picture.append(svg("circle", { cx, cy, r: isSmall ? 6 : 3, class: "node" }));
    if (isSmall) picture.append(text(name, cx, cy + 20, "name"));
  }
  for (const link of network.links) {
    const [one, other] = link.ends.map(at) as [Place, Place];
    const label = values(link);
    if (Math.hypot(one[0] - other[0], one[1] - other[1]) < LETTER * label.length) continue;
    picture.append(text(label, (one[0] + other[0]) / 2, (one[1] + other[1]) / 2 + 15, "value"));
  }
  return picture;
}

function described({ name, nodes, links, flows }: Network): string {
  const ways = links.slice(0, MOST_DESCRIBED).map((link) => `${link.ends.join(" to ")}, ${values(link)}`);
  const streams = flows.slice(0, MOST_FLOWS).map(({ label, from, to }) => `${label} from ${from} to ${to}`);
  return [`Network of ${name}: ${nodes.length} nodes`, ...ways, ...streams].join("; ");
}

function values({ rate, delay }: Link): string {
  return [
    rate === null ? "rate varies" : formatQuantity("rate", rate),
    delay === null ? "delay varies" : formatQuantity("delay", delay),
  ].join(", ");
}

/** Within the width of the picture, as high as that makes it. */
function scaled(nodes: readonly Node[]): { places: Map<string, Place>; height: number } {
  const range = (values: number[]): [number, number] => [Math.min(...values), Math.max(...values)];
  const [left, right] = range(nodes.map(({ x }) => x));
  const [top, bottom] = range(nodes.map(({ y }) => y));
  const across = (WIDTH - 2 * MARGIN) / (right - left || 1);
  const isColumns = Number.isInteger(right - left) && right - left < 30;
  const wanted = (bottom - top) * (isColumns ? 80 : across) + 2 * MARGIN;
  const height = Math.min(Math.max(wanted, LEAST_HEIGHT), MOST_HEIGHT);
  const down = (height - 2 * MARGIN) / (bottom - top || 1);
  const place = ({ x, y }: Node): Place => [
    right === left ? WIDTH / 2 : MARGIN + (x - left) * across,
    bottom === top ? height / 2 : MARGIN + (y - top) * down,
  ];
  return { places: new Map(nodes.map((node) => [node.name, place(node)])), height };
}

function ends([x1, y1]: Place, [x2, y2]: Place): Record<string, number> {
  return { x1, y1, x2, y2 };
}

/** An arc above the straight way. */
function bent([x1, y1]: Place, [x2, y2]: Place): string {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = Math.hypot(dx, dy) || 1;
  const bow = Math.min(0.16 * length, 50);
  const shorten = Math.min(12 / length, 0.3);
  const [mx, my] = [(x1 + x2) / 2 + (dy / length) * bow, (y1 + y2) / 2 - (dx / length) * bow];
  const near = (from: number, to: number): number => from + (to - from) * shorten;
  return `M ${near(x1, mx)} ${near(y1, my)} Q ${mx} ${my} ${near(x2, mx)} ${near(y2, my)}`;
}

function arrowHead(): SVGElement {
  const marker = svg("marker", { id: "flow-end", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
  marker.append(svg("path", { d: "M 0 0 L 8 4 L 0 8 z", class: "flow-end" }));
  return marker;
}

function text(content: string, x: number, y: number, kind: string): SVGElement {
  const made = svg("text", { x, y, class: kind, "text-anchor": "middle" });
  made.textContent = content;
  return made;
}

function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
