/** Elements without markup in strings: text of scenarios and links is never parsed as HTML. */

type Content = Node | string | null;
type Attributes = Readonly<Record<string, string | number | boolean | null | EventListener>>;

/** An element with attributes (`on…` are listeners, false and null are left out) and content. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...content: Content[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, String(value));
  }
  element.append(...content.filter((each) => each !== null));
  return element;
}

/** An element of the page that must be there. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

let numbered = 0;

/** An id that no other element has. */
export function freshId(prefix: string): string {
  numbered += 1;
  return `${prefix}-${numbered}`;
}

/** A control with its label above it, and a hint below. */
export function field(label: string, control: HTMLElement, hint: string | Node = ""): HTMLElement {
  if (!control.id) control.id = freshId("field");
  const parts: Node[] = [h("label", { for: control.id }, label), control];
  if (hint) {
    const note = h("p", { class: "hint", id: freshId("hint") }, hint);
    control.setAttribute("aria-describedby", note.id);
    parts.push(note);
  }
  return h("div", { class: "field" }, ...parts);
}

/** A table; the first cell of a row is its heading. A column without a heading has the empty text. */
export function table(
  attributes: Attributes,
  headings: readonly string[],
  rows: readonly (readonly [string, ...Content[]])[],
  caption: HTMLElement | null = null,
): HTMLTableElement {
  const head = headings.map((text) => (text ? h("th", { scope: "col" }, text) : h("td", {})));
  const body = rows.map(([first, ...cells]) =>
    h("tr", {}, h("th", { scope: "row" }, first), ...cells.map((cell) => h("td", {}, cell))),
  );
  return h("table", attributes, caption, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body));
}

/** A choice among options, each a value and its text. */
export function choice(
  options: readonly (readonly [string, string])[],
  selected: string,
  onChange: (value: string) => void,
): HTMLSelectElement {
  const select = h(
    "select",
    {},
    ...options.map(([value, text]) => h("option", { value, selected: value === selected }, text)),
  );
  select.addEventListener("change", () => onChange(select.value));
  return select;
}

/** A button that does not submit. */
export function button(text: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return h("button", { type: "button", ...attributes, onclick: onClick as EventListener }, text);
}
