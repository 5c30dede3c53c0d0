import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { metadataSchema } from './metadata-schema.ts';
import type { StructuralSchema } from './schema.ts';

/** One kind that a CustomResourceDefinition defines. */
export interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Schemas of the served versions, by name. */
  readonly versions: ReadonlyMap<string, StructuralSchema>;
}

/** Definitions are missing or cannot be used. */
class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  readonly code = 'definitions';
}

interface RawDefinition {
  readonly kind?: string;
  readonly spec?: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
    }[];
  };
}

/**
 * The definitions in some directories of YAML or JSON files. Files are read at once and parsed when one of their kinds is first asked for:
 * HTTPRoute alone is 440 kB of YAML.
 */
export class Definitions {
  readonly #texts: Map<string, string>;
  readonly #parsed = new Map<string, Definition>();

  private constructor(texts: Map<string, string>) {
    this.#texts = texts;
  }

  /** Throws DefinitionError when a directory cannot be read or holds no definition. */
  static async load(directories: readonly string[]): Promise<Definitions> {
    const texts = new Map<string, string>();
    for (const directory of directories) {
      try {
        const names = (await readdir(directory)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
        for (const name of names) texts.set(join(directory, name), await readFile(join(directory, name), 'utf8'));
      } catch (cause) {
        throw new DefinitionError(`cannot read the definitions in ${directory}: ${(cause as Error).message}`, {
          cause,
        });
      }
    }
    const definitions = new Definitions(texts);
    if (![...texts.values()].some(isDefinition)) {
      throw new DefinitionError(`no CustomResourceDefinition in ${directories.join(', ')}`);
    }
    return definitions;
  }

  find(group: string, kind: string): Definition | undefined {
    const id = `${group}/${kind}`;
    if (!this.#parsed.has(id)) this.#parse((text) => mentions(text, group) && mentions(text, kind));
    return this.#parsed.get(id);
  }

  /** Kinds of a group, for suggestions; parses all that mention it. */
  kindsOf(group: string): readonly string[] {
    this.#parse((text) => mentions(text, group));
    return [...this.#parsed.values()].filter((definition) => definition.group === group).map(({ kind }) => kind);
  }

  #parse(wanted: (text: string) => boolean): void {
    for (const [path, text] of this.#texts) {
      if (!wanted(text)) continue;
      this.#texts.delete(path);
      if (!isDefinition(text)) continue;
      for (const raw of rawDefinitions(path, text)) {
        const definition = definitionOf(raw);
        if (definition) this.#parsed.set(`${definition.group}/${definition.kind}`, definition);
      }
    }
  }
}

const isDefinition = (text: string): boolean => /kind"?: *"?CustomResourceDefinition\b/.test(text);

/** Cheap and never wrong in the direction that matters: a definition holds the words `group: GROUP` and `kind: KIND`. */
const mentions = (text: string, word: string): boolean =>
  new RegExp(`"?(group|kind)"?: *"?${word.replaceAll(/[.*+?^$()[\]{}|\\]/g, '\\$&')}["\\s,}]`).test(text);

function rawDefinitions(path: string, text: string): RawDefinition[] {
  try {
    if (path.endsWith('.json')) return [JSON.parse(text) as RawDefinition];
    return parseAllDocuments(text).map((document) => document.toJS() as RawDefinition);
  } catch (cause) {
    throw new DefinitionError(`${path}: ${(cause as Error).message}`, { cause });
  }
}

function definitionOf(raw: RawDefinition | null): Definition | undefined {
  if (raw?.kind !== 'CustomResourceDefinition' || raw.spec === undefined) return undefined;
  const { group, scope, names, versions } = raw.spec;
  const served = versions.filter((version) => version.served);
  return {
    group,
    kind: names.kind,
    plural: names.plural,
    namespaced: scope === 'Namespaced',
    versions: new Map(served.map((version) => [version.name, objectSchema(version.schema?.openAPIV3Schema ?? {})])),
  };
}

/** What the definition leaves to the API server: every object has these. */
const objectSchema = (schema: StructuralSchema): StructuralSchema => ({
  ...schema,
  required: [...new Set([...(schema.required ?? []), 'metadata'])],
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    ...schema.properties,
    metadata: metadataSchema,
  },
});
