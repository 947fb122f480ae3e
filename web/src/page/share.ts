/** The link that holds an experiment and the results that were seen. */

import { adopt } from "./address.js";
import { announce, announceFault } from "./announce.js";
import { button, field, h } from "./dom.js";
import { encodeShared, type Shared } from "./link.js";

export function shareElement(current: () => Shared): HTMLElement {
  const text = h("input", { type: "text", readonly: true, class: "share" });
  const shown = field("Link to this experiment and its results", text);
  const note = h("p", { class: "hint" }, "The link holds no results: not all runs of this experiment have finished.");
  shown.hidden = note.hidden = true;
  const copy = async (): Promise<void> => {
    const shared = current();
    adopt(await encodeShared(shared));
    const link = location.href;
    text.value = link;
    shown.hidden = false;
    note.hidden = shared.results !== null;
    try {
      await navigator.clipboard.writeText(link);
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
