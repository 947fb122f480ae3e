/** Completion of keys, of models and of values, from the schema and the names in the text. */

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { Models } from "../../engine/types.js";
import { positionAt, type Position } from "./position.js";
import { alternatives, tablesAt, withName, type Schema } from "./schema.js";

/** Keys whose values are names of nodes. */
const OF_NODES = ["from", "to", "between", "nodes"];
const WORD = /["']?[\w.+-]*$/;

export function completeToml(models: Models): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const text = context.state.doc.toString();
    const position = positionAt(text, context.pos);
    if (!position) return completeHeader(context, models.schema as Schema);
    const word = WORD.exec(context.state.sliceDoc(context.state.doc.lineAt(context.pos).from, context.pos))![0];
    if (!word && !context.explicit && position.key === null) return null;
    const root = models.schema as Schema;
    const options = position.key === null ? keys(root, position) : values(root, position, position.key, text);
    return options.length ? { from: context.pos - word.length, options } : null;
  };
}

function completeHeader(context: CompletionContext, root: Schema): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos);
  const found = /^\s*(\[{1,2})([\w.]*)/.exec(line.text);
  if (!found) return null;
  const isList = found[1]!.length === 2;
  const options = Object.entries(root.properties ?? {})
    .filter(([, schema]) => (schema.type === "array") === isList && (isList || tables(root, schema).length > 0))
    .map(([label, schema]) => option(label, "class", schema.description));
  return { from: line.from + found[0].length - found[2]!.length, options };
}

function tables(root: Schema, schema: Schema): Schema[] {
  return alternatives(root, schema).filter((each) => each.properties);
}

function keys(root: Schema, position: Position): Completion[] {
  const found = new Map<string, Completion>();
  for (const table of withName(tablesAt(root, position.table), position.siblings.get("name"))) {
    for (const [key, schema] of Object.entries(table.properties ?? {})) {
      if (position.siblings.has(key) || found.has(key)) continue;
      const shown = schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`;
      found.set(key, {
        ...option(key, "property", schema.description),
        apply: `${key} = `,
        ...(shown && shown.length < 40 ? { detail: shown } : {}),
      });
    }
  }
  return [...found.values()];
}

function values(root: Schema, position: Position, key: string, text: string): Completion[] {
  if (OF_NODES.includes(key)) return nodeNames(text).map((name) => option(JSON.stringify(name), "variable"));
  const found = new Map<string, Completion>();
  const add = (value: unknown, doc?: string) => {
    const label = typeof value === "string" ? JSON.stringify(value) : String(value);
    if (!found.has(label)) found.set(label, option(label, "constant", doc));
  };
  for (const table of withName(tablesAt(root, position.table), position.siblings.get("name"))) {
    const schema = table.properties?.[key];
    if (!schema) continue;
    const forms = alternatives(root, schema);
    const docs = new Map(forms.map((form) => [form.properties?.["name"]?.const, form.description]));
    for (const form of forms) {
      for (const value of form.enum ?? []) add(value, docs.get(value));
      if (form.const !== undefined) add(form.const);
      if (form.type === "boolean") [true, false].forEach((value) => add(value));
      for (const value of form.examples ?? []) add(value, schema.description);
    }
    if (typeof schema.default === "string" || typeof schema.default === "number") add(schema.default, "The default.");
  }
  return [...found.values()];
}

/** The names of `[[nodes]]`, in order. */
function nodeNames(text: string): string[] {
  const blocks = text.split(/^[ \t]*(?=\[)/m).filter((block) => block.startsWith("[[nodes]]"));
  return blocks.flatMap((block) => /^\s*name\s*=\s*"([^"]*)"/m.exec(block)?.slice(1, 2) ?? []);
}

function option(label: string, type: string, doc?: string): Completion {
  return { label, type, ...(doc ? { info: doc } : {}) };
}
