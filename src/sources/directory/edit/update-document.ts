import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type ToStringOptions,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/** Texts that YAML 1.1 takes for something else (`yes`) are quoted, long ones stay on one line, and nothing gets an anchor. */
export const writing = { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;

/**
 * The text of one document after its object, or the item of its List, became `value` (undefined takes an item out). What stays the same keeps
 * its comments and its style. A document with anchors or merge keys is written again, for a change in one place would show in another.
 */
export function updateDocument(text: string, item: number | undefined, value: unknown): string {
  // Its keys were compared when it was read.
  const document = parseDocument(text, { ...writing, merge: true, uniqueKeys: false });
  const wanted = item === undefined ? value : withItem(document.toJS(), item, value);
  if (isDeepStrictEqual(document.toJS(), wanted)) return text;
  const style = styleOf(document, text);
  const tail = tailOf(document, text);
  if (sharesNodes(document)) document.contents = document.createNode(wanted, writing) as typeof document.contents;
  else document.contents = merged(document, document.contents, wanted) as typeof document.contents;
  if (tail !== '') document.comment = null;
  return document.toString(style) + tail;
}

/** Comments after the last line of the object, which the library would set apart by an empty line. */
function tailOf({ contents }: Document, text: string): string {
  const end = contents?.range?.[1] ?? 0;
  return text[end - 1] === '\n' ? text.slice(end) : '';
}

function withItem(list: { items: unknown[] }, item: number, value: unknown): unknown {
  const items = [...list.items];
  items.splice(item, 1, ...(value === undefined ? [] : [value]));
  return { ...list, items };
}

function sharesNodes(document: Document): boolean {
  let shares = false;
  visit(document, {
    Alias: () => {
      shares = true;
      return visit.BREAK;
    },
    Pair: (_, pair) => {
      if (keyText(pair.key) !== '<<') return undefined;
      shares = true;
      return visit.BREAK;
    },
  });
  return shares;
}

/** A node that says `wanted`: the given one changed as little as possible, or a new one with its comments. */
function merged(document: Document, node: unknown, wanted: unknown): Node {
  if (isMap(node) && isRecord(wanted)) return mergedMap(document, node, wanted);
  if (isSeq(node) && Array.isArray(wanted)) return mergedList(document, node, wanted);
  if (isScalar(node) && typeof node.value === typeof wanted && !isObject(wanted) && node.value !== null) {
    if (node.value !== wanted) node.value = wanted;
    return node;
  }
  const created = document.createNode(wanted, writing) as Node;
  if (isNode(node) && !isAlias(node)) {
    if (node.comment != null) created.comment = node.comment;
    if (node.commentBefore != null) created.commentBefore = node.commentBefore;
    if (node.spaceBefore) created.spaceBefore = true;
  }
  return created;
}

function mergedMap(document: Document, map: YAMLMap, wanted: Record<string, unknown>): Node {
  map.items = map.items.filter((pair) => Object.hasOwn(wanted, keyText(pair.key)));
  const pairs = new Map(map.items.map((pair) => [keyText(pair.key), pair]));
  for (const [name, value] of Object.entries(wanted)) {
    const pair = pairs.get(name);
    if (pair === undefined) map.items.push(document.createPair(name, value, writing));
    else pair.value = merged(document, pair.value, value);
  }
  return map;
}

/** Items that are the same at the beginning and at the end stay; of what is between, the first of one become the first of the other. */
function mergedList(document: Document, list: YAMLSeq, wanted: readonly unknown[]): Node {
  const before = list.items.map((node) => (isNode(node) ? (node.toJS(document) as unknown) : node));
  const shorter = Math.min(before.length, wanted.length);
  let head = 0;
  while (head < shorter && isDeepStrictEqual(before[head], wanted[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && isDeepStrictEqual(before.at(-1 - tail), wanted.at(-1 - tail))) tail += 1;
  const old = list.items.slice(head, before.length - tail);
  const changed = wanted.slice(head, wanted.length - tail).map((value, index) => merged(document, old[index], value));
  list.items = [...list.items.slice(0, head), ...changed, ...list.items.slice(before.length - tail)];
  return list;
}

/** How the text is laid out, as far as the library can do the same. */
function styleOf(document: Document, text: string): ToStringOptions {
  const columnOf = (offset: number): number => offset - (text.lastIndexOf('\n', offset - 1) + 1);
  let indent: number | undefined;
  visit(document, {
    Pair: (_, pair) => {
      const key = (pair.key as Node | null)?.range?.[0];
      const value = pair.value as (Node & { flow?: boolean }) | null;
      const start = value?.range?.[0];
      if (key === undefined || start === undefined || !isMap(value) || value.flow) return;
      if (text.slice(key, start).includes('\n')) indent ??= columnOf(start) - columnOf(key);
    },
  });
  return {
    lineWidth: writing.lineWidth,
    indent: indent ?? 2,
    indentSeq: listsAreIndented(text),
    flowCollectionPadding: !/[{[][^\s{}[\]]/.test(text),
  };
}

/** By the first list below a key: is its dash further in than the key? */
function listsAreIndented(text: string): boolean {
  const found =
    /^(?<key> *(?:- +)*)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?<item> *)- /m.exec(text);
  const { key = '', item = ' ' } = found?.groups ?? {};
  return item.length > key.length;
}

const keyText = (key: unknown): string => String(isScalar(key) ? key.value : key);

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

const isRecord = (value: unknown): value is Record<string, unknown> => isObject(value) && !Array.isArray(value);
