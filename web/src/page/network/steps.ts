/** The values of a link that sliders change: their steps, their texts, and the line of a scenario that sets them. */

export type Quantity = "rate" | "delay" | "loss" | "queue";
export const QUANTITIES: readonly Quantity[] = ["rate", "delay", "loss", "queue"];

const WITHIN_DECADE = [1, 2, 3, 5, 7];
/** Powers of ten from the first to the last step. */
const DECADES: Readonly<Record<Quantity, readonly [number, number]>> = {
  rate: [4, 9],
  delay: [-3, 0],
  loss: [-5, -1],
  queue: [0, 4],
};

/** The steps of a slider, among them the present value. */
export function stepsOf(quantity: Quantity, present: number): number[] {
  const [first, last] = DECADES[quantity];
  const found = new Set(quantity === "loss" ? [0, present] : [present]);
  for (let power = first; power <= last; power += 1)
    for (const part of power === last ? [1] : WITHIN_DECADE) found.add(Number(`${part}e${power}`));
  return [...found].sort((one, other) => one - other);
}

export function formatQuantity(quantity: Quantity, value: number): string {
  switch (quantity) {
    case "rate":
      return prefixed(value, [[1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]]); // prettier-ignore
    case "delay":
      return prefixed(value, [[1, "s"], [1e-3, "ms"], [1e-6, "us"]]); // prettier-ignore
    case "loss":
      return value === 0 ? "none" : `${digits(100 * value)} %`;
    case "queue":
      return `${value} packets`;
  }
}

/** The path of a value of a link and its TOML; `discipline` is the model of its queue. */
export function settingOf(quantity: Quantity, value: number, discipline: string): readonly [string, string] {
  const text = JSON.stringify(formatQuantity(quantity, value));
  switch (quantity) {
    case "rate":
    case "delay":
      return [quantity, text];
    case "loss":
      return ["error", value === 0 ? '"none"' : `{ name = "packet_error_rate", rate = ${digits(value)} }`];
    case "queue":
      // The default may be written nowhere; other models are, with parameters that are kept.
      return discipline === "drop_tail" ? ["queue", `{ name = "drop_tail", limit = ${text} }`] : ["queue.limit", text];
  }
}

function prefixed(value: number, units: readonly (readonly [number, string])[]): string {
  const [factor, unit] = units.find(([factor]) => value >= factor * (1 - 1e-9)) ?? units.at(-1)!;
  return `${digits(value / factor)} ${unit}`;
}

function digits(value: number): string {
  const rounded = Number(value.toPrecision(3));
  return rounded < 1e-6 ? rounded.toExponential() : String(rounded);
}
