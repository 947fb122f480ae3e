/** The page in a browser, as a person uses it. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { cells, FLOW, run, RUN, SCENARIO, settled, shorten, WORKLOAD } from "./actions.js";
import { isTooWide, seriousFaults, Site } from "./browser.js";

let site: Site;
let desk: Page;
before(async () => {
  site = await Site.open();
  desk = await site.page();
});
after(async () => {
  await site.close();
});

/** The page that tests share which need no profile of their own: opening one takes a second of processor time. */
async function cleared(): Promise<Page> {
  await desk.goto(`${site.address}#laboratory`);
  await desk.getByLabel("Scenario", { exact: true }).selectOption("satellite");
  return desk;
}

async function write(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

test("a first result is there within 20 s of opening, and its runs can be cancelled", async () => {
  const began = Date.now();
  const page = await site.page();
  await page.locator("table.results tbody tr", { hasText: "cubic" }).waitFor();
  const first = Date.now() - began;
  assert.ok(first < 20_000, `${first} ms`);
  await page.getByLabel("Simulated time", { exact: true }).fill("10 h");
  await page.locator(".progress").getByText(/finished in/).waitFor();
  await page.getByRole("button", RUN).click();
  await page.getByText(/^0 of 20 runs finished/).waitFor();
  const clicked = Date.now();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator(".progress").getByText(/^Cancelled:/).waitFor();
  console.log(`measured: first result after ${first} ms; cancelled after ${Date.now() - clicked} ms`);
});

test("the network is drawn, and its sliders change the runs of all variants", async () => {
  const page = await cleared();
  await shorten(page);
  const network = page.getByRole("region", { name: "Network" });
  await network.getByRole("img", { name: /^Network of satellite: 2 nodes; .*100 Mbit\/s, 300 ms/ }).waitFor();
  const before = await run(page);
  const rate = network.getByLabel("Rate", { exact: true });
  assert.equal(await rate.getAttribute("aria-valuetext"), "100 Mbit/s");
  await rate.focus();
  for (let step = 0; step < 9; step += 1) await page.keyboard.press("ArrowLeft");
  await network.getByRole("img", { name: /2 Mbit\/s, 300 ms/ }).waitFor();
  assert.equal(await page.getByLabel("Values of all variants").inputValue(), 'links.0.rate = "2 Mbit/s"');
  assert.ok(await rate.evaluate((slider) => slider === document.activeElement));
  await page.getByText(/^8 runs finished in/).first().waitFor();
  const after = await run(page);
  assert.equal(after.length, before.length);
  assert.notDeepEqual(after, before);
  await page.getByLabel("Values of all variants").fill("");
});

test("goodput in order is shown by choice, beside what the delivery rate is", async () => {
  const page = await cleared();
  await shorten(page);
  await run(page);
  await page.getByRole("heading", { name: /^Delivery rate, mean of/ }).waitFor();
  await page.getByLabel("Rate shown").selectOption("goodput");
  await page.getByRole("heading", { name: /^Goodput, mean of/ }).waitFor();
  await page.getByRole("heading", { name: /^Delivery rate/ }).waitFor({ state: "detached" });
  await page.getByLabel("Rate shown").selectOption("delivery");
});

test("workloads are in a table, and where no flow is drawn the page says so", async () => {
  const page = await cleared();
  const note = page.getByText("The scenario has no flow of its own, so that only queues are drawn.");
  await page.getByLabel("Seeds", { exact: true }).fill("1");
  for (const values of await page.locator(".variant textarea").all()) await values.fill("");
  await write(page, WORKLOAD);
  const alone = await run(page);
  assert.ok(alone.some((cell) => /^\d+ of \d+$/.test(cell)), String(alone));
  await note.waitFor();
  await page.getByText("Flows of workloads have no explanation.").waitFor();
  await write(page, WORKLOAD + FLOW);
  const both = await run(page);
  assert.equal(await page.locator("table.results").count(), 2);
  assert.ok(alone.length < both.length);
  assert.equal(await note.isVisible(), false);
});

test("shared channels have a table of airtime below that of the flows", async () => {
  const page = await cleared();
  await page.getByLabel("Scenario", { exact: true }).selectOption("chain_80211");
  await shorten(page);
  await run(page);
  assert.equal(await page.locator("table.results").count(), 2);
  const airtime = page.getByRole("region", { name: "Results: airtime of stations" });
  assert.ok((await airtime.getByRole("rowheader", { name: /^n\d$/ }).count()) >= 5);
  assert.ok(await airtime.getByText("busy: the station transmits or senses a transmission").isVisible());
});

test("four variants by ten seeds are measured", async () => {
  const page = await cleared();
  await page.getByLabel("Seeds", { exact: true }).fill("1..10");
  await page.evaluate(countFrames);
  await run(page);
  const { longest, count } = await page.evaluate(() => (globalThis as unknown as { frames: Frames }).frames);
  const took = await page.locator(".progress").getByText(/^40 runs finished in/).textContent();
  assert.ok(count > 20);
  const frames = `longest of ${count} frames ${Math.round(longest)} ms`;
  console.log(`measured: 4 variants, 10 seeds, 60 s of satellite: ${took}; ${frames}`);
});

interface Frames {
  longest: number;
  count: number;
}

/** Runs in the page. */
function countFrames(): void {
  const frames: Frames = { longest: 0, count: 0 };
  Object.assign(globalThis, { frames });
  let last = performance.now();
  const next = (): void => {
    const now = performance.now();
    frames.longest = Math.max(frames.longest, now - last);
    frames.count += 1;
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

test("the keyboard suffices to run and to read values", async () => {
  const page = await site.page();
  await settled(page);
  await shorten(page);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Run");
  await page.keyboard.press("Enter");
  await page
    .getByText(/8 runs finished in/)
    .first()
    .waitFor({ timeout: 60_000 });
  // Charts are drawn one per frame, after the last run too; what is hidden takes no focus.
  const summary = page.getByText("Values as a table").first();
  await summary.waitFor();
  await summary.focus();
  await page.keyboard.press("Enter");
  // The table is filled by an event that follows.
  const rows = page.locator(".values[open] tbody tr");
  await rows.first().waitFor();
  assert.equal(await rows.count(), 11);
});

test("a link opened in another profile shows the table, and the same when it is computed anew", async () => {
  const page = await site.page();
  await settled(page);
  await shorten(page);
  const table = await run(page);
  assert.equal(table.length, 4 * 6);
  await page.getByRole("button", { name: "Copy a link" }).click();
  const field = page.getByLabel("Link to this experiment and its results");
  // The field is shown when the link has been compressed.
  await field.waitFor();
  const link = await field.inputValue();
  assert.ok(link.startsWith(`${site.address}#v1=`) && link.length < 4000, `${link.length} characters`);
  const other = await site.page(link.split("#")[1]!);
  await other.getByText("These results came with the link or file").waitFor();
  assert.deepEqual(await cells(other), table);
  assert.deepEqual(await run(other), table);
  await other.getByText("These results equal those of the link.").waitFor();
});

test("a link made after a change of the form holds no results of another experiment", async () => {
  const page = await cleared();
  await shorten(page);
  await page.getByLabel("Seeds", { exact: true }).fill("1");
  await run(page);
  await page.getByLabel("Seeds", { exact: true }).fill("2..2");
  await page.getByRole("button", { name: "Copy a link" }).click();
  await page.getByText("The link holds no results").waitFor();
  const link = await page.getByLabel("Link to this experiment and its results").inputValue();
  await page.getByLabel("Seeds", { exact: true }).fill("3..3");
  await page.goto(`${site.address}#laboratory`);
  await page.goto(link);
  await page.locator("table.results").waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Seeds", { exact: true }).inputValue(), "2..2");
});

test("a mistake is shown at its key, and goes with it", async () => {
  const page = await site.page();
  await settled(page);
  await page.locator(".progress p").evaluate((text) => text.replaceChildren());
  await write(page, SCENARIO.replace("10 ms", "5 parsecs"));
  await page.getByRole("button", { name: /^line 9, links/ }).waitFor();
  assert.equal(await page.locator(".cm-lintRange-error").first().textContent(), '"5 parsecs"');
  await page.getByRole("button", RUN).click();
  assert.equal(await page.locator(".progress p").textContent(), "", "nothing is run");
  await page.getByLabel("Scenario", { exact: true }).selectOption("dumbbell");
  await page.getByRole("button", { name: /^line/ }).waitFor({ state: "detached" });
});

/** Runs in the page: the engine ends when it validates a scenario. */
function breakValidation(): void {
  const post = Worker.prototype.postMessage as (this: Worker, message: { kind: string }) => void;
  Worker.prototype.postMessage = function (this: Worker, message: { kind: string }): void {
    if (message.kind !== "describe") return post.call(this, message);
    this.dispatchEvent(new MessageEvent("message", { data: { what: "broken", message: "the engine ended" } }));
  };
}

test("the page says that the engine ended while it validated", async () => {
  const page = await site.page();
  await page.evaluate(breakValidation);
  await page.getByLabel("Seeds", { exact: true }).fill("3..3");
  const note = page.locator(".note", { hasText: "the engine ended" });
  await note.waitFor();
  await note.evaluate((each) => each.replaceChildren());
  await page.getByRole("button", RUN).click();
  await note.waitFor();
});

test("a mistake of a variant is shown at the variant, one of the seeds at the seeds", async () => {
  const page = await cleared();
  await page.getByLabel("Values").first().fill("congestion_control = rheno");
  await page.locator(".variants .fault", { hasText: "rheno" }).waitFor();
  await page.getByLabel("Values").first().fill("congestion_control = reno");
  await page.locator(".variants .fault", { hasText: "rheno" }).waitFor({ state: "hidden" });
  await page.getByLabel("Seeds", { exact: true }).fill("5..1");
  await page.getByText("5..1 is empty").waitFor();
});

test("a mistake of the simulated time is shown below it, and at a variant that sets its own", async () => {
  const page = await cleared();
  const time = page.getByLabel("Simulated time", { exact: true });
  await time.fill("5 parsecs");
  const below = page.locator(".setup > .fault", { hasText: "parsecs" });
  await below.waitFor();
  assert.equal(await time.getAttribute("aria-invalid"), "true");
  await page.getByLabel("Values").first().fill('duration = "6 leagues"');
  await page.locator(".variants .fault", { hasText: "leagues" }).waitFor();
  assert.ok(await below.isHidden());
});

test("keys and models are completed in the editor", async () => {
  const page = await cleared();
  await write(page, "[flows.tcp]\ncongestion_control = ");
  await page.keyboard.press("Control+Space");
  await page.getByRole("option", { name: /"hybla"/ }).waitFor();
});

test("models become variants", async () => {
  const page = await cleared();
  await page.getByText("Compare models").click();
  await page.getByRole("checkbox", { name: "vegas" }).check();
  await page.getByRole("checkbox", { name: "bbr", exact: true }).check();
  await page.getByRole("button", { name: "Use as variants" }).click();
  assert.deepEqual(
    await page.getByLabel("Name").evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value)),
    ["vegas", "bbr"],
  );
});

test("results are saved as files", async () => {
  const page = await cleared();
  await shorten(page);
  await run(page);
  const kinds = {
    "Results, JSON": "{",
    "Results, CSV": "variant,",
    "Time series, CSV": "variant,",
    "Charts, PNG": "\x89PNG",
    "Packets, pcap": "M<\xb2\xa1",
  };
  for (const [name, begin] of Object.entries(kinds)) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("latin1");
    assert.ok(text.startsWith(begin) && text.length > 500, `${name}: ${JSON.stringify(text.slice(0, 20))}`);
  }
});

