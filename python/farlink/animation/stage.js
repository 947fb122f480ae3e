// The stage: nodes, routes, frames on shared channels and links, drops; pan, zoom, and what is under the pointer.

const stage = { canvas: document.getElementById("stage"), scale: 1, x: 0, y: 0, isOwnView: false, pointer: null, hidden: new Set() };
stage.paint = stage.canvas.getContext("2d");
const MOST_DRAWN = 1500;
const isCrowded = film.stage.nodes.length > 40;

const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name);
const onScreen = ([x, y]) => [x * stage.scale + stage.x, y * stage.scale + stage.y];

// Canvases have as many pixels as the screen.
function fitCanvas(canvas) {
  const { width, height } = canvas.getBoundingClientRect(), density = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * density) || canvas.height !== Math.round(height * density)) {
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(height * density);
  }
  const paint = canvas.getContext("2d");
  paint.setTransform(density, 0, 0, density, 0, 0);
  paint.clearRect(0, 0, width, height);
  return { paint, width, height };
}

// Shows every place that those who take part come to.
function fitView() {
  const { width, height } = stage.canvas.getBoundingClientRect();
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const node of active) {
    const way = film.stage.nodes[node].way || [0, ...madePlaces.get(node)];
    for (let i = 0; i < way.length; i += 4) {
      const x = way[i + 1], y = -way[i + 1 + axes[1]];
      [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    }
  }
  const margin = isCrowded ? 30 : 60, inner = [width - 2 * margin, height - 2 * margin];
  stage.scale = Math.min(inner[0] / Math.max(right - left, 1e-6), inner[1] / Math.max(bottom - top, 1e-6));
  if (!(stage.scale < 1e5)) stage.scale = 1;
  stage.x = width / 2 - stage.scale * (left + right) / 2;
  stage.y = height / 2 - stage.scale * (top + bottom) / 2;
  stage.isOwnView = false;
}

// Draws what happens from `start` to `end`; marks of losses stay for `memory` seconds.
function drawStage(start, end, memory) {
  if (!stage.isOwnView) fitView();
  const { width, height } = fitCanvas(stage.canvas);
  stage.time = end;
  stage.places = film.stage.nodes.map((_, node) => onScreen(drawnAt(node, end)));
  stage.drawn = [];
  drawGround(width, height);
  drawLinks(end);
  film.stage.flows.forEach((_, flow) => { if (!stage.hidden.has(flow)) drawRoute(flow, end); });
  const visible = framesBetween(start, end, MOST_DRAWN);
  visible.forEach(i => drawFrame(i, end));
  drawNodes();
  drawFailures(end, memory);
  drawDrops(end, memory);
}

function drawGround(width, height) {
  if (!film.stage.channels.length) return;
  const { paint } = stage, metres = niceStep(90 / stage.scale), step = metres * stage.scale;
  paint.strokeStyle = colour("--line");
  paint.globalAlpha = 0.5;
  paint.lineWidth = 1;
  paint.beginPath();
  for (let x = stage.x % step; x < width; x += step) { paint.moveTo(x, 0); paint.lineTo(x, height); }
  for (let y = stage.y % step; y < height; y += step) { paint.moveTo(0, y); paint.lineTo(width, y); }
  paint.stroke();
  paint.globalAlpha = 1;
  paint.fillStyle = colour("--faint");
  paint.font = "11px system-ui, sans-serif";
  paint.textAlign = "left";
  paint.fillText(`one square: ${metres >= 1000 ? `${metres / 1000} km` : `${metres} m`}`, 10, 16);
}

function niceStep(least) {
  const ten = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(factor => factor * ten).find(step => step >= least);
}

function drawLinks(time) {
  const { paint, places } = stage;
  paint.lineWidth = 18;
  paint.lineCap = "round";
  const down = new Set(outagesAt(time, 0).map(({ link }) => link));
  film.stage.links.forEach(([one, other], link) => {
    paint.strokeStyle = colour(down.has(link) ? "--outage" : "--line");
    stroke(places[one], places[other]);
  });
}

function stroke([x1, y1], [x2, y2]) {
  stage.paint.beginPath();
  stage.paint.moveTo(x1, y1);
  stage.paint.lineTo(x2, y2);
  stage.paint.stroke();
}

function drawRoute(flow, time) {
  const { paint, places } = stage, nodes = routeAt(flow, time);
  if (nodes.length < 2) return;
  const isWhole = nodes[nodes.length - 1] === film.stage.flows[flow].to;
  paint.strokeStyle = flowColour(flow);
  paint.globalAlpha = isWhole ? 0.4 : 0.2;
  paint.lineWidth = Math.max(9 - 0.6 * film.stage.flows.length, 3);
  paint.lineJoin = "round";
  paint.beginPath();
  nodes.forEach((node, i) => { i ? paint.lineTo(...places[node]) : paint.moveTo(...places[node]); });
  paint.stroke();
  paint.globalAlpha = 1;
}

