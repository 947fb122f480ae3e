// The curves: goodput, congestion window and drops over the run, with the moment that is shown.

const charts = { canvas: document.getElementById("charts"), areas: [] };
const LEFT = 58, RIGHT = 14, TOP = 20, GAP = 30;
const BINS = 200;

const MEASURES = [
  { key: "goodput_bps", title: rate => `goodput, ${rate.unit}`, isRate: true },
  { key: "cwnd_segments", title: () => "congestion window, segments" },
];

// Drops in equal parts of the run, by cause.
const dropBins = causes.map(() => new Array(BINS).fill(0));
for (let i = 0; i < drops.count; i++) {
  const bin = Math.min(Math.floor(drops.at[i] / duration * BINS), BINS - 1);
  dropBins[causes.indexOf(film.causes[drops.cause[i]])][bin] += 1;
}

const xOf = (time, width) => LEFT + time / duration * (width - LEFT - RIGHT);
const timeOf = (x, width) => Math.min(Math.max((x - LEFT) / (width - LEFT - RIGHT), 0), 1) * duration;

function rateUnit(most) {
  return most >= 1e6 ? { scale: 1e6, unit: "Mbit/s" } : { scale: 1e3, unit: "kbit/s" };
}

function drawCharts(time) {
  const { paint, width, height } = fitCanvas(charts.canvas);
  const rows = MEASURES.length + (causes.length ? 1 : 0);
  const each = (height - TOP - 22 - GAP * (rows - 1)) / rows;
  charts.areas = [];
  paint.font = "11px system-ui, sans-serif";
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
  const shown = run.curves.filter(({ flow }) => !stage.hidden.has(flow));
  let most = 0;
  for (const curve of shown) for (const value of curve[measure.key]) if (value > most) most = value;
  most = most * 1.05 || 1;
  const unit = measure.isRate ? rateUnit(most) : { scale: 1 };
  frame(paint, area, most, unit.scale, measure.title(unit));
  const { width, top, height } = area;
  for (const curve of shown) {
    paint.strokeStyle = flowColour(curve.flow);
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
  if (!area.measure) {
    const bin = Math.min(Math.floor(time / duration * BINS), BINS - 1);
    causes.forEach((cause, place) => { if (dropBins[place][bin]) lines.push(`${words(cause)}: ${dropBins[place][bin]}`); });
    return lines.join("\n");
  }
  for (const curve of run.curves) {
    if (stage.hidden.has(curve.flow)) continue;
    const value = curve[area.measure.key][Math.max(upTo(curve.time_s, time) - 1, 0)];
    const shown = value === null ? "-" : `${+(value / area.unit.scale).toPrecision(4)} ${area.unit.unit || "segments"}`;
    lines.push(`${film.stage.flows[curve.flow].label}: ${shown}`);
  }
  return lines.join("\n");
}
