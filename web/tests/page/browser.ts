/** The built page in a headless Chromium, served from its folder. */

import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import axe from "axe-core";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const BUILT = "../python/farlink/lab/built";
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  wasm: "application/wasm",
};
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A machine that also builds is slow. */
const PATIENCE_MS = 120_000;

export class Site {
  /** Faults that the page reported on its console, and addresses outside of the page. */
  readonly faults: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly browser: Browser,
    readonly address: string,
  ) {}

  static async open(): Promise<Site> {
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? "/", "http://localhost").pathname;
      const file = `${BUILT}${path === "/" ? "/index.html" : path}`;
      if (!existsSync(file)) return void response.writeHead(404).end();
      response
        .writeHead(200, { "Content-Type": TYPES[file.split(".").at(-1) ?? ""] ?? "application/octet-stream" })
        .end(readFileSync(file));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const executablePath = BROWSERS.find(existsSync);
    if (!executablePath) throw new Error("no Chromium here: `make chromium` installs it");
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
    return new Site(server, browser, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  }

  /** A page of a new profile; the address is that of another server of the page, if there is one. */
  async page(fragment = "", options: BrowserContextOptions = {}, address = this.address): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("console", (message) => message.type() === "error" && this.faults.push(message.text()));
    page.on("pageerror", (error) => this.faults.push(error.message));
    page.on("request", (request) => {
      const url = request.url();
      if (!/^(blob|data|about):/.test(url) && !url.startsWith(address)) this.faults.push(`asked ${url}`);
    });
    await page.goto(`${address}#${fragment}`);
    return page;
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.server.close();
  }
}

/** What axe-core finds serious. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const run = (
      globalThis as unknown as {
        axe: {
          run(options: object): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
        };
      }
    ).axe.run;
    return (await run({ resultTypes: ["violations"] })).violations;
  });
  const isSerious = (impact: string): boolean => impact === "serious" || impact === "critical";
  return found
    .filter((each) => isSerious(each.impact))
    .map(
      (each) =>
        `${each.id}: ${each.nodes
          .slice(0, 3)
          .map((node) => node.html)
          .join(" ")}`,
    );
}

/** Whether the page scrolls sideways. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
}
