/** The link that holds an experiment and the results that were seen. */

import { adopt } from "./address.js";
import { announce, announceFault } from "./announce.js";
import { button, field, h } from "./dom.js";
import { encodeShared, type Shared } from "./link.js";

const NO_RESULTS = "The link holds no results: not all runs of this experiment have finished.";

export function shareElement(current: () => Shared): HTMLElement {
  const text = h("input", { type: "text", readonly: true, class: "share" });
  const shown = field("Link to this experiment and its results", text);
  const note = h("p", { class: "hint" });
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
    say(shared.results ? "" : NO_RESULTS);
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
    button("Copy a link", () => void copy()),
    shown,
    note,
  );
}
