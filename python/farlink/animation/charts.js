// The curves: delivery rate, congestion window, RTT, queues and drops over the run, outages, and the moment that is shown.

const charts = { canvas: document.getElementById("charts"), areas: [] };
const LEFT = 58, RIGHT = 14, TOP = 20, GAP = 30;
const BINS = 200;

const UNITS = {
  rate: most => most >= 1e6 ? { scale: 1e6, unit: "Mbit/s" } : { scale: 1e3, unit: "kbit/s" },
  time: most => most >= 1 ? { scale: 1, unit: "s" } : { scale: 1e-3, unit: "ms" },
  segments: () => ({ scale: 1, unit: "segments" }),
  packets: () => ({ scale: 1, unit: "packets" }),
};
const MEASURES = [
  { key: "delivery_rate_bps", title: "delivery rate", unitFor: UNITS.rate },
  { key: "cwnd_segments", title: "congestion window", unitFor: UNITS.segments },
  { key: "rtt_s", title: "RTT", unitFor: UNITS.time },
  { key: "queue_packets", title: "queue", unitFor: UNITS.packets },
].filter(({ key }) => key === "delivery_rate_bps" || allCurves(key).some(curve => curve[key].some(value => value !== null)));

// Queues are those of links, all else is of flows.
function allCurves(key) {
  if (key !== "queue_packets") {
    const label = flow => film.stage.flows[flow].label;
    return run.curves.filter(({ flow }) => !stage.hidden.has(flow)).map(curve => ({ ...curve, place: curve.flow, label: label(curve.flow) }));
  }
  return run.queues.map((curve, place) => ({ ...curve, place, label: curve.link }));
}

// Drops in equal parts of the run, by cause.
const dropBins = causes.map(() => new Array(BINS).fill(0));
for (let i = 0; i < drops.count; i++) {
  const bin = Math.min(Math.floor(drops.at[i] / duration * BINS), BINS - 1);
  dropBins[causes.indexOf(film.causes[drops.cause[i]])][bin] += 1;
}

const xOf = (time, width) => LEFT + time / duration * (width - LEFT - RIGHT);
const timeOf = (x, width) => Math.min(Math.max((x - LEFT) / (width - LEFT - RIGHT), 0), 1) * duration;

function drawCharts(time) {
  const { paint, width, height } = fitCanvas(charts.canvas);
  const rows = MEASURES.length + (causes.length ? 1 : 0);
  const each = (height - TOP - 22 - GAP * (rows - 1)) / rows;
  charts.areas = [];
  paint.font = "11px system-ui, sans-serif";
  drawOutages(paint, width, TOP, height - 22);
  MEASURES.forEach((measure, row) => drawMeasure(paint, measure, { width, top: TOP + row * (each + GAP), height: each }));
  if (causes.length) drawDropBins(paint, { width, top: TOP + MEASURES.length * (each + GAP), height: each });
  const bottom = TOP + rows * each + (rows - 1) * GAP;
  ticks(0, duration, 5).forEach(tick => {
    paint.fillStyle = colour("--faint");
    paint.textAlign = "center";
    paint.fillText(`${+tick.toPrecision(6)} s`, xOf(tick, width), bottom + 15);
  });
  paint.strokeStyle = colour("--ink");
  paint.lineWidth = 1;
  paint.beginPath();
  paint.moveTo(xOf(time, width), TOP);
  paint.lineTo(xOf(time, width), bottom);
  paint.stroke();
}

function drawOutages(paint, width, top, bottom) {
  paint.fillStyle = colour("--outage");
  paint.globalAlpha = 0.25;
  for (const { begin_s, end_s } of run.outages) {
    const from = xOf(begin_s, width);
    paint.fillRect(from, top, Math.max(xOf(end_s, width) - from, 1), bottom - top);
  }
  paint.globalAlpha = 1;
}

// The links that are down then.
const outagesAt = (time, slack) => run.outages.filter(({ begin_s, end_s }) => begin_s <= time + slack && time < end_s + slack);

