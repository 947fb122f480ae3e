/** Texts of scenarios, read by the engine in the thread of the page (`openBins` loads it). */
import { quantity, tomlToJson } from "../../build/farlink_web.js";

export function toJson(toml: string): unknown {
  return JSON.parse(tomlToJson(toml));
}

/** The number of a text such as `600 ms`, in s, bit/s, B or without a unit. */
export function quantityOf(text: string): number | undefined {
  return quantity(text);
}
