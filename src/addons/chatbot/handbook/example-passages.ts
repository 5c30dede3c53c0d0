import { parseAllDocuments } from 'yaml';
import type { Passage } from './sections.ts';

/** An object of an example, which answers how something is written. */
export interface ExamplePassage extends Passage {
  /** Words of the API in it. */
  readonly fields: string;
  /** YAML of the one object. */
  readonly manifest: string;
}

/** What an example is about is none of these: they are in all of them. */
const scenery: ReadonlySet<string> = new Set([
  'GatewayClass',
  'Service',
  'EndpointSlice',
  'Namespace',
  'ConfigMap',
  'Secret',
]);

/** The objects of a file of `examples/NAME`. What is said of them is the comment above them, and the fields that they set. */
export function examplePassages(name: string, yaml: string): readonly ExamplePassage[] {
  return parseAllDocuments(yaml).flatMap((document) => {
    const object: unknown = document.errors.length === 0 ? document.toJS() : undefined;
    if (!isObject(object) || scenery.has(String(object.kind))) return [];
    const comment = [document.commentBefore, document.contents?.commentBefore].filter(Boolean).join(' ');
    return [
      {
        link: `examples/${name}`,
        title: name,
        heading: String(object.kind),
        text: comment.replace(/\s+/g, ' ').trim(),
        fields: [...new Set(wordsIn(object.spec))].join(' '),
        manifest: String(document)
          .replace(/^---\n/, '')
          .trim(),
      },
    ];
  });
}

const isObject = (value: unknown): value is { readonly kind?: unknown; readonly spec?: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names of fields, and values that are words of the API, such as `RequestRedirect` and `https`. */
function* wordsIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* wordsIn(item);
  else if (isObject(value))
    for (const [key, inner] of Object.entries(value)) {
      yield key;
      yield* wordsIn(inner);
    }
  else if (typeof value === 'string' && /^[A-Za-z]+$/.test(value)) yield value;
}
