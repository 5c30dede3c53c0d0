import type { Verdict } from '../../ingress/index.ts';
import { Draft } from './draft.ts';
import { type Fields, fieldsOf, isFields, listOf, Unusable } from './values.ts';

/** What happens to one field. Of a kind there is a rule for each field of its definition, or of one above it. */
export type Rule =
  /** It is written to a field of ours, `KIND.PATH`, as it is or as `as` gives it; undefined: nothing is written. `differs`: in which way it acts differently there. */
  | { readonly to: string; readonly as?: (value: unknown, visit: Visit) => unknown; readonly differs?: string }
  /** An object, field by field. */
  | { readonly in: Table }
  /** Code of its own, which knows these fields below it; all others are lost, also those of `loses`. Paths such as `backendRefs[].name`; a path takes all below it along. */
  | {
      readonly by: (value: unknown, visit: Visit) => void;
      readonly knows: readonly string[];
      readonly loses?: readonly string[];
    }
  /** There is no equivalent. `unless`: a value with which it says nothing. `blocks`: whether it protects, if the object does not say it. */
  | { readonly cannot: string; readonly unless?: unknown; readonly blocks?: boolean }
  /** A person must write something; the text says what. */
  | { readonly decide: string }
  /** Nothing is lost without it; the text says why. */
  | { readonly none: string }
  /** It is read elsewhere: it says what the object is for. */
  | { readonly aside: string };

export type Table = { readonly [field: string]: Rule };

/** What a rule found about a field. */
export interface Note {
  readonly verdict: Verdict;
  /** The path of the field below `spec`. */
  readonly field: string;
  readonly text: string;
  /** What it says cannot be kept, and without it more would come in. */
  readonly blocks?: true;
}

/** One pass over an object: where it is, what it writes, and what it notes. */
export class Visit {
  readonly draft: Draft;
  readonly notes: Note[];
  readonly path: string;
  readonly protects: boolean;

  constructor(protects: boolean, draft = new Draft(), notes: Note[] = [], path = '') {
    this.protects = protects;
    this.draft = draft;
    this.notes = notes;
    this.path = path;
  }

  /** The same pass at a field below. */
  at(field: string): Visit {
    return new Visit(this.protects, this.draft, this.notes, joined(this.path, field));
  }

  /** The same pass, writing into another draft: for objects of a list. */
  into(draft: Draft): Visit {
    return new Visit(this.protects, draft, this.notes, this.path);
  }

  set(to: string, value: unknown): void {
    if (value !== undefined) this.draft.set(to, value);
  }

  note(verdict: Verdict, text: string): void {
    this.notes.push({ verdict, field: this.path, text });
  }

  /** What cannot be kept. It blocks where the object protects something. */
  lose(text: string, blocks = this.protects): void {
    this.notes.push({ verdict: 'cannot', field: this.path, text, ...(blocks && { blocks: true }) });
  }

  /** What cannot be kept, and lets nothing in. */
  miss(text: string): void {
    this.note('cannot', text);
  }

  walk(value: unknown, table: Table): void {
    const fields = fieldsOf(value);
    const isThere = (name: string) => fields[name] !== undefined && fields[name] !== null;
    for (const name of Object.keys(fields).filter(isThere))
      if (!Object.hasOwn(table, name)) this.at(name).lose('is a field that is not known here');
    // In the order of the table: a rule may look at what one before it has written.
    for (const [name, rule] of Object.entries(table))
      if (Object.hasOwn(fields, name) && isThere(name)) {
        const at = this.at(name);
        at.guarded(() => apply(rule, fields[name], at));
      }
  }

  /** Each item of a list, by code of its own. A broken item loses nothing but itself. */
  each(value: unknown, read: (item: Fields, visit: Visit) => void): void {
    let items: readonly unknown[] = [];
    this.guarded(() => {
      items = listOf(value);
    });
    for (const [index, item] of items.entries()) {
      const at = new Visit(this.protects, this.draft, this.notes, `${this.path}[${index}]`);
      at.guarded(() => read(fieldsOf(item), at));
    }
  }

  /** Runs code that may meet a value of a wrong type: then what it is at is lost. */
  guarded(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      this.lose(error.message);
    }
  }
}

function apply(rule: Rule, value: unknown, visit: Visit): void {
  if ('in' in rule) visit.walk(value, rule.in);
  else if ('to' in rule) {
    const { to, as, differs } = rule;
    const made = as === undefined ? value : as(value, visit);
    visit.set(to, made);
    if (differs !== undefined) visit.note('differs', differs);
  } else if ('by' in rule) {
    for (const path of unknownBelow(value, rule.knows)) visit.at(path).lose('is not converted');
    rule.by(value, visit);
  } else if ('cannot' in rule) {
    if (rule.unless === undefined || rule.unless !== value) visit.lose(rule.cannot, rule.blocks);
  } else if ('decide' in rule) visit.note('decision', rule.decide);
  else if ('none' in rule) visit.note('no-effect', rule.none);
}

const joined = (path: string, field: string): string =>
  path === '' ? field : field.startsWith('[') ? path + field : `${path}.${field}`;

/** Paths of a value that are neither known nor above or below a known one. */
function unknownBelow(value: unknown, knows: readonly string[]): readonly string[] {
  // Names of users, such as those of headers.
  if (knows.includes('*')) return [];
  const found: string[] = [];
  const visit = (at: unknown, path: string, plain: string): void => {
    if (
      plain !== '' &&
      knows.some((known) => known === plain || plain.startsWith(`${known}.`) || plain.startsWith(`${known}[`))
    )
      return;
    const isAbove =
      plain === '' || knows.some((known) => known.startsWith(`${plain}.`) || known.startsWith(`${plain}[`));
    if (!isAbove) {
      found.push(path);
      return;
    }
    if (Array.isArray(at)) for (const [index, item] of at.entries()) visit(item, `${path}[${index}]`, `${plain}[]`);
    else if (isFields(at))
      for (const [name, field] of Object.entries(at)) visit(field, joined(path, name), joined(plain, name));
  };
  visit(value, '', '');
  return found;
}
