/** Results that the form would not make say so. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { cells, run, RUN, SCENARIO, settled } from "./actions.js";
import { Site } from "./browser.js";
import { encodeShared } from "../../src/page/link.js";

let site: Site;
before(async () => {
  site = await Site.open();
});
after(async () => {
  await site.close();
});

function mark(page: Page): Locator {
  return page.locator(".note", { hasText: "The results below were made with earlier settings." });
}

test("results are marked as soon as a field differs, until it is as before", async () => {
  const page = await site.page();
  await settled(page);
  assert.ok(await mark(page).isHidden());
  const table = await cells(page);
  const changes: readonly (readonly [Locator, string])[] = [
    [page.getByLabel("Simulated time", { exact: true }), "30 s"],
    [page.getByLabel("Simulated time", { exact: true }), "-3 s"],
    [page.getByLabel("Seeds", { exact: true }), "20"],
    [page.getByLabel("Seeds", { exact: true }), "0"],
    [page.getByLabel("Values", { exact: true }).first(), "congestion_control = rheno"],
    [page.getByLabel("Values", { exact: true }).first(), "congestion_control"],
    [page.getByLabel("Name", { exact: true }).first(), "another"],
    [page.getByLabel("Values of all variants"), 'links.0.rate = "1 Mbit/s"'],
  ];
  for (const [field, value] of changes) {
    const before = await field.inputValue();
    await field.fill(value);
    await mark(page).waitFor();
    await field.fill(before);
    await mark(page).waitFor({ state: "hidden" });
  }
  await page.getByLabel("Seeds", { exact: true }).fill("5");
  assert.ok(await mark(page).isHidden(), "the same seeds, written otherwise");
  await page.getByRole("button", { name: /^Remove the variant/ }).first().click();
  await mark(page).waitFor();
  assert.deepEqual(await cells(page), table);
});

test("the mark stays where Run is refused, and goes when a run begins", async () => {
  const page = await site.page();
  await settled(page);
  const seeds = page.getByLabel("Seeds", { exact: true });
  await seeds.fill("5..1");
  await page.getByRole("button", RUN).click();
  await page.getByText("5..1 is empty").waitFor();
  assert.ok(await mark(page).isVisible());
  await seeds.fill("2");
  await page.getByLabel("Simulated time", { exact: true }).fill("10 h");
  await page.getByRole("button", RUN).click();
  await page.getByText(/^0 of 8 runs finished/).waitFor();
  assert.ok(await mark(page).isHidden());
  // The runs under way are of settings that the form no longer has.
  await page.getByLabel("Simulated time", { exact: true }).fill("5 s");
  await mark(page).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await run(page);
  assert.ok(await mark(page).isHidden());
});

test("another scenario marks the results of the one before", async () => {
  const page = await site.page();
  await settled(page);
  await page.getByLabel("Scenario", { exact: true }).selectOption("dumbbell");
  await mark(page).waitFor();
  await page.getByLabel("Scenario", { exact: true }).selectOption("satellite");
  await mark(page).waitFor({ state: "hidden" });
});

test("results of a link are marked when its experiment is changed", async () => {
  const results = { headings: ["variant"], rows: [["short"]], caption: "1 seed" };
  const variants = [{ label: "short", changes: "" }];
  const experiment = { toml: SCENARIO, files: {}, duration: "", common: "", seeds: "7", variants };
  const page = await site.page(await encodeShared({ experiment, results }));
  await page.getByText("These results came with the link or file").waitFor();
  assert.ok(await mark(page).isHidden());
  await page.getByLabel("Simulated time", { exact: true }).fill("1 s");
  await mark(page).waitFor();
});

test("the page reported no fault and asked nothing but its own files", () => {
  assert.deepEqual(site.faults, []);
});
