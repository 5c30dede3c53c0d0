import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type ParsedNode, type Scalar } from 'yaml';
import { readYamlDocument } from '../yaml/index.ts';
import { ConfigError } from './config-error.ts';
import { ourKey } from './contract-keys.ts';
import { type Environment, substitute } from './environment.ts';

/** Where a value stands in the file and how it is written there. */
export interface Place {
  readonly line: number;
  /** The key with its parents in the file's own spelling; empty for the document itself. */
  readonly key: string;
  /** The scalar as written, before environment variables came in; undefined for a map or a list. */
  readonly written?: string;
}

/** A configuration file as plain values under our spelling of the keys, and the place of each. */
export interface ConfigDocument {
  readonly file: string;
  readonly values: unknown;
  /** The place of a path in our spelling, or of its nearest parent that is in the file. */
  place(path: readonly PropertyKey[]): Place;
}

/** Reads YAML with environment variables put in. Throws a ConfigError for a syntax error or a variable without value. */
export function parseConfigDocument(file: string, yaml: string, env: Environment): ConfigDocument {
  const read = readYamlDocument(yaml);
  const { lines } = read;
  const broken = (offset: number, message: string, cause: unknown) => {
    const { line, col } = lines.linePos(offset);
    return new ConfigError(`${file}:${line}:${col}: ${message}; correct this line`, { cause });
  };
  if ('fault' in read) throw broken(read.fault.offset, read.fault.message, read.fault);
  const { document } = read;
  const [error] = document.errors;
  if (error !== undefined) throw broken(error.pos[0], `not valid YAML: ${error.message}`, error);
  const places = new Map<string, Place>();
  const reader = new TreeReader(file, lines, env, places, (alias) => alias.resolve(document) as ParsedNode | undefined);
  const values = document.contents === null ? {} : reader.read(document.contents, [], '');
  return { file, values: values ?? {}, place: (path) => nearestPlace(places, path) };
}

const pathKey = (path: readonly PropertyKey[]): string => path.map(String).join('\u0000');

function nearestPlace(places: ReadonlyMap<string, Place>, path: readonly PropertyKey[]): Place {
  for (let length = path.length; length >= 0; length--) {
    const place = places.get(pathKey(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return { line: 1, key: '' };
}

export const maxDepth = 32;
export const maxValues = 10_000;

type ResolveAlias = (alias: Extract<Node, { source: string; resolve: unknown }>) => ParsedNode | undefined;

/** Walks the YAML tree once: values out, places noted. A key without a value counts as absent. */
class TreeReader {
  readonly #file: string;
  readonly #lines: LineCounter;
  readonly #env: Environment;
  readonly #places: Map<string, Place>;
  readonly #resolve: ResolveAlias;

  constructor(file: string, lines: LineCounter, env: Environment, places: Map<string, Place>, resolve: ResolveAlias) {
    this.#file = file;
    this.#lines = lines;
    this.#env = env;
    this.#places = places;
    this.#resolve = resolve;
  }

  read(node: Node, path: readonly string[], key: string): unknown {
    this.#guard(path, key);
    const target = isAlias(node) ? this.#resolve(node) : node;
    const line = this.#lines.linePos((node as ParsedNode).range[0]).line;
    const written = isScalar(target) ? (target.source ?? String(target.value)) : undefined;
    this.#places.set(pathKey(path), { line, key, written });
    if (isMap(target)) return Object.fromEntries(this.#entries(target.items as readonly Entry[], path, key));
    if (isSeq(target))
      return target.items.map((item, index) => this.read(item as Node, [...path, String(index)], `${key}[${index}]`));
    return isScalar(target) ? this.#scalar(target, line, key) : undefined;
  }

  // An anchor may hold an alias of itself, or of others so often that the values never end.
  #guard(path: readonly string[], key: string): void {
    if (path.length <= maxDepth && this.#places.size < maxValues) return;
    throw new ConfigError(
      `${this.#file}: ${key.slice(0, 80)}: too deep or too much; remove the aliases that repeat themselves`,
    );
  }

  *#entries(items: readonly Entry[], path: readonly string[], key: string): Generator<[string, unknown]> {
    const seen = new Map<string, string>();
    for (const { key: keyNode, value } of items) {
      const written = String(isScalar(keyNode) ? keyNode.value : keyNode);
      const ours = ourKey(path, written);
      const fullKey = key === '' ? written : `${key}.${written}`;
      const line = this.#lines.linePos((keyNode as ParsedNode).range[0]).line;
      const twin = seen.get(ours);
      if (twin !== undefined)
        throw new ConfigError(`${this.#file}:${line}: ${fullKey}: the same key as ${twin}; remove one of them`);
      seen.set(ours, written);
      const read = value === null ? undefined : this.read(value, [...path, ours], fullKey);
      // The line of a key reads better than the line its block begins on.
      this.#places.set(pathKey([...path, ours]), { ...this.#places.get(pathKey([...path, ours])), line, key: fullKey });
      if (read !== undefined && read !== null) yield [ours, read];
    }
  }

  #scalar(scalar: Scalar, line: number, key: string): unknown {
    if (typeof scalar.value !== 'string') return scalar.value;
    const substituted = substitute(scalar.value, this.#env);
    if ('text' in substituted) return substituted.text;
    throw new ConfigError(
      `${this.#file}:${line}: ${key}: environment variable ${substituted.missing} is empty or not set; set it or remove the key`,
    );
  }
}

interface Entry {
  readonly key: Node;
  readonly value: Node | null;
}