function drawFrame(i, time) {
  const from = stage.places[frames.from[i]], kind = kindOf(i), { paint } = stage;
  if (frames.flow[i] >= 0 && stage.hidden.has(frames.flow[i])) return;
  const share = Math.min(Math.max((time - frames.begin[i]) / (frames.end[i] - frames.begin[i]), 0), 1);
  paint.strokeStyle = paint.fillStyle = KIND_COLOURS[kind];
  if (frames.to[i] < 0) return drawBroadcast(from, share, i);
  const to = stage.places[frames.to[i]];
  if (frames.channel[i] < 0) return drawOnWire(i, from, to, time);
  const isLost = frames.fate[i] >= 0;
  paint.lineWidth = kind === "data" || kind === "ack" ? 3 : 2;
  paint.setLineDash(isLost ? [5, 4] : []);
  paint.globalAlpha = 0.85;
  stroke(from, to);
  paint.setLineDash([]);
  paint.globalAlpha = 1;
  dot(between(from, to, share), kind === "data" || kind === "routing" ? 6 : 5);
  if (!isCrowded) {
    const [x, y] = between(from, to, 0.5);
    paint.font = "11px system-ui, sans-serif";
    paint.textAlign = "center";
    paint.fillText(KIND_NAMES[kind], x, y - 8);
  }
  stage.drawn.push({ i, from, to });
}

const between = ([x1, y1], [x2, y2], share) => [x1 + (x2 - x1) * share, y1 + (y2 - y1) * share];

function dot([x, y], radius) {
  stage.paint.beginPath();
  stage.paint.arc(x, y, radius, 0, 2 * Math.PI);
  stage.paint.fill();
}

// A ring that grows as far as frames usually go.
function drawBroadcast([x, y], share, i) {
  const { paint } = stage, radius = Math.max(usualHop * stage.scale, 24);
  paint.lineWidth = 2;
  paint.globalAlpha = 0.15 + 0.6 * (1 - share);
  paint.beginPath();
  paint.arc(x, y, 6 + radius * share, 0, 2 * Math.PI);
  paint.stroke();
  paint.globalAlpha = 1;
  stage.drawn.push({ i, from: [x, y], to: [x, y] });
}

// On a wire a packet is as long as it takes to send; beside it are those of the other direction.
function drawOnWire(i, from, to, time) {
  const { paint } = stage, begin = frames.begin[i], length = frames.length[i] / 1e9, whole = frames.end[i] - begin;
  const head = Math.min((time - begin) / whole, 1), tail = Math.max((time - begin - length) / whole, 0);
  const distance = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const aside = [-(to[1] - from[1]) / distance * 4, (to[0] - from[0]) / distance * 4];
  const shift = ([x, y]) => [x + aside[0], y + aside[1]];
  // At least some pixels long.
  const least = Math.min(4 / distance, 1);
  const ends = [between(from, to, Math.max(Math.min(tail, head - least), 0)), between(from, to, Math.max(head, least))].map(shift);
  paint.lineWidth = 7;
  paint.lineCap = "butt";
  stroke(...ends);
  stage.drawn.push({ i, from: ends[0], to: ends[1] });
}

function drawNodes() {
  const { paint, places } = stage, radius = isCrowded ? 4 : 7;
  places.forEach((place, node) => {
    paint.fillStyle = colour("--ink");
    dot(place, radius);
  });
  film.stage.flows.forEach(({ from, to }, flow) => {
    if (stage.hidden.has(flow)) return;
    paint.strokeStyle = paint.fillStyle = flowColour(flow);
    paint.lineWidth = 3;
    dot(places[from], radius + 1);
    paint.beginPath();
    paint.arc(...places[to], radius + 2, 0, 2 * Math.PI);
    paint.stroke();
  });
  paint.fillStyle = colour("--ink");
  paint.font = "12px system-ui, sans-serif";
  paint.textAlign = "center";
  const named = isCrowded ? new Set(film.stage.flows.flatMap(({ from, to }) => [from, to])) : null;
  places.forEach(([x, y], node) => { if (!named || named.has(node)) paint.fillText(nodeName(node), x, y + radius + 15); });
}

// A cross where reception of a frame failed.
function drawFailures(time, memory) {
  if (frames.count === 0) return;
  const { paint } = stage, begin = time - memory * 0.6;
  for (const i of framesBetween(begin, time, MOST_DRAWN)) {
    if (frames.fate[i] < 0 || frames.end[i] > time || frames.end[i] < begin) continue;
    const place = stage.places[frames.to[i]];
    paint.globalAlpha = 1 - (time - frames.end[i]) / (memory * 0.6 + 1e-12);
    paint.strokeStyle = "#e8820e";
    cross(place, 6);
    if (!isCrowded) label(words(fateOf(i)), place, -14, "#e8820e");
  }
  paint.globalAlpha = 1;
}

