/** What the JSON Schema of scenario files allows at a place. */

export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
}

/** The alternatives of a value: references and unions resolved, arrays as what they hold. */
export function alternatives(root: Schema, schema: Schema): Schema[] {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1)!;
    const found = root.$defs?.[name];
    return found ? alternatives(root, found) : [];
  }
  if (schema.anyOf) return schema.anyOf.flatMap((each) => alternatives(root, each));
  if (schema.type === "array" && schema.items) return alternatives(root, schema.items);
  return [schema];
}

/** The tables that may stand at a path. */
export function tablesAt(root: Schema, path: readonly string[]): Schema[] {
  let tables = alternatives(root, root);
  for (const key of path) {
    tables = tables.flatMap((table) => {
      const found = table.properties?.[key];
      return found ? alternatives(root, found) : [];
    });
  }
  return tables.filter((table) => table.properties);
}

/** Those tables that agree with the `name` already written. */
export function withName(tables: readonly Schema[], name: string | undefined): Schema[] {
  if (name === undefined) return [...tables];
  const plain = name.replace(/^["']|["']$/g, "");
  return tables.filter(
    (table) => table.properties?.["name"]?.const === undefined || table.properties["name"].const === plain,
  );
}
