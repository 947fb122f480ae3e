/** Runs the tests of the page in Node: `node tests/page/run.mjs [NAME..]`, each NAME the beginning of a file's name. */
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const wanted = process.argv.slice(2);
const files = readdirSync("tests/page").filter((name) => name.endsWith(".test.ts"));
const chosen = files.filter((name) => !wanted.length || wanted.some((each) => name.startsWith(each)));
rmSync("build/page-tests", { recursive: true, force: true });
await build({
  absWorkingDir: process.cwd(), // esbuild's own is that of its import
  entryPoints: chosen.map((name) => `tests/page/${name}`),
  outdir: "build/page-tests",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  logLevel: "warning",
});
const built = chosen.map((name) => `build/page-tests/${name.replace(/\.ts$/, ".mjs")}`);
process.exit(spawnSync(process.execPath, ["--test", ...built], { stdio: "inherit" }).status ?? 1);