test("the animation plays in its frame", async () => {
  const page = await cleared();
  await shorten(page);
  await page.getByLabel("Scenario", { exact: true }).selectOption("chain_80211");
  await shorten(page);
  await run(page);
  await page.getByRole("button", { name: "Make the animation" }).click();
  const frame = page.frameLocator("iframe");
  await frame.getByRole("button", { name: "play" }).click();
  await frame.getByRole("button", { name: "pause" }).waitFor();
  const stage = await frame.locator("#stage").boundingBox();
  assert.ok(stage && stage.height > 200, `the network has ${stage?.height} pixels`);
});

test("the variant of the animation and of the packets is chosen, and named", async () => {
  const page = await cleared();
  await shorten(page);
  await run(page);
  await page.getByLabel("Variant of the animation and of the packets").selectOption("bbr");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Packets, pcap" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "satellite-bbr-1.pcap");
  await page.getByRole("button", { name: "Make the animation" }).click();
  await page.frameLocator("iframe").getByRole("heading", { name: "satellite, bbr" }).waitFor();
  // The choice stays where the variant does.
  await run(page);
  assert.equal(await page.getByLabel("Variant of the animation and of the packets").inputValue(), "bbr");
});

test("a lesson is finished with findings that hold", async () => {
  const page = await site.page("lessons");
  await page.getByRole("link", { name: "Slow start" }).click();
  const slider = page.getByRole("slider", { name: /^Size of the file/ });
  assert.equal(await slider.getAttribute("aria-valuetext"), "1 MB");
  await page.frameLocator('iframe[title="Moving packets: 1 MB"]').getByRole("button", { name: "pause" }).waitFor();
  // A setting is run when the slider is moved to it.
  await slider.press("ArrowRight");
  await page.locator("table.results tbody tr", { hasText: "10 MB" }).waitFor();
  await page.getByRole("button", { name: "Run all settings" }).click();
  assert.equal(await page.locator(".findings li").count(), 0, "first a prediction");
  await page.getByLabel(/^Predict, in s:/).fill("1,000");
  await page.getByRole("button", { name: "Run all settings" }).click();
  assert.match(await page.getByLabel(/^Predict/).evaluate((each) => (each as HTMLInputElement).validationMessage), /1000 or/);
  await page.getByLabel(/^Predict, in s:/).fill("4.4");
  await page.getByRole("button", { name: "Run all settings" }).click();
  await page.locator(".findings li").first().waitFor({ timeout: 60_000 });
  assert.equal(await page.locator(".findings li.fails").count(), 0);
  await page.getByText(/^Measured: 0\.4\d+ s\. You predicted 4\.40 s/).waitFor();
  await page.getByRole("button", { name: "Open in the laboratory" }).click();
  await page.getByRole("button", RUN).waitFor();
});

