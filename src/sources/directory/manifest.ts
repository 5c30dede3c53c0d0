import { type Document, isAlias, isMap, isPair, isSeq, type Node, visit } from 'yaml';
import { readYaml } from '../../yaml/index.ts';
import { listItems } from './list-items.ts';
import { weightOf } from './reading/weight.ts';

/** The way to a field: names and list indexes. */
export type FieldPath = readonly (string | number)[];

export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** One object as it is written in a file, with the place of each of its fields. */
export interface Manifest {
  readonly value: unknown;
  /** The place of a field's name or a list's item; of the nearest thing around it when it is not written. */
  locate(path: FieldPath): Position;
}

export interface ParsedFile {
  readonly manifests: readonly Manifest[];
  /** What is not YAML; the documents it touches are not among the manifests. */
  readonly errors: readonly (Position & { readonly message: string })[];
  /** The text is of a form that is not read at all, such as one that is nested too deep: the only error says which. */
  readonly isRejected: boolean;
}

/**
 * Reads a YAML or JSON text with any number of documents. Objects of a `kind: List` count as manifests of their own; empty documents do
 * not count. A document with a syntax error does not keep the others from being read.
 */
export function parseManifests(text: string): ParsedFile {
  const { documents, lines, fault } = readYaml(text);
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: Math.max(1, col) };
  };
  const manifests: Manifest[] = [];
  const errors: (Position & { message: string })[] = fault
    ? [{ ...position(fault.offset), message: fault.message }]
    : [];
  for (const document of documents) {
    // A text that is all errors has as many as characters; one more than are reported says that there are more.
    const broken = document.errors.slice(0, largestErrors + 1).map((error) => ({
      ...position(error.pos[0]),
      message: `not valid YAML: ${error.message}`,
    }));
    if (broken.length > 0) errors.push(...broken);
    else for (const manifest of manifestsOf(document, position, errors)) manifests.push(manifest);
  }
  return { manifests, errors: firstOf(errors), isRejected: fault !== undefined };
}

/** Errors of one text that are reported. */
export const largestErrors = 100;

function firstOf(errors: ParsedFile['errors']): ParsedFile['errors'] {
  const last = errors[largestErrors - 1];
  if (errors.length <= largestErrors || last === undefined) return errors;
  return [...errors.slice(0, largestErrors - 1), { ...last, message: `${last.message} (and there are more errors)` }];
}

/** What aliases may make of a text: so many times as much, and this much in any case. In characters of JSON. */
export const largestGrowth = 4;
export const smallestAllowance = 256 * 1024;

function manifestsOf(
  document: Document.Parsed,
  position: (offset: number) => Position,
  errors: (Position & { message: string })[],
): Manifest[] {
  const locate = (path: FieldPath): Position => position(offsetOf(document.contents, path));
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
    checkGrowth(document, value);
  } catch (error) {
    const alias = unresolvedAlias(document);
    errors.push({
      ...(alias === undefined ? locate([]) : position(alias)),
      message: `not valid YAML: ${(error as Error).message}`,
    });
    return [];
  }
  if (value === null || value === undefined) return [];
  const items = listItems(value)?.map((item, index) => ({
    value: item,
    locate: (path: FieldPath) => locate(['items', index, ...path]),
  }));
  return items ?? [{ value, locate }];
}

/** Where the first alias is that no anchor before it resolves. One walk, whatever the number of aliases. */
function unresolvedAlias(document: Document.Parsed): number | undefined {
  const anchors = new Set<string>();
  let found: number | undefined;
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) {
        if (anchors.has(node.source)) return undefined;
        found = node.range?.[0];
        return visit.BREAK;
      }
      if (node.anchor !== undefined) anchors.add(node.anchor);
      return undefined;
    },
  });
  return found;
}

function checkGrowth({ range }: Document.Parsed, value: unknown): void {
  const allowed = Math.max(smallestAllowance, largestGrowth * (range[2] - range[0]));
  if (weightOf(value, allowed + 1) > allowed)
    throw new Error('its aliases make too much of it: write out what is the same');
}

/** Where the last part of the path that is written begins. */
function offsetOf(contents: Node | null, path: FieldPath): number {
  let node: unknown = contents;
  let offset = contents?.range?.[0] ?? 0;
  for (const part of path) {
    if (isAlias(node)) break;
    if (isMap(node)) {
      const pair = node.items.find((item) => isPair(item) && keyText(item.key) === String(part));
      if (pair === undefined) break;
      offset = (pair.key as Node | null)?.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof part === 'number') {
      const item = node.items[part] as Node | undefined;
      if (item === undefined) break;
      offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset;
}

const keyText = (key: unknown): string => String((key as { value?: unknown } | null)?.value ?? key);
