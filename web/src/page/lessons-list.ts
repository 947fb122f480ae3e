/** The list of lessons. */

import type { Lesson } from "../lessons/lesson.js";
import { h } from "./dom.js";

export function lessonsList(lessons: readonly Lesson[]): HTMLElement {
  const items = lessons.map((lesson) =>
    h("li", {}, h("h2", {}, h("a", { href: `#lesson=${lesson.id}` }, lesson.title)), h("p", {}, lesson.question)),
  );
  return h(
    "div",
    { class: "lessons-list" },
    h("h1", {}, "Lessons"),
    h(
      "p",
      {},
      "Each lesson has a question, one control to move, and findings that are checked against the numbers on the page. Ten minutes each.",
    ),
    h("ol", {}, ...items),
  );
}
