/** What ends late does not replace what is newer. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cells, run, shorten } from "./actions.js";
import { Site } from "./browser.js";

let site: Site;
before(async () => {
  site = await Site.open();
});
after(async () => {
  await site.close();
});

interface Held {
  /** Goes on with the first drawing. */
  release?: () => void;
}

/** Runs in the page: the first drawing of the table begins at once, and then waits. */
function holdFirstDrawing(): void {
  const later = setTimeout.bind(globalThis);
  const held = globalThis as Held;
  const patched = (call: () => void, delay?: number): number => {
    if (delay !== undefined || held.release) return later(call, delay === 400 ? 0 : delay) as unknown as number;
    held.release = call;
    return 0;
  };
  Object.assign(globalThis, { setTimeout: patched });
}

/** Runs in the page: so many turns of its event loop. */
async function letGoOn(): Promise<void> {
  (globalThis as Held).release?.();
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0));
}

test("a table of fewer runs that is drawn late does not replace the last one", async () => {
  const page = await site.page();
  await page.getByLabel("Simulated time", { exact: true }).fill("5 s");
  await page.evaluate(holdFirstDrawing);
  const table = await run(page);
  await page.evaluate(letGoOn);
  assert.deepEqual(await cells(page), table);
});

interface Recording {
  begin?: () => void;
  isMade?: boolean;
}

/** Runs in the page: the recording of an animation begins when `begin` is called. */
function holdRecording(): void {
  const post = Worker.prototype.postMessage as (this: Worker, message: { kind: string }) => void;
  const recording = globalThis as Recording;
  Worker.prototype.postMessage = function (this: Worker, message: { kind: string }): void {
    if (message.kind !== "animation") return post.call(this, message);
    recording.begin = () => post.call(this, message);
    this.addEventListener("message", ({ data }) => (recording.isMade ||= data.what === "answer"));
  };
}

test("an animation that was being made for other results is not shown", async () => {
  const page = await site.page();
  await shorten(page);
  await run(page);
  await page.evaluate(holdRecording);
  await page.getByRole("button", { name: "Make the animation" }).click();
  await page.getByText("The run is being recorded").waitFor();
  await run(page);
  await page.evaluate(() => (globalThis as Recording).begin!());
  await page.waitForFunction(() => (globalThis as Recording).isMade);
  assert.equal(await page.locator("iframe").count(), 0);
});

test("the page reported no fault and asked nothing but its own files", () => {
  assert.deepEqual(site.faults, []);
});
