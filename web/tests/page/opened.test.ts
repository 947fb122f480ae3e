/** `farlink lab FILE`: the page opens with a scenario, or with a saved run and its results. */

import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Site } from "./browser.js";

const FARLINK = resolve(process.env["FARLINK"] ?? "../.venv/bin/farlink");

let site: Site;
let folder: string;
const servers: ChildProcess[] = [];
before(async () => {
  site = await Site.open();
  folder = mkdtempSync(join(tmpdir(), "farlink-lab-"));
});
after(async () => {
  for (const server of servers) server.kill();
  await site.close();
  rmSync(folder, { recursive: true });
});

/** The page that the command serves. */
async function open(file: string): Promise<Page> {
  const server = spawn(FARLINK, ["lab", file, "--no-browser"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  servers.push(server);
  const line = await new Promise<string>((known) => server.stdout.once("data", (text: Buffer) => known(String(text))));
  return site.page("", {}, /http:\S+/.exec(line)![0]);
}

function cells(page: Page): Promise<string[]> {
  return page.locator("table.results tbody").locator("th, td").allTextContents();
}

test("a saved run opens with its results and curves, and gives the same when it is run anew", async () => {
  const run = ["run", "dumbbell", "--set", "duration=5 s", "--seeds", "2", "--out", "saved"];
  execFileSync(FARLINK, run, { cwd: folder, stdio: "ignore" });
  const page = await open("saved");
  await page.locator("table.results").waitFor();
  const table = await cells(page);
  assert.ok(table.length > 6);
  assert.ok((await page.locator(".chart:visible").count()) >= 3);
  assert.equal(await page.getByLabel("Seeds", { exact: true }).inputValue(), "1,2");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator(".progress").getByText(/^2 runs finished in/).waitFor();
  assert.deepEqual(await cells(page), table);
});

test("a scenario opens with the files that it names", async () => {
  writeFileSync(join(folder, "rate.csv"), "time_s,rate_bps\n0,1000000\n");
  writeFileSync(
    join(folder, "traced.toml"),
    `name = "traced"
duration = "5 s"
nodes = [{ name = "a" }, { name = "b" }]
links = [{ between = ["a", "b"], delay = "10 ms", rate = { csv = "rate.csv" } }]
flows = [{ from = "a", to = "b" }]
`,
  );
  const page = await open("traced.toml");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator(".progress").getByText(/^1 run finished in/).waitFor();
  assert.match((await cells(page)).join(" "), /\d/);
});

test("the page reported no fault and asked nothing but its own files", () => {
  assert.deepEqual(site.faults, []);
});
