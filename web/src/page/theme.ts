/** Light or dark: as the system, or as chosen and kept in the browser. */

import { byId } from "./dom.js";

const KEY = "farlink-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];

export function startTheme(): void {
  const select = byId("theme") as HTMLSelectElement;
  select.value = stored();
  select.addEventListener("change", () => {
    store(select.value);
    apply();
  });
  dark.addEventListener("change", apply);
  apply();
}

/** Calls the listener after each change of the theme. */
export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

export function isDark(): boolean {
  return document.documentElement.dataset["theme"] === "dark";
}

function apply(): void {
  const chosen = (byId("theme") as HTMLSelectElement).value;
  document.documentElement.dataset["theme"] = chosen === "auto" ? (dark.matches ? "dark" : "light") : chosen;
  for (const listener of listeners) listener();
}

/** Storage may be refused, as in a private window. */
function stored(): string {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "auto";
  } catch {
    return "auto";
  }
}

function store(value: string): void {
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // The choice holds until the page is closed.
  }
}
