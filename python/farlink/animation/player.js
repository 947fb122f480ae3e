// The player: one clock for stage, curves and slider; play, pause, speed, keys, pointer.

const element = id => document.getElementById(id);
const [windowStart, windowEnd] = film.window_ns.map(nanos => nanos / 1e9);
const framesUntil = frames.full_at_ns === null ? windowEnd : frames.full_at_ns / 1e9;
const player = { time: windowStart, isPlaying: false, speed: 1, before: null };
// Simulated seconds to a second on the clock.
const SPEEDS = [1e-6, 1e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000];
const MEMORY = 1.2; // seconds on the clock that a mark of a loss stays

function speedText(speed) {
  if (speed >= 1) return `${speed} \u00d7`;
  return `1/${Math.round(1 / speed)}`;
}

function setSpeed(speed) {
  player.speed = speed;
  element("speed").value = String(speed);
  draw();
}

// A frame should be seen: it takes a tenth of a second, unless the run would then take more than ten minutes.
function firstSpeed() {
  const lengths = Array.from(frames.end, (end, i) => end - frames.begin[i]).sort((a, b) => a - b);
  const usual = lengths.length ? lengths[lengths.length >> 1] : duration / 60;
  const wanted = Math.max(usual * 10, (framesUntil - windowStart) / 600);
  return SPEEDS.findLast(speed => speed <= wanted) ?? SPEEDS[0];
}

function seek(time) {
  player.time = Math.min(Math.max(time, 0), duration);
  draw();
}

// To the beginning of the next or the former frame.
function step(direction) {
  setPlaying(false);
  const near = 1e-9;
  const place = direction > 0 ? upTo(frames.begin, player.time + near) : upTo(frames.begin, player.time - near) - 1;
  if (place >= 0 && place < frames.count) seek(frames.begin[place] + near / 2);
}

// Where the page is a part of another one, it has the network alone, which plays what was recorded again and again.
const isNetworkOnly = run.view === "network";
const ROUND = 30; // seconds on the clock

function setPlaying(isPlaying) {
  if (isPlaying && player.time >= duration) player.time = 0;
  player.isPlaying = isPlaying;
  player.before = null;
  element("play").textContent = isPlaying ? "pause" : "play";
  if (isPlaying) requestAnimationFrame(tick);
}

function tick(now) {
  if (!player.isPlaying) return;
  const passed = player.before === null ? 0 : Math.min((now - player.before) / 1e3, 0.1);
  player.before = now;
  const start = isNetworkOnly && player.time >= framesUntil ? windowStart : player.time;
  player.time = Math.min(start + passed * player.speed, duration);
  draw(start);
  if (player.time >= duration) setPlaying(false); else requestAnimationFrame(tick);
}

function draw(start = player.time) {
  drawStage(start, player.time, player.speed * MEMORY);
  drawSlots(player.time);
  drawCharts(player.time);
  drawSlider();
  element("clock").textContent = `${player.time.toFixed(duration < 10 ? 6 : 4)} s`;
  drawCounts();
}

function drawSlider() {
  const { paint, width, height } = fitCanvas(element("slider")), middle = height / 2;
  const x = time => 8 + time / duration * (width - 16);
  paint.fillStyle = colour("--line");
  paint.fillRect(x(0), middle - 2, x(duration) - x(0), 4);
  paint.fillStyle = KIND_COLOURS.data;
  paint.globalAlpha = 0.5;
  paint.fillRect(x(windowStart), middle - 2, Math.max(x(framesUntil) - x(windowStart), 2), 4);
  paint.globalAlpha = 1;
  paint.beginPath();
  paint.arc(x(player.time), middle, 7, 0, 2 * Math.PI);
  paint.fill();
}

// Drops so far and in all.
const dropTimes = causes.map(cause => Float64Array.from(drops.at.filter((_, i) => film.causes[drops.cause[i]] === cause)));
function drawCounts() {
  const parts = causes.map((cause, place) => {
    const span = document.createElement("span"), mark = document.createElement("i");
    mark.style.background = causeColour(cause);
    span.append(mark, `${words(cause)} ${upTo(dropTimes[place], player.time)} of ${drops.by_cause[cause]}`);
    return span;
  });
  element("drops").replaceChildren("dropped: ", ...(parts.length ? parts : ["nothing"]));
}

