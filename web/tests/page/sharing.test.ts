/** What a link holds, and what is said of it, when not all runs finished. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { run, SCENARIO } from "./actions.js";
import { Site } from "./browser.js";
import { decodeShared, encodeShared } from "../../src/page/link.js";

let site: Site;
before(async () => {
  site = await Site.open();
});
after(async () => {
  await site.close();
});

/** A run of 5 s beside one that is changed so. */
function linkWith(change: string): Promise<string> {
  const variants = [
    { label: "short", changes: "" },
    { label: "other", changes: change },
  ];
  return encodeShared({ experiment: { toml: SCENARIO, files: {}, duration: "", seeds: "1", variants }, results: null });
}

test("results of which a run failed are left out of the link", async () => {
  const page = await site.page(await linkWith('record.interval = "100 ns"'));
  await run(page);
  await page.locator(".progress").getByText("1 run failed, first other, seed 1").waitFor();
  await page.getByRole("button", { name: "Copy a link" }).click();
  await page.getByText("The link holds no results").waitFor();
  const link = await page.getByLabel("Link to this experiment and its results").inputValue();
  assert.equal((await decodeShared(link.split("#")[1]!)).results, null);
});

test("the page reported no fault and asked nothing but its own files", () => {
  assert.deepEqual(site.faults, []);
});
