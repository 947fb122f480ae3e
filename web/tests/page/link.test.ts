/** Links hold an experiment with its results, and nothing else is read from them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { decodeShared, encodeShared, fromFile, isShared, toFile, type Shared } from "../../src/page/link.js";
import { parseSeeds } from "../../src/page/seeds.js";

const shared: Shared = {
  experiment: {
    toml: 'name = "µ"\n# 1 < 2 & "three"\n'.repeat(50),
    files: { "up/link.csv": new Uint8Array([0, 255, 10]) },
    duration: "60 s",
    common: "",
    seeds: "1..5",
    variants: [{ label: "réno", changes: "congestion_control = reno" }],
  },
  results: {
    headings: ["variant", "goodput Mbit/s"],
    rows: [["réno", "1.2 ± 0.1"]],
    caption: "5 seeds",
    workloads: { headings: ["variant", "workload"], rows: [["réno", "web"]], caption: "slowdown" },
    airtime: { headings: ["variant", "station"], rows: [["réno", "n0"]], caption: "busy" },
  },
};

test("what is decoded equals what was encoded", async () => {
  const fragment = await encodeShared(shared);
  assert.match(fragment, /^v1=[\w-]+$/);
  assert.ok(isShared(fragment));
  assert.deepEqual(await decodeShared(fragment), shared);
  assert.deepEqual(await decodeShared(await encodeShared({ ...shared, results: null })), { ...shared, results: null });
});

test("a link with values of all variants is of a version that older pages refuse; one without them stays", async () => {
  const common = { ...shared, experiment: { ...shared.experiment, common: 'links.0.rate = "1 Mbit/s"' } };
  const fragment = await encodeShared(common);
  assert.match(fragment, /^v2=/);
  assert.deepEqual(await decodeShared(fragment), common);
  const { common: _, ...older } = shared.experiment;
  const packed = deflateRawSync(JSON.stringify({ ...older, files: {}, results: null })).toString("base64url");
  assert.equal((await decodeShared(`v1=${packed}`)).experiment.common, "");
});

test("an experiment as a file is that of the link", () => {
  assert.deepEqual(fromFile(toFile(shared)), shared);
  for (const wrong of ["{", "[]", "{}"]) assert.throws(() => fromFile(wrong), /holds no experiment/);
});

test("a number alone as seeds is that seed in links of earlier laboratories, and is written as a range", () => {
  const withSeeds = (seeds: string): Shared => ({ ...shared, experiment: { ...shared.experiment, seeds } });
  const packed = (seeds: string): string => JSON.stringify({ ...JSON.parse(toFile(shared)), seeds });
  for (const [older, now] of Object.entries({ 20: "20..20", 0: "0..0", 1: "1", "1,3": "1,3", "7..9": "7..9", x: "x" }))
    assert.equal(fromFile(packed(older)).experiment.seeds, now);
  for (const [written, read] of Object.entries({ 20: "1..20", 1: "1..1", "1,3": "1,3", "0,2": "0,2" }))
    assert.equal(fromFile(toFile(withSeeds(written))).experiment.seeds, read);
  // Refused before and after.
  assert.ok("fault" in parseSeeds(fromFile(toFile(withSeeds("0"))).experiment.seeds));
});

test("repetition is compressed", async () => {
  assert.ok((await encodeShared(shared)).length < shared.experiment.toml.length / 2);
});

test("a link of another version, a damaged one and one of something else are refused with a remedy", async () => {
  const fragment = await encodeShared(shared);
  await assert.rejects(decodeShared("v3=abc"), /newer laboratory/);
  await assert.rejects(decodeShared(fragment.slice(0, -20)), /damaged or incomplete/);
  await assert.rejects(decodeShared("v1=%%%"), /damaged or incomplete/);
  const wrong = await encodeShared({ ...shared, experiment: { ...shared.experiment, duration: 7 as unknown as string } });
  await assert.rejects(decodeShared(wrong), /holds no experiment/);
});

test("a link that would fill the memory is refused", async () => {
  const huge = deflateRawSync(JSON.stringify({ ...shared.experiment, toml: " ".repeat(5_000_000) }));
  assert.ok(huge.length < 20_000);
  await assert.rejects(decodeShared(`v1=${huge.toString("base64url")}`), /damaged or incomplete/);
});

test("what is too large to be opened from a link is not made into one", async () => {
  const withFile = (bytes: number): Shared => ({
    ...shared,
    experiment: { ...shared.experiment, files: { "rate.csv": new Uint8Array(bytes) } },
  });
  await assert.rejects(encodeShared(withFile(3_000_000)), /too large for a link/);
  const largest = withFile(2_990_000);
  assert.deepEqual(await decodeShared(await encodeShared(largest)), largest);
});

test("other fragments are not links", () => {
  for (const fragment of ["", "laboratory", "lesson=slow-start", "lessons"]) assert.ok(!isShared(fragment));
});
