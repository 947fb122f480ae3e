// Where nodes are drawn: at their positions, and those without one (on links only) in layers beside their neighbours.

// The two axes to look along: a column of water is seen from the side.
const axes = (() => {
  const extent = [0, 1, 2].map(axis => {
    let low = Infinity, high = -Infinity;
    for (const { way } of film.stage.nodes) {
      if (way) for (let i = axis + 1; i < way.length; i += 4) { low = Math.min(low, way[i]); high = Math.max(high, way[i]); }
    }
    return high - low;
  });
  return extent[1] === 0 && extent[2] > 0 ? [0, 2] : [0, 1];
})();

const neighbours = film.stage.nodes.map(() => []);
film.stage.links.forEach(([one, other]) => { neighbours[one].push(other); neighbours[other].push(one); });

// Nodes by their distance, in links, from the given ones.
function layers(sources, isWanted) {
  const seen = new Set(sources), found = [sources];
  for (let layer = sources; layer.length;) {
    const next = [];
    for (const node of layer) for (const other of neighbours[node]) {
      if (!seen.has(other) && isWanted(other)) { seen.add(other); next.push(other); }
    }
    if (next.length) found.push(next);
    layer = next;
  }
  return found;
}

// Positions of the nodes that have none.
const madePlaces = (() => {
  const made = new Map();
  const isLoose = node => !film.stage.nodes[node].way;
  const placed = film.stage.nodes.map((_, node) => node).filter(node => !isLoose(node));
  const at = placed.map(node => placeAt(node, 0));
  const mean = axis => at.reduce((sum, place) => sum + place[axis], 0) / at.length;
  if (placed.length) {
    // A server stands outside: away from the middle of the nodes on the channel.
    const reach = medianHop(placed) || 100;
    layers(placed.filter(node => neighbours[node].some(isLoose)), isLoose).slice(1).forEach(layer => layer.forEach((node, i) => {
      const anchor = neighbours[node].find(other => !isLoose(other) || made.has(other));
      const base = made.get(anchor) || placeAt(anchor, 0);
      const away = [base[0] - mean(0), base[axes[1]] - mean(axes[1])];
      const length = Math.hypot(...away) || 1;
      const direction = Math.hypot(...away) ? away.map(part => part / length) : [-1, 0];
      const side = (i - (layer.length - 1) / 2) * reach * 0.4;
      const place = [0, 0, 0];
      place[0] = base[0] + direction[0] * reach * 0.8 - direction[1] * side;
      place[axes[1]] = base[axes[1]] + direction[1] * reach * 0.8 + direction[0] * side;
      made.set(node, place);
    }));
  }
  // All others: from the first flow's sender on, a column for each hop.
  let row = 0;
  const rest = () => film.stage.nodes.findIndex((_, node) => isLoose(node) && !made.has(node));
  for (let start = film.stage.flows.find(({ from }) => isLoose(from) && !made.has(from))?.from ?? rest(); start >= 0; start = rest()) {
    // Other senders on the same node belong to the left, too.
    const isBeside = node => neighbours[node].length === 1 && neighbours[node][0] === neighbours[start][0];
    const senders = new Set([start, ...film.stage.flows.map(({ from }) => from).filter(from => isLoose(from) && isBeside(from))]);
    const columns = layers([...senders], node => isLoose(node) && !made.has(node));
    const height = Math.max(...columns.map(column => column.length));
    columns.forEach((column, x) => column.forEach((node, i) => {
      made.set(node, [x * 100, (row + (height - 1) / 2 - (column.length - 1) / 2 + i) * -50, 0]);
    }));
    row += height + 1;
  }
  return made;
})();

// The usual distance of two nodes of which one sends to the other.
function medianHop(nodes) {
  const found = [], step = Math.max(1, Math.floor(frames.count / 2000));
  for (let i = 0; i < frames.count; i += step) {
    const from = frames.to[i] >= 0 && placeAt(frames.from[i], frames.begin[i]), to = from && placeAt(frames.to[i], frames.begin[i]);
    if (from && to) found.push(Math.hypot(...from.map((part, axis) => part - to[axis])));
  }
  found.sort((a, b) => a - b);
  return found.length ? found[found.length >> 1] : nodes.length > 1 ? 100 : 0;
}
const usualHop = medianHop(film.stage.nodes) || 100;

// Where a node is drawn at a time, before zoom.
function drawnAt(node, time) {
  const place = placeAt(node, time) || madePlaces.get(node);
  // North is up; depth, too, is height below zero.
  return [place[0], -place[axes[1]]];
}

// Active nodes: ends of flows, nodes of routes, senders. The first view shows these.
const active = (() => {
  const found = new Set();
  film.stage.flows.forEach(({ from, to }) => { found.add(from); found.add(to); });
  film.routes.changes.forEach(([, , nodes]) => nodes.forEach(node => found.add(node)));
  for (let i = 0; i < frames.count; i++) found.add(frames.from[i]);
  return [...found];
})();
