/** A table of results as an element. */

import type { TextTable } from "../results/rows.js";
import { h } from "./dom.js";

/** A table, with those of workloads and airtime below it. */
export function tableElements(table: TextTable, title: string): HTMLElement[] {
  const { workloads, airtime } = table;
  return [
    tableElement(table, title),
    ...(workloads ? [tableElement(workloads, `${title} of workloads`)] : []),
    ...(airtime ? [tableElement(airtime, `${title}: airtime of stations`)] : []),
  ];
}

/** The first two columns, such as variant and flow, are headings of their rows; one with a single value is left out. */
export function tableElement(table: TextTable, title: string): HTMLElement {
  const isShown = table.headings.map(
    (_, column) => column > 1 || new Set(table.rows.map((row) => row[column])).size > 1,
  );
  if (!isShown[0] && !isShown[1]) isShown[0] = true;
  const head = table.headings.map((heading, column) =>
    isShown[column] ? h("th", { scope: "col", class: column < 2 ? "name" : null }, heading) : null,
  );
  const body = table.rows.map((row) =>
    h(
      "tr",
      {},
      ...row.map((cell, column) => {
        if (!isShown[column]) return null;
        return column < 2 ? h("th", { scope: "row" }, cell) : h("td", {}, cell);
      }),
    ),
  );
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
    h(
      "table",
      { class: "results" },
      h("caption", { class: "unseen" }, title),
      h("thead", {}, h("tr", {}, ...head)),
      h("tbody", {}, ...body),
    ),
    h("p", { class: "hint" }, table.caption),
  );
}
