// The film: what the page's data say, decoded and made quick to ask. Times are seconds.

const run = JSON.parse(document.getElementById("run").textContent);
const film = run.film;
const duration = film.duration_ns / 1e9;
const FLOW_COLOURS = ["#1f77b4", "#d6604d", "#2ca02c", "#9467bd", "#c8960c", "#17a2b8", "#e377c2", "#8c564b", "#5b7f1c", "#4a5a8a"];
const KIND_COLOURS = { routing: "#b35fd0", data: "#2f7ed8", ack: "#2aa36b", rts: "#7a6a4f", cts: "#0e8094", mac_ack: "#6b7785", tone: "#b0892f" };
const KIND_NAMES = { routing: "routing", data: "data", ack: "ACK of TCP", rts: "RTS", cts: "CTS", mac_ack: "ACK of the MAC", tone: "tone" };
const CAUSE_COLOURS = ["#d62728", "#ff7f0e", "#8c564b", "#e377c2", "#bcbd22", "#7f7f7f", "#17becf", "#9467bd"];

const flowColour = flow => FLOW_COLOURS[flow % FLOW_COLOURS.length];
const nodeName = node => film.stage.nodes[node].name;

// Columns marked _ns hold differences.
function instants(differences) {
  const times = new Float64Array(differences.length);
  let sum = 0;
  differences.forEach((difference, i) => { sum += difference; times[i] = sum / 1e9; });
  return times;
}

// The number of elements of an ascending list that are at most `value`.
function upTo(list, value) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) low = middle + 1; else high = middle;
  }
  return low;
}

const frames = film.frames;
frames.begin = instants(frames.begin_ns);
frames.count = frames.begin.length;
frames.end = Float64Array.from(frames.begin, (begin, i) => begin + (frames.length[i] + frames.delay[i]) / 1e9);
// No frame takes longer, so none that begins earlier than this before a moment is under way then.
frames.longest = frames.end.reduce((longest, end, i) => Math.max(longest, end - frames.begin[i]), 0);

const drops = film.drops;
drops.at = instants(drops.at_ns);
drops.count = drops.at.length;
const causes = Object.keys(drops.by_cause);
const causeColour = cause => CAUSE_COLOURS[Math.max(causes.indexOf(cause), 0) % CAUSE_COLOURS.length];

// The frames that are under way at some time from `start` to `end`, at most `most` of them, spread over all.
function framesBetween(start, end, most) {
  const first = upTo(frames.begin, start - frames.longest - 1e-12), last = upTo(frames.begin, end);
  const found = [];
  for (let i = first; i < last; i++) if (frames.end[i] >= start) found.push(i);
  if (found.length <= most) return found;
  return Array.from({ length: most }, (_, i) => found[Math.floor(i * found.length / most)]);
}

const kindOf = i => film.kinds[frames.kind[i]];
const fateOf = i => {
  const fate = frames.fate[i];
  return fate >= 0 ? film.causes[fate] : { "-1": "arrived", "-2": "for everyone", "-3": "under way at the end" }[fate];
};

// Where a node is; null for one that has no place of its own.
function placeAt(node, time) {
  const way = film.stage.nodes[node].way;
  if (!way) return null;
  let low = 0, high = way.length / 4 - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (way[middle * 4] <= time) low = middle; else high = middle - 1;
  }
  const here = way.slice(low * 4, low * 4 + 4), next = way.slice(low * 4 + 4, low * 4 + 8);
  if (!next.length || next[0] <= here[0]) return here.slice(1);
  const share = Math.min(Math.max((time - here[0]) / (next[0] - here[0]), 0), 1);
  return [1, 2, 3].map(axis => here[axis] + share * (next[axis] - here[axis]));
}

const routeChanges = film.stage.flows.map(() => ({ at: [], nodes: [] }));
film.routes.changes.forEach(([at, flow, nodes]) => {
  routeChanges[flow].at.push(at / 1e9);
  routeChanges[flow].nodes.push(nodes);
});
function routeAt(flow, time) {
  const { at, nodes } = routeChanges[flow];
  const place = upTo(at, time);
  return place ? nodes[place - 1] : [];
}

function duringText(seconds) {
  if (seconds >= 1) return `${+seconds.toPrecision(4)} s`;
  if (seconds >= 1e-3) return `${+(seconds * 1e3).toPrecision(4)} ms`;
  return `${+(seconds * 1e6).toPrecision(4)} \u00b5s`;
}
const words = cause => cause.replaceAll("_", " ");