function describe() {
  const { nodes, channels } = film.stage, lost = Object.values(run.results.failed_attempts).reduce((sum, count) => sum + count, 0);
  element("about").textContent = `seed ${run.seed}, ${nodes.length} nodes, ${+duration.toPrecision(6)} s; Farlink ${run.farlink}`
    + (channels.length ? `; ${lost} attempts on shared channels failed` : "");
  const notes = [];
  if (windowStart > 0 || windowEnd < duration) notes.push(`frames are shown from ${windowStart} s to ${windowEnd} s`);
  if (frames.left_out) notes.push(`only the first ${frames.count} frames are shown, until ${framesUntil.toFixed(3)} s: choose another part of the run with --animate-window`);
  if (drops.left_out) notes.push(`${drops.left_out} drops are counted but not shown`);
  element("note").textContent = notes.join("; ");
  const kinds = [...new Set(frames.kind)].sort((a, b) => a - b).map(kind => film.kinds[kind]);
  element("legend").replaceChildren(...kinds.map(kind => {
    const span = document.createElement("span"), mark = document.createElement("i");
    mark.style.background = KIND_COLOURS[kind];
    span.append(mark, KIND_NAMES[kind]);
    return span;
  }));
  element("flows").replaceChildren(...film.stage.flows.map(({ label, from, to }, flow) => {
    const row = document.createElement("label"), box = document.createElement("input"), mark = document.createElement("i");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => { box.checked ? stage.hidden.delete(flow) : stage.hidden.add(flow); draw(); });
    mark.style.background = flowColour(flow);
    row.append(box, mark, `${label} (${nodeName(from)} to ${nodeName(to)})`);
    return row;
  }));
  element("speed").replaceChildren(...SPEEDS.map(speed => new Option(speedText(speed), String(speed))));
}

function hint(text, event) {
  const box = element("hint");
  box.hidden = !text;
  box.textContent = text;
  if (!text) return;
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.min(event.clientX + 14, innerWidth - width - 6)}px`;
  box.style.top = `${Math.min(event.clientY + 14, innerHeight - height - 6)}px`;
}

const local = (event, canvas) => {
  const { left, top } = canvas.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
};

function listenToStage() {
  const { canvas } = stage;
  canvas.addEventListener("pointerdown", event => { stage.pointer = local(event, canvas); canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { stage.pointer = null; });
  canvas.addEventListener("pointerleave", event => hint("", event));
  canvas.addEventListener("pointermove", event => {
    const [x, y] = local(event, canvas);
    if (!stage.pointer) return hint(under([x, y]), event);
    stage.x += x - stage.pointer[0];
    stage.y += y - stage.pointer[1];
    stage.isOwnView = true;
    stage.pointer = [x, y];
    draw();
  });
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    const [x, y] = local(event, canvas), factor = Math.exp(-event.deltaY / 400);
    stage.x = x - (x - stage.x) * factor;
    stage.y = y - (y - stage.y) * factor;
    stage.scale *= factor;
    stage.isOwnView = true;
    draw();
  }, { passive: false });
  element("fit").addEventListener("click", () => { fitView(); draw(); });
}

// Wherever time runs to the right, a press goes there.
function listenToTime(canvas, timeAt) {
  const go = event => seek(timeAt(local(event, canvas)[0], canvas.getBoundingClientRect().width));
  canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); go(event); });
  canvas.addEventListener("pointermove", event => { if (event.buttons) go(event); });
}

const changeSpeed = by => setSpeed(SPEEDS[Math.min(Math.max(SPEEDS.indexOf(player.speed) + by, 0), SPEEDS.length - 1)]);
const KEYS = {
  " ": () => setPlaying(!player.isPlaying), ArrowLeft: () => step(-1), ArrowRight: () => step(1),
  "[": () => changeSpeed(-1), "]": () => changeSpeed(1), f: () => { fitView(); draw(); }, Home: () => seek(0), End: () => seek(duration),
};

function listen() {
  element("play").addEventListener("click", () => setPlaying(!player.isPlaying));
  element("back").addEventListener("click", () => step(-1));
  element("on").addEventListener("click", () => step(1));
  element("speed").addEventListener("change", event => setSpeed(Number(event.target.value)));
  listenToStage();
  listenToTime(charts.canvas, timeOf);
  listenToTime(element("slider"), (x, width) => (x - 8) / (width - 16) * duration);
  charts.canvas.addEventListener("pointermove", event => hint(overChart(...local(event, charts.canvas)), event));
  charts.canvas.addEventListener("pointerleave", event => hint("", event));
  slots.canvas.addEventListener("pointermove", event => hint(slots.isShown ? overSlots(...local(event, slots.canvas)) : "", event));
  slots.canvas.addEventListener("pointerleave", event => hint("", event));
  addEventListener("keydown", event => {
    if (document.activeElement.matches("select, input") || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  addEventListener("resize", () => draw());
}

// `page.html#12.5` begins there; `page.html#12.5x0.01` at that speed.
function openAtHash() {
  const [time, speed] = location.hash.slice(1).split("x").map(Number);
  if (speed) player.speed = SPEEDS.findLast(each => each <= speed) ?? SPEEDS[0];
  element("speed").value = String(player.speed);
  if (time) player.time = Math.min(Math.max(time, 0), duration);
}

document.body.classList.toggle("network-only", isNetworkOnly);
describe();
player.speed = firstSpeed();
openAtHash();
listen();
draw();
if (isNetworkOnly) {
  setSpeed(SPEEDS.findLast(speed => speed <= (framesUntil - windowStart) / ROUND) ?? SPEEDS[0]);
  setPlaying(!matchMedia("(prefers-reduced-motion: reduce)").matches);
}
