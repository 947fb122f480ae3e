/** The entry of the page: opens the engine, then the laboratory or a lesson, as the address says. */

import "../../style/lab.css";
import { animationPage, openBins, opened, openPool, summarise } from "../engine/index.js";
import { LESSONS } from "../lessons/all.js";
import { adopt, isAdopted } from "./address.js";
import { announceFault } from "./announce.js";
import { byId, h } from "./dom.js";
import type { Experiment } from "./experiment.js";
import { Laboratory } from "./laboratory.js";
import { LessonPage } from "./lesson-page.js";
import { lessonsList } from "./lessons-list.js";
import { decodeShared, isShared } from "./link.js";
import type { Tools } from "./results-view.js";
import { startTheme } from "./theme.js";

class Site {
  private constructor(
    private readonly laboratory: Laboratory,
    private readonly tools: Tools,
    private readonly pages = new Map<string, LessonPage>(),
  ) {}

  static async open(): Promise<void> {
    const tools = { pool: openPool(), summarise, animationPage };
    const [builtins, models] = await Promise.all([tools.pool.builtins(), tools.pool.models(), openBins()]);
    const site = new Site(new Laboratory(byId("laboratory"), tools, builtins, models), tools);
    const file = opened();
    if (file) site.laboratory.openFile(file);
    byId("opening").remove();
    addEventListener("hashchange", () => void site.route(true));
    await site.route(false);
  }

  /** Shows what the fragment names. */
  private async route(isMoving: boolean): Promise<void> {
    const fragment = location.hash.slice(1);
    const lesson = LESSONS.find((each) => fragment === `lesson=${each.id}`);
    if (lesson) this.showLesson(lesson.id);
    else if (fragment === "lessons") this.showLessons(lessonsList(LESSONS), "Lessons");
    else {
      this.show("laboratory", "Laboratory");
      if (isShared(fragment) && !isAdopted(fragment)) await this.openLink(fragment);
      this.laboratory.begin();
    }
    if (isMoving) {
      scrollTo(0, 0);
      byId("main").focus({ preventScroll: true });
    }
  }

  private async openLink(fragment: string): Promise<void> {
    try {
      this.laboratory.open(await decodeShared(fragment));
      adopt(fragment);
    } catch (error) {
      this.laboratory.refuseLink((error as Error).message);
    }
  }

  private showLesson(id: string): void {
    const place = LESSONS.findIndex((each) => each.id === id);
    const lesson = LESSONS[place]!;
    let page = this.pages.get(id);
    const isNew = !page;
    page ??= new LessonPage(lesson, this.tools, (experiment) => this.toLaboratory(experiment), LESSONS[place + 1]);
    this.pages.set(id, page);
    this.showLessons(page.element, lesson.title);
    if (isNew) page.start();
  }

  private showLessons(content: HTMLElement, title: string): void {
    byId("lessons").replaceChildren(content);
    this.show("lessons", title);
  }

  private toLaboratory(experiment: Experiment): void {
    this.laboratory.open({ experiment, results: null });
    location.hash = "laboratory";
  }

  private show(name: "laboratory" | "lessons", title: string): void {
    document.title = `${title} - Farlink`;
    for (const each of ["laboratory", "lessons"]) {
      byId(each).hidden = each !== name;
      const link = byId(`to-${each}`);
      if (each === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
}

startTheme();
Site.open().catch((error: Error) => {
  byId("main").replaceChildren(h("p", { class: "fault" }, `The engine could not be started: ${error.message}`));
  announceFault(error.message);
});