function ticks(low, high, about) {
  const step = niceStep((high - low) / about), found = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high * (1 + 1e-9); tick += step) found.push(tick);
  return found;
}

function frame(paint, { width, top, height }, most, scale, title) {
  paint.fillStyle = colour("--ink");
  paint.textAlign = "left";
  paint.fillText(title, LEFT, top - 6);
  paint.lineWidth = 1;
  ticks(0, most / scale, 3).forEach(tick => {
    const y = top + height - tick * scale / most * height;
    paint.strokeStyle = colour("--line");
    paint.beginPath();
    paint.moveTo(LEFT, y);
    paint.lineTo(width - RIGHT, y);
    paint.stroke();
    paint.fillStyle = colour("--faint");
    paint.textAlign = "right";
    paint.fillText(`${+tick.toPrecision(4)}`, LEFT - 6, y + 4);
  });
}

function drawMeasure(paint, measure, area) {
  const shown = allCurves(measure.key);
  let most = 0;
  for (const curve of shown) for (const value of curve[measure.key]) if (value > most) most = value;
  most = most * 1.05 || 1;
  const unit = measure.unitFor(most);
  frame(paint, area, most, unit.scale, `${measure.title}, ${unit.unit}`);
  const { width, top, height } = area;
  for (const curve of shown) {
    paint.strokeStyle = flowColour(curve.place);
    paint.lineWidth = 1.3;
    paint.lineJoin = "round";
    paint.beginPath();
    let isOn = false;
    curve[measure.key].forEach((value, i) => {
      if (value === null) { isOn = false; return; }
      const x = xOf(curve.time_s[i], width), y = top + height - value / most * height;
      isOn ? paint.lineTo(x, y) : paint.moveTo(x, y);
      isOn = true;
    });
    paint.stroke();
  }
  charts.areas.push({ ...area, measure, unit });
}

function drawDropBins(paint, area) {
  const { width, top, height } = area;
  const most = Math.max(...Array.from({ length: BINS }, (_, bin) => dropBins.reduce((sum, bins) => sum + bins[bin], 0)), 1);
  frame(paint, area, most * 1.05, 1, `packets dropped in ${duringText(duration / BINS)}`);
  const wide = (width - LEFT - RIGHT) / BINS;
  for (let bin = 0; bin < BINS; bin++) {
    let y = top + height;
    causes.forEach((cause, place) => {
      const tall = dropBins[place][bin] / (most * 1.05) * height;
      if (!tall) return;
      paint.fillStyle = causeColour(cause);
      y -= tall;
      paint.fillRect(LEFT + bin * wide, y, Math.max(wide - 0.5, 1), tall);
    });
  }
  charts.areas.push({ ...area, measure: null });
}

// What the curves say at a place.
function overChart(x, y) {
  const { width } = charts.canvas.getBoundingClientRect();
  const area = charts.areas.find(({ top, height }) => y >= top - GAP / 2 && y <= top + height + GAP / 2);
  if (!area) return "";
  const time = timeOf(x, width), lines = [`${+time.toPrecision(6)} s`];
  for (const { link, begin_s, end_s } of outagesAt(time, duration / (width - LEFT - RIGHT))) {
    const [one, other] = film.stage.links[link].map(nodeName);
    lines.push(`${one} - ${other} down from ${begin_s} to ${end_s} s`);
  }
  if (!area.measure) {
    const bin = Math.min(Math.floor(time / duration * BINS), BINS - 1);
    causes.forEach((cause, place) => { if (dropBins[place][bin]) lines.push(`${words(cause)}: ${dropBins[place][bin]}`); });
    return lines.join("\n");
  }
  for (const curve of allCurves(area.measure.key)) {
    const value = curve[area.measure.key][Math.max(upTo(curve.time_s, time) - 1, 0)];
    const shown = value === null ? "-" : `${+(value / area.unit.scale).toPrecision(4)} ${area.unit.unit}`;
    lines.push(`${curve.label}: ${shown}`);
  }
  return lines.join("\n");
}
