/** Where in a TOML text the cursor is: in which table, and at a key or at the value of one. */

export interface Position {
  /** The table: keys from the root, those of arrays of tables without numbers. */
  readonly table: readonly string[];
  /** The key whose value is being written; null at a key. */
  readonly key: string | null;
  /** The keys of this table before the cursor, with their values as written. */
  readonly siblings: ReadonlyMap<string, string>;
}

interface Frame {
  readonly opening: "{" | "[" | "";
  /** The key that the frame is the value of. */
  readonly of: string | null;
  readonly siblings: Map<string, string>;
  key: string | null;
  token: string;
}

const HEADER = /^[ \t]*\[\[?([^\][\n]+)\]\]?[ \t]*(?:#.*)?$/gm;
const STRING = /"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?/y;

/** Null within a comment or a header. */
export function positionAt(text: string, offset: number): Position | null {
  const before = text.slice(0, offset);
  const header = [...before.matchAll(HEADER)].at(-1);
  if (header && header.index + header[0].length === before.length) return null;
  const table = header ? keysOf(header[1]!) : [];
  const frames = read(before.slice(header ? header.index + header[0].length : 0));
  if (!frames) return null;
  const current = frames.at(-1)!;
  const inner = frames.slice(1).flatMap((frame) => (frame.opening === "{" && frame.of ? keysOf(frame.of) : []));
  // In an array, what is written belongs to the key of the array.
  if (current.opening === "[" && current.of === null) return null;
  if (current.opening === "[") return { table: [...table, ...inner], key: current.of, siblings: new Map() };
  return { table: [...table, ...inner], key: current.key, siblings: current.siblings };
}

/** The tables and arrays that are open at the end of a text; null if it ends in a comment. */
function read(text: string): Frame[] | null {
  const frames: Frame[] = [frame("", null)];
  for (let at = 0; at < text.length;) {
    const current = frames.at(-1)!;
    const letter = text[at]!;
    if (letter === "#") {
      const end = text.indexOf("\n", at);
      if (end < 0) return null;
      at = end;
      continue;
    }
    if (letter === '"' || letter === "'") {
      STRING.lastIndex = at;
      const found = STRING.exec(text)![0];
      current.token += found;
      at += found.length;
      continue;
    }
    step(frames, letter);
    at += 1;
  }
  return frames;
}

function step(frames: Frame[], letter: string): void {
  const current = frames.at(-1)!;
  if (letter === "=" && current.key === null) {
    current.key = current.token.trim();
    current.token = "";
  } else if (letter === "{" || letter === "[") {
    frames.push(frame(letter, current.opening === "[" ? current.of : current.key));
  } else if ((letter === "}" || letter === "]") && frames.length > 1) {
    frames.pop();
    frames.at(-1)!.token += "…";
  } else if (letter === "," || (letter === "\n" && current.opening === "")) {
    if (current.key !== null) current.siblings.set(current.key, current.token.trim());
    current.key = null;
    current.token = "";
  } else {
    current.token += letter;
  }
}

function frame(opening: Frame["opening"], of: string | null): Frame {
  return { opening, of, siblings: new Map(), key: null, token: "" };
}

function keysOf(dotted: string): string[] {
  return dotted.split(".").map((key) => key.trim().replace(/^["']|["']$/g, ""));
}
