/** What a link holds, and what is said of it, when not all runs finished. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { cells, run, RUN, SCENARIO } from "./actions.js";
import { Site } from "./browser.js";
import { decodeShared, encodeShared, toFile, type Shared } from "../../src/page/link.js";
import { isLoopback } from "../../src/page/share.js";

let site: Site;
before(async () => {
  site = await Site.open();
});
after(async () => {
  await site.close();
});

/** A run of 5 s beside one that is changed so. */
function linkWith(change: string, results: Shared["results"] = null): Promise<string> {
  const variants = [
    { label: "short", changes: "" },
    { label: "other", changes: change },
  ];
  return encodeShared({ experiment: { toml: SCENARIO, files: {}, duration: "", common: "", seeds: "1", variants }, results });
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

test("a cancelled computation is not compared with the results of the link", async () => {
  const results = { headings: ["variant"], rows: [["short"]], caption: "1 seed" };
  const page = await site.page(await linkWith('duration = "10 h"', results));
  await page.getByText("These results came with the link or file").waitFor();
  await page.getByRole("button", RUN).click();
  await page.locator(".progress").getByText(/^1 of 2 runs finished/).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator(".progress").getByText(/^Cancelled:/).waitFor();
  await page.getByText("not compared with those of the link").waitFor();
});

test("the page says that an experiment is too large for a link", async () => {
  const page = await site.page(await linkWith(""));
  await run(page);
  const file = { name: "rate.csv", mimeType: "text/csv", buffer: Buffer.alloc(3_000_000) };
  await page.locator("input[type=file]").setInputFiles([file]);
  await page.getByRole("button", { name: "Copy a link" }).click();
  await page.locator(".share-part").getByText("too large for a link").waitFor();
  assert.equal(await page.locator(".share").isVisible(), false);
});

test("the experiment is saved as a file, which opens", async () => {
  const page = await site.page(await linkWith('links.0.delay = "20 ms"'));
  await run(page);
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save the experiment" }).click();
  const path = await (await saving).path();
  const other = await site.page("lessons");
  await other.getByRole("link", { name: "Laboratory" }).click();
  const buffer = readFileSync(path);
  await other.locator("input[type=file]").setInputFiles([{ name: "experiment.json", mimeType: "application/json", buffer }]);
  await other.getByText("These results came with the link or file").waitFor();
  assert.deepEqual(await cells(other), await cells(page));
});

test("an experiment that is opened while others run has no status of theirs", async () => {
  const page = await site.page();
  await page.locator(".progress").getByText(/^\d+ of 20 runs finished/).waitFor();
  const file = await linkWith("", { headings: ["variant", "flow"], rows: [["short", "a"]], caption: "1 seed" });
  const buffer = Buffer.from(toFile(await decodeShared(file)));
  await page.locator("input[type=file]").setInputFiles([{ name: "experiment.json", mimeType: "application/json", buffer }]);
  await page.getByText("These results came with the link or file").waitFor();
  await page.getByRole("button", RUN).waitFor();
  assert.ok(await page.locator(".progress").isHidden());
  await run(page);
  assert.ok(await page.locator(".progress").isVisible());
});

test("a link to an address of this computer says so", async () => {
  const page = await site.page(await linkWith(""));
  await run(page);
  await page.getByRole("button", { name: "Copy a link" }).click();
  await page.getByText("The link is to this computer.").waitFor();
});

test("an address on the web is no loopback", () => {
  for (const host of ["localhost", "lab.localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) assert.ok(isLoopback(host));
  for (const host of ["farlink.example", "127.example", "10.0.0.1", "localhost.example"]) assert.ok(!isLoopback(host));
});

test("Back to a link that was opened or made here keeps what was edited since", async () => {
  const page = await site.page(await linkWith(""));
  const seeds = page.getByLabel("Seeds", { exact: true });
  const leaveAndReturn = async (): Promise<void> => {
    await page.getByRole("link", { name: "Lessons" }).first().click();
    await page.locator("#lessons").getByRole("heading", { level: 1 }).waitFor();
    await page.goBack();
    await seeds.waitFor();
  };
  await page.getByText("Run computes the results of this experiment.").waitFor();
  await seeds.fill("2..2");
  await leaveAndReturn();
  assert.equal(await seeds.inputValue(), "2..2");
  await run(page);
  await page.getByRole("button", { name: "Copy a link" }).click();
  await page.getByLabel("Link to this experiment and its results").waitFor();
  await seeds.fill("3..3");
  await leaveAndReturn();
  assert.equal(await seeds.inputValue(), "3..3");
  // As a link it is opened.
  const link = page.url();
  await page.goto(`${site.address}#laboratory`);
  await page.goto(link);
  await page.getByText("These results came with the link or file").waitFor();
  assert.equal(await seeds.inputValue(), "2..2");
});

test("the page reported no fault and asked nothing but its own files", () => {
  assert.deepEqual(site.faults, []);
});
