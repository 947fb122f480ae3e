/** The link that holds an experiment and the results that were seen. */

import { adopt } from "./address.js";
import { announce, announceFault } from "./announce.js";
import { button, field, h } from "./dom.js";
import { save } from "./download.js";
import { encodeShared, toFile, type Shared } from "./link.js";

const ONLY_HERE =
  "The link is to this computer. Others can open it from a copy of this page on a web server; or send them the experiment as a file, which Open files opens.";
const NO_RESULTS = "The link holds no results: not all runs of this experiment have finished.";

/** Whether an address leads to this computer only. */
export function isLoopback(host: string): boolean {
  return /^((.*\.)?localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}

export function shareElement(current: () => Shared): HTMLElement {
  const text = h("input", { type: "text", readonly: true, class: "share" });
  const shown = field("Link to this experiment and its results", text);
  const note = h("p", { class: "hint" });
  const file = button("Save the experiment", () => save("experiment.json", toFile(current()), "application/json"));
  shown.hidden = note.hidden = true;
  const say = (said: string): void => {
    note.textContent = said;
    note.hidden = !said;
  };
  const copy = async (): Promise<void> => {
    const shared = current();
    try {
      adopt(await encodeShared(shared));
    } catch (error) {
      shown.hidden = true;
      say((error as Error).message);
      announceFault((error as Error).message);
      return;
    }
    text.value = location.href;
    shown.hidden = false;
    say([isLoopback(location.hostname) ? ONLY_HERE : "", shared.results ? "" : NO_RESULTS].filter(Boolean).join(" "));
    try {
      await navigator.clipboard.writeText(text.value);
      announce("The link was copied");
    } catch {
      text.select();
      announceFault("The browser refused to copy: copy the link from the field");
    }
  };
  return h(
    "div",
    { class: "share-part" },
    h("div", { class: "row" }, button("Copy a link", () => void copy()), file),
    shown,
    note,
  );
}
