/** What ends late does not replace what is newer. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cells, run, RUN, settled, shorten } from "./actions.js";
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
  await settled(page);
  await page.getByLabel("Simulated time", { exact: true }).fill("5 s");
  await page.evaluate(holdFirstDrawing);
  const table = await run(page);
  await page.evaluate(letGoOn);
  assert.deepEqual(await cells(page), table);
});

test("recordings are cancelled, and end where they are replaced", async () => {
  const page = await site.page();
  await settled(page);
  const time = page.getByLabel("Simulated time", { exact: true });
  await time.fill("10 h");
  await page.getByRole("button", RUN).click();
  await page.getByText(/^0 of \d+ runs finished/).waitFor();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.locator(".progress").getByText(/^Cancelled:/).waitFor();
  for (const [make, cancel] of [
    ["Make the animation", "Cancel the animation"],
    ["Packets, pcap", "Cancel the capture"],
  ] as const) {
    for (let times = 0; times < 3; times += 1) await page.getByRole("button", { name: make }).click();
    const end = page.getByRole("button", { name: cancel });
    await end.click();
    await end.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: make }).click();
  }
  // Runs need the workers, which recordings of 10 h would have for longer than the test waits.
  await shorten(page);
  await run(page);
  assert.equal(await page.getByRole("button", { name: /^Cancel/ }).count(), 0);
  assert.equal(await page.locator("iframe").count(), 0);
  await page.getByRole("button", { name: "Make the animation" }).click();
  await page.locator("iframe").waitFor();
});

test("the page reported no fault and asked nothing but its own files", () => {
  assert.deepEqual(site.faults, []);
});
