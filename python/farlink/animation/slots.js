// The space-time diagram of a channel with slots: a row per node, a column per slot, around the moment that is shown.

const slots = { canvas: document.getElementById("slots"), channel: run.slots.findIndex(length => length) };
slots.isShown = slots.channel >= 0;
slots.canvas.hidden = !slots.isShown;
const SLOT_ROW = 15, SLOT_COLUMN = 18, SLOT_TOP = 30, SLOT_MARGIN = 8;
const MOST_ROWS = 24;

if (slots.isShown) {
  const { nodes } = film.stage.channels[slots.channel];
  slots.length = run.slots[slots.channel];
  slots.nodes = nodes.slice(0, MOST_ROWS);
  slots.rowOf = new Map(slots.nodes.map((node, row) => [node, row]));
  slots.canvas.style.height = `${SLOT_TOP + slots.nodes.length * SLOT_ROW + 8}px`;
}

// The frames of some slots, each with its parts: those of one sender in one slot are one frame.
function framesOfSlots(first, last) {
  const found = new Map();
  for (const i of framesBetween(first * slots.length, (last + 1) * slots.length, Infinity)) {
    if (frames.channel[i] !== slots.channel) continue;
    const slot = Math.floor(frames.begin[i] / slots.length + 1e-9), key = `${slot} ${frames.from[i]}`;
    if (slot < first || slot > last) continue;
    if (!found.has(key)) found.set(key, { slot, from: frames.from[i], parts: [] });
    found.get(key).parts.push(i);
  }
  return [...found.values()];
}

// The previous hop of a relayed packet, which hears the echo unless it is disturbed.
function echoTo(i) {
  if (frames.packet[i] < 0) return null;
  const first = upTo(frames.begin, frames.begin[i] - 3 * slots.length);
  for (let j = i - 1; j >= first; j--) {
    const isIt = frames.packet[j] === frames.packet[i] && frames.to[j] === frames.from[i];
    if (isIt && frames.begin[j] < frames.begin[i]) return frames.from[j];
  }
  return null;
}

function drawSlots(time) {
  if (!slots.isShown) return;
  const { paint, width, height } = fitCanvas(slots.canvas);
  paint.font = "11px system-ui, sans-serif";
  const names = slots.nodes.map(nodeName);
  const left = SLOT_MARGIN + 6 + Math.max(...names.map(name => paint.measureText(name).width));
  const columns = Math.max(Math.floor((width - left - SLOT_MARGIN) / SLOT_COLUMN), 1);
  const now = Math.floor(time / slots.length + 1e-9), first = Math.max(now - Math.floor(columns * 2 / 3), 0);
  const x = slot => left + (slot - first) * SLOT_COLUMN, y = row => SLOT_TOP + row * SLOT_ROW;
  const bottom = y(slots.nodes.length);
  paint.fillStyle = colour("--faint");
  paint.textAlign = "left";
  const lengthText = duringText(slots.length);
  paint.fillText(`slots of ${lengthText}: a line leads to the next hop, red where that missed it; a ring: an echo for this node`, SLOT_MARGIN, 12);
  paint.strokeStyle = colour("--line");
  paint.lineWidth = 1;
  names.forEach((name, row) => {
    paint.fillText(name, SLOT_MARGIN, y(row) + SLOT_ROW - 4);
    paint.strokeRect(left, y(row), columns * SLOT_COLUMN, SLOT_ROW);
  });
  paint.textAlign = "center";
  for (let slot = first; slot < first + columns; slot++) if (slot % 5 === 0) paint.fillText(`${slot}`, x(slot) + SLOT_COLUMN / 2, SLOT_TOP - 4);
  paint.globalAlpha = 0.15;
  paint.fillStyle = colour("--ink");
  paint.fillRect(x(now), SLOT_TOP, SLOT_COLUMN, bottom - SLOT_TOP);
  paint.globalAlpha = 1;
  for (const frame of framesOfSlots(first, Math.min(now, first + columns - 1))) drawSlot(paint, frame, x, y);
}

// A frame: its parts side by side, in the colours of what they carry.
function drawSlot(paint, { slot, from, parts }, x, y) {
  const row = slots.rowOf.get(from);
  if (row === undefined) return;
  const wide = (SLOT_COLUMN - 4) / parts.length;
  parts.forEach((i, place) => {
    const at = x(slot) + 2 + place * wide, middle = at + wide / 2;
    paint.fillStyle = KIND_COLOURS[kindOf(i)];
    paint.fillRect(at, y(row) + 3, wide - (parts.length > 1 ? 1 : 0), SLOT_ROW - 6);
    const to = slots.rowOf.get(frames.to[i]);
    if (to !== undefined) {
      paint.strokeStyle = frames.fate[i] >= 0 ? CAUSE_COLOURS[0] : KIND_COLOURS[kindOf(i)];
      paint.lineWidth = frames.fate[i] >= 0 ? 2 : 1;
      paint.beginPath();
      paint.moveTo(middle, y(row) + (to > row ? SLOT_ROW - 3 : 3));
      paint.lineTo(middle, y(to) + SLOT_ROW / 2);
      paint.stroke();
    }
    const echo = slots.rowOf.get(echoTo(i));
    if (echo === undefined) return;
    paint.strokeStyle = KIND_COLOURS[kindOf(i)];
    paint.lineWidth = 1;
    paint.beginPath();
    paint.arc(middle, y(echo) + SLOT_ROW / 2, 3, 0, 2 * Math.PI);
    paint.stroke();
  });
}

// Which frame is in the cell at a place.
function overSlots(px, py) {
  const { width } = slots.canvas.getBoundingClientRect();
  const paint = slots.canvas.getContext("2d");
  const left = SLOT_MARGIN + 6 + Math.max(...slots.nodes.map(node => paint.measureText(nodeName(node)).width));
  const columns = Math.max(Math.floor((width - left - SLOT_MARGIN) / SLOT_COLUMN), 1);
  const now = Math.floor(player.time / slots.length + 1e-9), first = Math.max(now - Math.floor(columns * 2 / 3), 0);
  const slot = first + Math.floor((px - left) / SLOT_COLUMN), node = slots.nodes[Math.floor((py - SLOT_TOP) / SLOT_ROW)];
  if (px < left || slot > now || node === undefined) return "";
  const found = framesOfSlots(slot, slot).find(({ from }) => from === node);
  if (!found) return `slot ${slot}, ${nodeName(node)}`;
  const lines = found.parts.map(i => {
    const to = frames.to[i] < 0 ? "everyone" : nodeName(frames.to[i]);
    return `${KIND_NAMES[kindOf(i)]} to ${to}: ${words(fateOf(i))}`;
  });
  return [`slot ${slot}, ${nodeName(node)}${lines.length > 1 ? ", a combined frame" : ""}`, ...lines].join("\n");
}
