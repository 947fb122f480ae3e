/** What limited each flow: sentences, the shares of its time, and where packets were dropped. */

import type { Explanation } from "../engine/types.js";
import { words } from "../results/numbers.js";
import { h, table } from "./dom.js";

/** Places of dropped packets that are listed. */
const MOST_PLACES = 12;

export function explanationElement(variant: string, explanation: Explanation): HTMLElement {
  return h(
    "article",
    { class: "explanation" },
    h("h4", {}, `${variant}: ${explanation.flow}, seed ${explanation.seed}`),
    h("p", {}, ...withNames(explanation.text)),
    limits(explanation),
    drops(explanation),
  );
}

/** Names stand between backticks. */
function withNames(text: string): (string | HTMLElement)[] {
  return text.split("`").map((part, place) => (place % 2 ? h("code", {}, part) : part));
}

function limits(explanation: Explanation): HTMLElement | null {
  const shares = Object.entries(explanation.limited_by).filter(([, share]) => share > 0);
  if (!shares.length) return null;
  const rows = shares.map(([cause, share]): [string, string, HTMLElement] => {
    const bar = h("meter", { min: 0, max: 1, value: share, "aria-hidden": "true" });
    return [words(cause), `${(100 * share).toFixed(1)} %`, bar];
  });
  return table({ class: "limits" }, ["limit", "of the time", ""], rows);
}

function drops(explanation: Explanation): HTMLElement | null {
  const { drops: places } = explanation;
  if (!places.length) return null;
  const total = places.reduce((sum, each) => sum + each.packets, 0);
  const rows = places.slice(0, MOST_PLACES).map(({ place, cause, packets }): [string, string, string] => {
    const share = `${packets} (${((100 * packets) / total).toFixed(0)} %)`;
    return [place ?? "before a route was chosen", words(cause), share];
  });
  const rest = places.slice(MOST_PLACES);
  if (rest.length) rows.push([`${rest.length} others`, "", String(rest.reduce((sum, each) => sum + each.packets, 0))]);
  return table({ class: "limits" }, ["packets dropped at", "cause", "packets"], rows);
}
