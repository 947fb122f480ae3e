/** The lessons in the order of the page. */

import { bufferbloat } from "./bufferbloat.js";
import { geoHybla } from "./geo-hybla.js";
import { hiddenNodes } from "./hidden-nodes.js";
import type { Lesson } from "./lesson.js";
import { routeFailure } from "./route-failure.js";
import { rttFairness } from "./rtt-fairness.js";
import { slowStart } from "./slow-start.js";
import { squareRoot } from "./square-root.js";

export const LESSONS: readonly Lesson[] = [
  slowStart,
  squareRoot,
  bufferbloat,
  geoHybla,
  rttFairness,
  hiddenNodes,
  routeFailure,
];
