/** A page that does what a test asks for: it fetches an order, carries it out, and posts the answer. */
import { animationPage, opened, openPool, summarise } from "../../src/engine/index.js";
import type { FinishedRun, Order, Samples, Slice } from "../../src/engine/index.js";

const pool = openPool({ workers: 2 });

const orders: Record<string, (body: any) => unknown> = {
  builtins: () => pool.builtins(),
  models: () => pool.models(),
  check: ({ toml, ...over }) => pool.check(toml, decoded(over)),
  describe: ({ toml, ...over }) => pool.describe(toml, decoded(over)),
  run: async (order: Order) => (await pool.run(decoded(order)).done).map((run) => ({ ...run, series: plain(run.series) })),
  hashes: async (order: Order) => Promise.all((await pool.run({ ...order, columns: true }).done).map((run) => hashed(run as FinishedRun))),
  slices,
  cancel,
  refusal: (order: Order) => pool.run(order).done.then(() => null, ({ name, diagnostics }) => ({ name, diagnostics })),
  animation: ({ toml, seed, ...options }) => pool.animation(toml, seed, options),
  animationPage: async ({ toml, seed }) => animationPage(await pool.animation(toml, seed)),
  pcap: async ({ toml, seed }) => sha256(await pool.pcap(toml, seed)),
  summarise: ({ lists }: { lists: number[][] }) => lists.map((values) => summarise(values)),
  opened: () => opened(),
};

/** Files come as base64. */
function decoded<T extends { files?: unknown }>(order: T): T {
  const files = (order.files ?? {}) as Record<string, string>;
  const bytes = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return { ...order, files: Object.fromEntries(Object.entries(files).map(([path, text]) => [path, bytes(text)])) };
}

function plain(series: Record<string, Samples>): object {
  const numbers = (values: Float64Array) => Array.from(values, (value) => (Number.isNaN(value) ? null : value));
  return Object.fromEntries(Object.entries(series).map(([name, { t, v }]) => [name, { t: numbers(t), v: numbers(v) }]));
}

async function hashed({ label, seed, result, explanation, columns }: FinishedRun): Promise<object> {
  const table = (name: "flows" | "links") =>
    Promise.all(columns![name].map(async (column) => [
      column.name, column.kind, column.kind === "text" ? column.words.join("\n") : await sha256(column.bytes),
      column.kind === "word" ? column.words : [],
    ]));
  return { label, seed, result, explanation, json: columns!.json, flows: await table("flows"), links: await table("links") };
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as BufferSource));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The slices of a run joined, and its whole series. */
async function slices(order: Order): Promise<object> {
  const seen: Slice[] = [];
  const runs = await pool.run({ ...order, onSlice: (slice) => seen.push(slice) }).done;
  const joined: Record<string, { t: number[]; v: number[] }> = {};
  for (const { series } of seen) {
    for (const [name, { t, v }] of Object.entries(series)) {
      const into = (joined[name] ??= { t: [], v: [] });
      into.t.push(...t);
      into.v.push(...v);
    }
  }
  const times = seen.map(({ time }) => time);
  return { times, duration: seen[0]?.duration, joined, series: plain(runs[0]!.series) };
}

/** Cancels after the first slice; the milliseconds until it ended, and the runs. */
async function cancel(order: Order): Promise<object> {
  const began = Promise.withResolvers<void>();
  const job = pool.run({ ...order, onSlice: () => began.resolve() });
  await began.promise;
  const from = performance.now();
  job.cancel();
  const runs = await job.done;
  return { took_ms: performance.now() - from, runs: runs.map(({ label, seed, failed }) => ({ label, seed, failed })) };
}

async function serve(): Promise<never> {
  for (;;) {
    const { number, name, body } = await (await fetch("order")).json();
    let answer: object;
    try {
      answer = { number, answer: await orders[name]!(body) };
    } catch (error) {
      answer = { number, error: String(error) };
    }
    await fetch("answer", { method: "POST", body: JSON.stringify(answer) });
  }
}

void serve();
