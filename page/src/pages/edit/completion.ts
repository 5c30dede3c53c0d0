import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { apiUrl, get, type KindSchema } from '../../api/index.ts';
import { headOf, partsOf } from './documents.ts';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
}

/** Offers the fields and values that the definition of the kind has at the cursor. */
export async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const [, indent = '', dashes = '', key, typed = ''] = /^(\s*)((?:- +)*)(?:([\w.-]+):\s+)?(\S*)$/.exec(before) ?? [];
  if (typed === '' && key === undefined && !context.explicit) return null;
  const text = context.state.doc.toString();
  const part = partsOf(text).findLast(({ start }) => start <= context.pos);
  const { kind } = headOf(part?.text ?? '');
  const schema = await schemaOf(kind);
  if (schema === undefined || part === undefined) return null;
  const lines = text.slice(part.start, line.from).split('\n').slice(0, -1);
  const path = pathAbove(lines, indent.length, dashes !== '');
  const place = at(schema, key === undefined ? path : [...path, key]);
  const options = key === undefined ? fieldsOf(place) : valuesOf(place);
  return options.length === 0 ? null : { from: context.pos - typed.length, options, validFor: /^[\w.-]*$/ };
}

/** The keys, and `[]` for items of lists, under which a line of this indentation stands. */
function pathAbove(lines: readonly string[], indent: number, isItem: boolean): readonly string[] {
  const path: string[] = isItem ? ['[]'] : [];
  // An item may stand as far left as the key of its list.
  let left = isItem ? indent + 1 : indent;
  for (const line of lines.toReversed()) {
    const [, spaces = '', dashes = '', key] = /^(\s*)((?:- +)*)([\w./-]+):(?:\s|$)/.exec(line) ?? [];
    if (key === undefined) continue;
    const column = spaces.length + dashes.length;
    if (column < left) {
      path.unshift(key);
      left = column;
    }
    if (dashes !== '' && spaces.length < left + dashes.length && column <= left) {
      path.unshift('[]');
      left = spaces.length + 1;
    }
    if (left === 0) break;
  }
  return path;
}

const schemas = new Map<string, Promise<Schema | undefined>>();

function schemaOf(kind: string): Promise<Schema | undefined> {
  if (!/^\w+$/.test(kind)) return Promise.resolve(undefined);
  const known =
    schemas.get(kind) ??
    get<KindSchema>(apiUrl(`/v1/schemas/${kind}`)).then(
      (schema) => schema as Schema,
      () => {
        schemas.delete(kind);
        return undefined;
      },
    );
  schemas.set(kind, known);
  return known;
}

function at(schema: Schema, path: readonly string[]): Schema | undefined {
  return path.reduce<Schema | undefined>((place, step) => {
    if (step === '[]') return place?.items;
    const { additionalProperties } = place ?? {};
    return place?.properties?.[step] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  }, schema);
}

const fieldsOf = (place: Schema | undefined): Completion[] =>
  Object.entries(place?.properties ?? {}).map(([label, { description, type = '' }]) => ({
    label,
    type: 'property',
    detail: place?.required?.includes(label) ? `${type} *` : type,
    ...(description && { info: description }),
    apply: type === 'object' || type === 'array' ? `${label}:` : `${label}: `,
  }));

const valuesOf = (place: Schema | undefined): Completion[] =>
  (place?.enum ?? (place?.type === 'boolean' ? ['true', 'false'] : [])).map((value) => ({
    label: String(value),
    type: 'enum',
  }));
