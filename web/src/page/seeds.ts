/** Seeds as the command line takes them: `20`, how many, from 1; `1..5`, which; `1,3,7`; or both. */

export const MOST_SEEDS = 1000;

/** Seeds in the order written, or why the text gives none. */
export function parseSeeds(text: string): { seeds: number[] } | { fault: string } {
  const count = countIn(text);
  const seeds: number[] = [];
  for (const part of (count === null ? text : `1..${count}`).split(",")) {
    const found = /^\s*(\d+)\s*(?:\.\.\s*(\d+)\s*)?$/.exec(part);
    if (!found) return { fault: `write seeds as 20, 1..5 or 1,3,7, not as ${JSON.stringify(text)}` };
    const first = Number(found[1]);
    const last = Number(found[2] ?? found[1]);
    if (!Number.isSafeInteger(last)) return { fault: `seeds are at most ${Number.MAX_SAFE_INTEGER}` };
    if (last < first)
      return { fault: count === null ? `${first}..${last} is empty: write the smaller seed first` : "write 1 seed at least" };
    if (last - first >= MOST_SEEDS) return { fault: `at most ${MOST_SEEDS} seeds` };
    for (let seed = first; seed <= last; seed += 1) seeds.push(seed);
  }
  if (seeds.length > MOST_SEEDS) return { fault: `at most ${MOST_SEEDS} seeds` };
  if (new Set(seeds).size < seeds.length) return { fault: "a seed appears twice" };
  return { seeds };
}

/** The text that gives these seeds. */
export function formatSeeds(seeds: readonly number[]): string {
  return ofLink(seeds.join(","));
}

/** The same seeds without a count, which earlier laboratories read as a seed. */
export function withoutCount(text: string): string {
  const count = countIn(text);
  return count === null ? text : `1..${count}`;
}

/** The text of a link or file, where a number alone is a seed. */
export function ofLink(text: string): string {
  const seed = countIn(text);
  return seed === null || Number(seed) === 1 ? text : `${seed}..${seed}`;
}

function countIn(text: string): string | null {
  return /^\s*(\d+)\s*$/.exec(text)?.[1] ?? null;
}
