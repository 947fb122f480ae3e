/** What a person does in the laboratory. */

import type { Page } from "playwright-core";

export const RUN = { name: "Run", exact: true } as const;

/** Runs what the form says to its end. */
export async function run(page: Page): Promise<string[]> {
  // What is said of the runs before, which the page may have begun, is not waited for.
  await page.getByRole("button", RUN).waitFor();
  await page.locator(".progress p").evaluate((text) => text.replaceChildren());
  await page.getByRole("button", RUN).click();
  await page
    .locator(".progress")
    .getByText(/runs? finished in/)
    .waitFor({ timeout: 120_000 });
  return cells(page);
}

/** Waits for the runs that the page begins with. */
export async function settled(page: Page): Promise<void> {
  await page.locator(".progress").getByText(/^20 runs finished in/).waitFor();
}

export function cells(page: Page): Promise<string[]> {
  return page.locator("table.results tbody").locator("th, td").allTextContents();
}

/** A short experiment, so that tests are. */
export async function shorten(page: Page): Promise<void> {
  await page.getByLabel("Simulated time", { exact: true }).fill("5 s");
  await page.getByLabel("Seeds", { exact: true }).fill("1..2");
}

/** Two nodes and a link. */
export const SCENARIO = `name = "two nodes"
duration = "5 s"
[[nodes]]
name = "a"
[[nodes]]
name = "b"
[[links]]
between = ["a", "b"]
delay = "10 ms"
rate = "1 Mbit/s"
[[flows]]
from = "a"
to = "b"
`;

/** Flows that arrive on a link, and none of its own. */
export const WORKLOAD = `name = "arrivals"
duration = "20 s"
nodes = [{ name = "a" }, { name = "b" }]
[[links]]
between = ["a", "b"]
delay = "20 ms"
rate = "5 Mbit/s"
[[workloads]]
label = "web"
from = "a"
to = "b"
arrivals = { name = "poisson", load = "2 Mbit/s" }
size = { name = "lognormal", mean = "50 kB", sigma = 1.5 }
`;

/** A call beside a transfer that fills the queue after a while. */
export const CALL = `name = "call"
duration = "8 s"
nodes = [{ name = "a" }, { name = "b" }]
[[links]]
between = ["a", "b"]
delay = "30 ms"
rate = "2 Mbit/s"
error = { name = "packet_error_rate", rate = 0.02 }
[[flows]]
label = "call"
from = "a"
to = "b"
application = "voice"
[[flows]]
label = "upload"
from = "a"
to = "b"
start = "7 s"
`;

export const FLOW = `[[flows]]
label = "long"
from = "a"
to = "b"
application = "bulk"
`;
