/** What ends late does not replace what is newer. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { run, RUN, settled, shorten } from "./actions.js";
import { Site } from "./browser.js";

let site: Site;
before(async () => {
  site = await Site.open();
});
after(async () => {
  await site.close();
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

test("a time that is none is refused, and one after the end of other runs gives way", async () => {
  const page = await site.page();
  await settled(page);
  const span = page.getByLabel("Time from..to, in s", { exact: true });
  const fault = (): Promise<string> => span.evaluate((each) => (each as HTMLInputElement).validationMessage);
  await span.fill("12..10");
  await span.blur();
  assert.match(await fault(), /earlier one first/);
  await span.fill("30..40");
  await span.blur();
  assert.equal(await fault(), "");
  await shorten(page);
  await run(page);
  assert.equal(await span.inputValue(), "");
});

test("the page reported no fault and asked nothing but its own files", () => {
  assert.deepEqual(site.faults, []);
});
