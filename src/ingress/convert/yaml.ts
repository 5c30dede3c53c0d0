import { Document, type Node, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Fields, Written } from '../features/part.ts';
import { Noted } from '../values/noted.ts';

/** An object to be written, and comments above it. */
export interface WrittenObject {
  readonly object: Fields;
  readonly comments: readonly string[];
}

/** YAML of some objects, with their comments. Texts that kubectl would take for something else, such as `yes`, have quotes. Deterministic: fields stay in their order. */
export const yamlOf = (objects: readonly WrittenObject[]): string => objects.map(textOf).join('---\n');

function textOf({ object, comments }: WrittenObject): string {
  const document = new Document(undefined, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  document.contents = nodeOf(object, document) as Node as never;
  const head = comments.map((comment) => `${oneLine(comment)}\n`).join('');
  return head + document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** Comments have what users wrote, which may have line ends: these end no comment here. */
const oneLine = (comment: string): string => `# ${comment.replaceAll(/[\s\u0085\u2028\u2029]+/g, ' ').trim()}`;

function nodeOf(value: Written, document: Document): Node {
  if (value instanceof Noted) return nodeOf(value.value, document);
  if (Array.isArray(value)) {
    const seq = document.createNode([]) as YAMLSeq;
    seq.items = value.map((item) => nodeOf(item as Written, document));
    seq.flow = value.length > 0 && value.every(isSmall);
    if (seq.flow) for (const item of seq.items) quoteQuestion(item);
    return seq;
  }
  if (typeof value !== 'object') return document.createNode(value) as Node;
  const map = document.createNode({}) as YAMLMap;
  for (const [name, field] of Object.entries(value as Fields)) {
    if (field === undefined) continue;
    const key = document.createNode(name) as Scalar;
    if (field instanceof Noted) key.commentBefore = oneLine(field.note).slice(1);
    map.add(document.createPair(key, nodeOf(field, document)));
  }
  map.flow = isLeaf(value as Fields);
  if (map.flow) for (const { value: each } of map.items) quoteQuestion(each);
  return map;
}

/** `?` ends a plain text within braces for kubectl, whose YAML is older. */
function quoteQuestion(node: unknown): void {
  const scalar = node as Scalar;
  if (typeof scalar.value === 'string' && scalar.value.includes('?')) scalar.type = 'QUOTE_DOUBLE';
}

/** Texts and numbers stay on one line as long as that is short. */
const isSmall = (value: unknown): boolean => typeof value !== 'object' && String(value).length < 24;

function isLeaf(fields: Fields): boolean {
  const values = Object.values(fields).filter((value) => value !== undefined);
  return values.length <= 4 && values.every((value) => typeof value !== 'object' && String(value).length < 48);
}
