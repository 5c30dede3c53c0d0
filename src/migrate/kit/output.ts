import { yamlOf } from '../../ingress/index.ts';
import type { SourceObject } from './objects.ts';
import { isNotable } from './result.ts';
import type { Note } from './table.ts';
import { type Fields, isFields } from './values.ts';

type Written = Parameters<typeof yamlOf>[0][number];

/** Files that are written, each with objects. The first object of a file has its notes in comments. */
export class Output {
  readonly #files = new Map<string, { readonly objects: Written[]; notes: readonly Note[] }>();

  add(file: string, object: Fields, notes: readonly Note[] = []): void {
    const found = this.#files.get(file) ?? { objects: [], notes: [] };
    this.#files.set(file, found);
    const comments = notes.filter(isNotable).map(({ verdict, field, text }) => `${verdict}: ${field}: ${text}`);
    found.objects.push({ object: written(object) as Written['object'], comments });
  }

  files(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, { objects }]) => [file, yamlOf(objects)]),
    );
  }
}

/** A value as it can be written: what is undefined or null is left out. */
function written(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== undefined && item !== null).map(written);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined && field !== null)
      .map(([name, field]) => [name, written(field)]),
  );
}

export const objectOf = (
  apiVersion: string,
  kind: string,
  namespace: string | undefined,
  name: string,
  spec: Fields,
) => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  spec,
});

/** An object in place of one that was read, with its labels and annotations: those of other programs, such as cert-manager, stay in force. */
export const successorOf = (
  { apiVersion, kind, namespace, labels, annotations }: SourceObject,
  name: string,
  spec: Fields,
) => ({
  apiVersion,
  kind,
  metadata: {
    name,
    namespace,
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  },
  spec,
});
