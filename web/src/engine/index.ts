/** All that a page needs of the engine. */
export { animationPage } from "./animation_page.js";
export { openBins } from "./bins.js";
export { opened } from "./opened.js";
export { openPool } from "./pool.js";
export { summarise } from "./statistics.js";
export type * from "./types.js";
