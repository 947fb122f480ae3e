/** The page of `farlink run --animate`, from the files of the Python package (python/farlink/animation). */
import files from "farlink:animation";

import type { AnimationPage } from "./types.js";

/** In the order they stand in the page. */
const SCRIPTS = ["film.js", "layout.js", "stage.js", "slots.js", "charts.js", "player.js"];

export const animationPage: AnimationPage = (animation) => {
  // "</script>" or "<!--" in a name would end the element that holds the data, or hide its end.
  const data = JSON.stringify(animation).replaceAll("<", "\\u003c");
  // The name comes last: it may look like another place to fill.
  return text("page.html")
    .replace("{{ style }}", () => text("page.css"))
    .replace("{{ script }}", () => SCRIPTS.map(text).join("\n"))
    .replace("{{ data }}", () => data)
    .replaceAll("{{ title }}", () => escaped(animation.scenario));
};

function text(name: string): string {
  const found = files[name];
  if (found === undefined) throw new Error(`python/farlink/animation has no ${name}`);
  return found;
}

function escaped(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
  return text.replace(/[&<>"']/g, (character) => names[character]!);
}
