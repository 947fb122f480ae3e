/**
 * Bundles the page and its workers into a folder: `node build.mjs` into the Python package, which serves them;
 * `node build.mjs --tests` the page of the tests into build/tests.
 */
import { copyFile, cp, mkdir, readFile, readdir, rm, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const OF_ANIMATION = new URL("../python/farlink/animation/", import.meta.url);
const tests = process.argv.includes("--tests");
const target = tests ? "build/tests" : "../python/farlink/lab/built";
const page = tests ? "tests/engine" : ".";

/** The files of the animation's page as one object of texts. */
const animation = {
  name: "animation",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^farlink:animation$/ }, ({ path }) => ({ path, namespace: "animation" }));
    onLoad({ filter: /.*/, namespace: "animation" }, async () => {
      const names = (await readdir(OF_ANIMATION)).filter((name) => /\.(js|css|html)$/.test(name));
      const texts = names.map(async (name) => [name, await readFile(new URL(name, OF_ANIMATION), "utf8")]);
      return { contents: JSON.stringify(Object.fromEntries(await Promise.all(texts))), loader: "json" };
    });
  },
};

process.chdir(fileURLToPath(new URL(".", import.meta.url)));
await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await build({
  absWorkingDir: process.cwd(), // esbuild's own is that of its import
  entryPoints: { lab: tests ? "tests/engine/main.ts" : "src/page/main.ts", worker: "src/engine/worker.ts" },
  outdir: target,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "inline",
  logLevel: "warning",
  plugins: [animation],
});
await copyFile("build/farlink_web_bg.wasm", `${target}/farlink.wasm`);
await copyFile(`${page}/index.html`, `${target}/index.html`);
if (!tests && (await stat("static").catch(() => null))) await cp("static", target, { recursive: true });
