/** Curves differ in colour and in dashes, so that either suffices. */

import { isDark } from "../theme.js";

/** Colours that differ for all kinds of colour vision (after Okabe and Ito), at least 3:1 against the page. */
const LIGHT = ["#0072b2", "#c04a00", "#007f5c", "#a0327a", "#806000", "#5a4fcf", "#4d5a63", "#9c2f2f"];
const DARK = ["#5bb8f0", "#ff9d5c", "#3ddc97", "#f28cc8", "#e6c84a", "#b3a8ff", "#c3ccd3", "#ff8a8a"];
const DASHES: readonly (readonly number[])[] = [
  [],
  [9, 4],
  [2, 3],
  [12, 3, 2, 3],
  [5, 3],
  [14, 4, 5, 4],
  [1, 3],
  [7, 2, 1, 2, 1, 2],
];

export const MOST_CURVES = LIGHT.length;

/** The place of a curve that stands alone and is in no legend. */
export const ALONE = -1;

export function colourOf(place: number): string {
  if (place === ALONE) return ink("--ink");
  return (isDark() ? DARK : LIGHT)[place % MOST_CURVES]!;
}

export function dashOf(place: number): number[] {
  if (place === ALONE) return [];
  return [...DASHES[place % MOST_CURVES]!];
}

/** A colour of style/theme.css. */
export function ink(name: "--ink" | "--faint" | "--line" | "--paper"): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A short piece of a curve for a legend. */
export function sampleOf(place: number): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  picture.setAttribute("viewBox", "0 0 36 8");
  picture.setAttribute("class", "sample");
  picture.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(space, "line");
  for (const [name, value] of Object.entries({ x1: "0", x2: "36", y1: "4", y2: "4", "stroke-width": "2.5" }))
    line.setAttribute(name, value);
  line.setAttribute("stroke", colourOf(place));
  line.setAttribute("stroke-dasharray", dashOf(place).join(" "));
  picture.append(line);
  return picture;
}