const LOOKS = {
  light: { colorScheme: "light", width: 1280 },
  dark: { colorScheme: "dark", width: 1280 },
  phone: { colorScheme: "light", width: 390 },
} as const;

for (const [look, { colorScheme, width }] of Object.entries(LOOKS)) {
  test(`axe-core finds no serious fault: ${look}`, async () => {
    const page = await cleared();
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    await shorten(page);
    await run(page);
    await page.getByText("Values as a table").first().click();
    const faults = async (): Promise<void> => {
      assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), colorScheme);
      assert.deepEqual(await seriousFaults(page), [], page.url());
      assert.ok(!(await isTooWide(page)), page.url());
    };
    await faults();
    await page.getByLabel("Seeds", { exact: true }).fill("5..1");
    await page.locator(".outdated").waitFor();
    await faults();
    for (const fragment of ["lessons", "lesson=hidden-nodes"]) {
      await page.goto(`${site.address}#${fragment}`);
      await page.locator("#lessons").getByRole("heading", { level: 1 }).waitFor();
      await faults();
    }
  });
}

test("the theme is switched and kept", async () => {
  const page = await site.page("", { colorScheme: "light" });
  await page.getByLabel("Theme").selectOption("dark");
  await page.reload();
  assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
});

test("axe-core finds a serious fault where there is one", async () => {
  const page = await cleared();
  await page.evaluate(() =>
    document.body.insertAdjacentHTML("beforeend", '<img src="data:,"><p style="color:#ccc;background:#ddd">grey</p>'),
  );
  const found = await seriousFaults(page);
  assert.ok(["image-alt", "color-contrast"].every((id) => found.some((each) => each.startsWith(id))));
});

test("the page reported no fault and asked nothing but its own files", () => {
  assert.deepEqual(site.faults, []);
});
