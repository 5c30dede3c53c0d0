import { type Document, isMap, isPair, isScalar, isSeq, type Node, YAMLParseError } from 'yaml';

/**
 * Every key that its map has already, in the words of the library, whose own check compares each key with each: 20,000 keys take it
 * seconds. Source: YAML 1.2.2, 3.2.1.1.
 */
function* duplicateKeys(node: unknown): Generator<YAMLParseError> {
  if (isMap(node)) yield* inMap(node.items);
  else if (isSeq(node)) for (const item of node.items) yield* duplicateKeys(item);
  else if (isPair(node)) yield* inPair(node);
}

function* inMap(items: readonly unknown[]): Generator<YAMLParseError> {
  const seen = new Set<unknown>();
  for (const pair of items) {
    if (!isPair(pair)) continue;
    if (isScalar(pair.key) && isTaken(seen, pair.key.value)) yield errorAt(pair.key);
    yield* inPair(pair);
  }
}

function* inPair({ key, value }: { readonly key: unknown; readonly value: unknown }): Generator<YAMLParseError> {
  yield* duplicateKeys(key);
  yield* duplicateKeys(value);
}

/** Keys are the same when `===` says so: `NaN` is not. */
function isTaken(seen: Set<unknown>, value: unknown): boolean {
  if (Number.isNaN(value)) return false;
  if (seen.has(value)) return true;
  seen.add(value);
  return false;
}

function errorAt({ range }: Node): YAMLParseError {
  const [start] = range ?? [0];
  return new YAMLParseError([start, start + 1], 'DUPLICATE_KEY', 'Map keys must be unique');
}

/** Adds what is wrong with keys to the document's errors, all in the order of the text. */
export function addDuplicateKeys(document: Document.Parsed): void {
  const found = [...duplicateKeys(document.contents)];
  if (found.length === 0) return;
  for (const error of found) document.errors.push(error);
  document.errors.sort((a, b) => a.pos[0] - b.pos[0]);
}
