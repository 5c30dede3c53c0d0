import { type Fields, isFields } from './values.ts';

/** An object as it was read: of its metadata a name is known, and of its spec nothing. */
export interface SourceObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Without what kubectl keeps there. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Fields;
}

/** `KIND/NAMESPACE/NAME`. */
export const idOf = ({ kind, namespace, name }: Pick<SourceObject, 'kind' | 'namespace' | 'name'>): string =>
  `${kind}/${namespace}/${name}`;

const names = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** An object that has a kind and a name as the API server takes them; undefined for anything else. */
export function sourceObjectOf(value: unknown): SourceObject | undefined {
  if (!isFields(value) || !isFields(value.metadata)) return undefined;
  const { apiVersion, kind, metadata, spec } = value;
  const { name, namespace = 'default', labels, annotations } = metadata;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  if (typeof name !== 'string' || typeof namespace !== 'string') return undefined;
  if (!names.test(name) || !names.test(namespace)) return undefined;
  return {
    apiVersion,
    kind,
    namespace,
    name,
    labels: textsOf(labels),
    annotations: textsOf(annotations),
    spec: isFields(spec) ? spec : {},
  };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const all = Object.entries(isFields(value) ? value : {});
  return Object.fromEntries(
    all.filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && !entry[0].startsWith('kubectl.kubernetes.io/'),
    ),
  );
}

/** The group of an object's kind. */
export const groupOf = ({ apiVersion }: Pick<SourceObject, 'apiVersion'>): string =>
  /^(.+)\/[^/]*$/.exec(apiVersion)?.[1] ?? '';

/** Objects by kind, in order. Of two with one name the last one counts, as `kubectl apply` has it. */
export class SourceObjects {
  readonly #all = new Map<string, SourceObject>();
  readonly #found = new Set<SourceObject>();

  add(object: SourceObject): void {
    this.#all.set(idOf(object), object);
  }

  of(kind: string): readonly SourceObject[] {
    return [...this.#all.values()]
      .filter((object) => object.kind === kind)
      .sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  }

  /** Whether `find` has given an object: something names it. */
  isNamed(object: SourceObject): boolean {
    return this.#found.has(object);
  }

  find(kind: string, namespace: string, name: string): SourceObject | undefined {
    const found = this.#all.get(idOf({ kind, namespace, name }));
    if (found !== undefined) this.#found.add(found);
    return found;
  }
}
