/** The editor of a scenario: TOML with completion, and the engine's diagnostics at the key. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Mark } from "@codemirror/lint";
import { Compartment, EditorState, type Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Diagnostic, Models } from "../../engine/types.js";
import { completeToml } from "./completion.js";

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--faint)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--code-number)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
]);

export class Editor {
  private readonly completion = new Compartment();
  private readonly view: EditorView;

  constructor(parent: HTMLElement, labelledBy: string, onChange: () => void) {
    this.view = new EditorView({
      parent,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        EditorState.tabSize.of(2),
        StreamLanguage.define(toml),
        syntaxHighlighting(colours),
        this.completion.of([]),
        // Escape, then Tab leaves the editor (CodeMirror's convention for keyboards).
        keymap.of([
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...completionKeymap,
          ...lintKeymap,
          indentWithTab,
        ]),
        EditorView.contentAttributes.of({
          "aria-labelledby": labelledBy,
          "aria-multiline": "true",
          spellcheck: "false",
          tabindex: "0",
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange();
        }),
      ],
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  complete(models: Models): void {
    this.view.dispatch({ effects: this.completion.reconfigure(autocompletion({ override: [completeToml(models)] })) });
  }

  /** Marks the text of these mistakes. */
  mark(diagnostics: readonly Diagnostic[]): void {
    const marks = diagnostics.map((each) => markOf(this.view.state.doc, each));
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  /** Puts the cursor on a mistake. */
  goTo(diagnostic: Diagnostic): void {
    const { from, to } = markOf(this.view.state.doc, diagnostic);
    this.view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    this.view.focus();
  }
}

function markOf(text: Text, diagnostic: Diagnostic): Mark {
  const line = text.line(Math.min(Math.max(diagnostic.line, 1), text.lines));
  // Columns count characters, positions UTF-16 units.
  const letters = [...line.text];
  const start = letters.slice(0, diagnostic.column - 1).join("").length;
  const end = letters.slice(0, diagnostic.column - 1 + diagnostic.length).join("").length;
  const from = Math.min(line.from + start, line.to);
  const message = [diagnostic.message, diagnostic.remedy].filter(Boolean).join("; ");
  return { from, to: Math.max(Math.min(line.from + end, line.to), from), severity: "error", message };
}
