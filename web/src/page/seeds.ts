/** Seeds as the command line takes them: `1..5`, `1,3,7`, or both. */

export const MOST_SEEDS = 1000;

/** Seeds in the order written, or why the text gives none. */
export function parseSeeds(text: string): { seeds: number[] } | { fault: string } {
  const seeds: number[] = [];
  for (const part of text.split(",")) {
    const found = /^\s*(\d+)\s*(?:\.\.\s*(\d+)\s*)?$/.exec(part);
    if (!found) return { fault: `write seeds as 1..5 or 1,3,7, not as ${JSON.stringify(text)}` };
    const first = Number(found[1]);
    const last = Number(found[2] ?? found[1]);
    if (!Number.isSafeInteger(last)) return { fault: `seeds are at most ${Number.MAX_SAFE_INTEGER}` };
    if (last < first) return { fault: `${first}..${last} is empty: write the smaller seed first` };
    if (last - first >= MOST_SEEDS) return { fault: `at most ${MOST_SEEDS} seeds` };
    for (let seed = first; seed <= last; seed += 1) seeds.push(seed);
  }
  if (seeds.length > MOST_SEEDS) return { fault: `at most ${MOST_SEEDS} seeds` };
  if (new Set(seeds).size < seeds.length) return { fault: "a seed appears twice" };
  return { seeds };
}