function drawDrops(time, memory) {
  const { paint } = stage, first = upTo(drops.at, time - memory), last = upTo(drops.at, time);
  const recent = new Map();
  for (let i = Math.max(first, last - MOST_DRAWN); i < last; i++) {
    const node = drops.node[i], cause = film.causes[drops.cause[i]];
    const isOnWay = ["link_error", "corrupted", "link_down"].includes(cause) && drops.to[i] >= 0;
    const place = isOnWay ? between(stage.places[node], stage.places[drops.to[i]], 0.5) : stage.places[node];
    const key = `${node} ${isOnWay ? drops.to[i] : ""} ${cause}`;
    const known = recent.get(key);
    recent.set(key, { place, cause, at: drops.at[i], count: (known?.count || 0) + 1 });
  }
  const above = new Map();
  for (const { place, cause, at, count } of recent.values()) {
    paint.globalAlpha = Math.max(1 - (time - at) / memory, 0.05);
    paint.strokeStyle = causeColour(cause);
    paint.lineWidth = 3;
    cross(place, 9);
    const line = above.get(`${place}`) || 0;
    above.set(`${place}`, line + 1);
    label(`${words(cause)}${count > 1 ? ` \u00d7${count}` : ""}`, place, -28 - 14 * line, causeColour(cause));
  }
  paint.globalAlpha = 1;
}

function cross([x, y], size) {
  stroke([x - size, y - size], [x + size, y + size]);
  stroke([x - size, y + size], [x + size, y - size]);
}

function label(text, [x, y], above, ink) {
  const { paint } = stage;
  paint.font = "bold 11px system-ui, sans-serif";
  paint.textAlign = "center";
  paint.fillStyle = ink;
  paint.fillText(text, x, y + above);
}

// What is under the pointer, in words.
function under([x, y]) {
  const node = stage.places?.findIndex(place => Math.hypot(place[0] - x, place[1] - y) < 10) ?? -1;
  if (node >= 0) return aboutNode(node);
  const near = stage.drawn?.map(each => [distanceTo(each, x, y), each.i]).sort((a, b) => a[0] - b[0])[0];
  return near && near[0] < 7 ? aboutFrame(near[1]) : "";
}

function distanceTo({ from, to }, x, y) {
  const along = [to[0] - from[0], to[1] - from[1]], length = along[0] ** 2 + along[1] ** 2;
  const share = length ? Math.min(Math.max(((x - from[0]) * along[0] + (y - from[1]) * along[1]) / length, 0), 1) : 0;
  return Math.hypot(x - from[0] - share * along[0], y - from[1] - share * along[1]);
}

function aboutNode(node) {
  const place = placeAt(node, stage.time), counts = {};
  for (let i = 0, last = upTo(drops.at, stage.time); i < last; i++) {
    if (drops.node[i] === node) { const cause = film.causes[drops.cause[i]]; counts[cause] = (counts[cause] || 0) + 1; }
  }
  const lines = [nodeName(node)];
  if (place) lines.push(`at ${place.filter((part, axis) => axis < 2 || part).map(part => `${part.toFixed(1)} m`).join(", ")}`);
  film.stage.flows.forEach(({ label, from, to }, flow) => {
    const nodes = routeAt(flow, stage.time);
    if (node === from) lines.push(`sends ${label}`);
    else if (node === to) lines.push(`receives ${label}`);
    else if (nodes.includes(node)) lines.push(`forwards ${label}`);
  });
  for (const [cause, count] of Object.entries(counts)) lines.push(`dropped so far: ${count} ${words(cause)}`);
  return lines.join("\n");
}

function aboutFrame(i) {
  const flow = frames.flow[i], lines = [`${KIND_NAMES[kindOf(i)]}: ${nodeName(frames.from[i])} to ${frames.to[i] < 0 ? "everyone" : nodeName(frames.to[i])}`];
  if (flow >= 0) lines.push(`flow ${film.stage.flows[flow].label}, bytes from ${frames.offset[i]}`);
  if (frames.packet[i] >= 0) lines.push(`packet ${frames.packet[i]}`);
  lines.push(`at ${frames.begin[i].toFixed(6)} s for ${duringText(frames.length[i] / 1e9)}`);
  if (frames.delay[i] > 0) lines.push(`${duringText(frames.delay[i] / 1e9)} on its way`);
  lines.push(words(fateOf(i)));
  return lines.join("\n");
}
