import { autocompletion, type CompletionSource } from '@codemirror/autocomplete';
import { yaml, yamlLanguage } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, forceLinting, linter, lintGutter } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { minimalSetup } from 'codemirror';
import { judgeRestMs } from './judge.ts';

export interface CodeEditorOptions {
  readonly parent: HTMLElement;
  readonly text: string;
  readonly label: string;
  readonly onChange: (text: string) => void;
  /** Judges a text 400 ms after the last change. */
  readonly judge: (text: string) => Promise<readonly Diagnostic[]>;
  readonly complete: CompletionSource;
}

const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--back)', border: '1px solid var(--quiet)', borderRadius: '6px' },
  '&.cm-focused': { outline: '3px solid var(--accent)', outlineOffset: '2px' },
  '.cm-content': { fontFamily: 'ui-monospace, Menlo, Consolas, monospace', caretColor: 'var(--text)' },
  '.cm-scroller': { minHeight: '16rem', maxHeight: '60vh', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--mark)',
  },
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--panel)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--text)', backgroundColor: 'var(--mark)' },
  '.cm-completionInfo': { maxWidth: '24rem', whiteSpace: 'pre-wrap' },
});

const colours = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--link)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)' },
  { tag: [tags.string, tags.content], color: 'var(--text)' },
  { tag: [tags.keyword, tags.meta, tags.separator], color: 'var(--quiet)' },
]);

/** A browser that types over several lines itself gives the text a style attribute, which the security policy of the page reports. */
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state } = view;
    if (event.inputType !== 'insertText' || event.data === null || event.isComposing) return false;
    if (state.selection.main.empty) return false;
    view.dispatch(state.update(state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true }));
    return true;
  },
});

/** An editor in a shadow root: there its styles are style sheets of their own, which the security policy of the page allows. */
export class CodeEditor {
  readonly #view: EditorView;
  readonly #merge = new Compartment();

  constructor({ parent, text, label, onChange, judge, complete }: CodeEditorOptions) {
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
    const state = EditorState.create({
      doc: text,
      extensions: [
        minimalSetup,
        lineNumbers(),
        yaml(),
        look,
        syntaxHighlighting(colours),
        yamlLanguage.data.of({ autocomplete: complete }),
        autocompletion(),
        lintGutter(),
        linter(async (view) => await judge(view.state.doc.toString()), { delay: judgeRestMs }),
        this.#merge.of([]),
        typedOver,
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    });
    this.#view = new EditorView({ state, parent: root as unknown as Element, root });
    // Nobody types yet, so there is no end of typing to wait for.
    forceLinting(this.#view);
  }

  /** Puts a text in place of the present one. */
  set(text: string): void {
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
  }

  /** Marks what differs from another text; undefined ends that. */
  compareWith(original: string | undefined): void {
    const marks = original === undefined ? [] : unifiedMergeView({ original, mergeControls: false });
    this.#view.dispatch({ effects: this.#merge.reconfigure(marks) });
  }

  focus(): void {
    this.#view.focus();
  }

  close(): void {
    this.#view.destroy();
  }
}
