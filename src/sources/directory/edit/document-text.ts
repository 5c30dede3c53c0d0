import { isDeepStrictEqual } from 'node:util';
import { type CreateNodeOptions, CST, type Document, Parser, stringify, type ToStringOptions } from 'yaml';
import { readYaml } from '../../../yaml/index.ts';
import { listItems } from '../list-items.ts';
import { updateDocument, writing } from './update-document.ts';

/** Where in a file an object is: the document, and the item when the document is a List. Both from 0. */
export interface Place {
  readonly document: number;
  readonly item?: number;
}

/** A text cannot be changed in one place without the rest of it changing too, or is not YAML. */
export class TextError extends Error {
  override readonly name = 'TextError';
  readonly code = 'text';
}

/** A List with its objects, or one object. */
interface PlacedObject {
  readonly place: Place;
  readonly value: unknown;
}

/** Every object of a YAML or JSON text. Throws TextError for a text with syntax errors, whose structure is unknown. */
export function objectsIn(text: string): readonly PlacedObject[] {
  const { documents, lines, fault } = readYaml(text);
  const broken = (offset: number, message: string) => new TextError(`line ${lines.linePos(offset).line}: ${message}`);
  if (fault !== undefined) throw broken(fault.offset, fault.message);
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error !== undefined) throw broken(error.pos[0], `not valid YAML: ${error.message}`);
  return documents.flatMap((document, index) => objectsOf(contentOf(document, broken), index));
}

function contentOf(document: Document.Parsed, broken: (offset: number, message: string) => TextError): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw broken(document.range[0], `not valid YAML: ${(error as Error).message}`);
  }
}

function objectsOf(value: unknown, document: number): PlacedObject[] {
  if (value === null || value === undefined) return [];
  const items = listItems(value)?.map((item, index) => ({ place: { document, item: index }, value: item }));
  return items ?? [{ place: { document }, value }];
}

/** The text with one object replaced. Other documents stay as they are, byte by byte; so do comments next to what stays. */
export const replaceObject = (text: string, place: Place, value: unknown): string =>
  isJson(text) ? editJson(text, place, value) : editYaml(text, place, value);

/** The text without one object. */
export const removeObject = (text: string, place: Place): string =>
  isJson(text) ? editJson(text, place, undefined) : editYaml(text, place, undefined);

/** The text without some objects, and whether any are left. */
export function removeObjects(
  text: string,
  places: readonly Place[],
): { readonly text: string; readonly isEmpty: boolean } {
  // From the end, so that the places before stay what they are.
  const rest = places.toReversed().reduce(removeObject, text);
  return { text: rest, isEmpty: objectsIn(rest).length === 0 };
}

/** The text with one more object, as a document of its own. Throws TextError for JSON, which has room for one only. */
export function appendObject(text: string, value: unknown): string {
  if (isJson(text)) throw new TextError('a JSON file has room for one object only');
  const document = objectText(value);
  if (text.trim() === '') return document;
  return checked(`${text}${text.endsWith('\n') ? '' : '\n'}---\n${document}`, [...objectsIn(text).map(valueIn), value]);
}

/** Which object is looked for. */
export interface ObjectRef {
  readonly group: string;
  readonly kindName: string;
  /** Undefined for kinds without one. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Where a text has an object: at least one place, the first of which counts, and what is written there. */
export interface PlacedIn {
  readonly places: readonly Place[];
  readonly value: unknown;
}

/** Undefined when the text has no such object. Throws TextError for a text with syntax errors. */
export function findIn(text: string, ref: ObjectRef): PlacedIn | undefined {
  const matches = objectsIn(text).filter(({ value }) => isObjectOf(ref, value));
  const [first] = matches;
  return first && { places: matches.map(({ place }) => place), value: first.value };
}

function isObjectOf({ kindName, group, namespace, name }: ObjectRef, value: unknown): boolean {
  const { apiVersion, kind, metadata } = (value ?? {}) as {
    readonly apiVersion?: unknown;
    readonly kind?: unknown;
    readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown };
  };
  const [groupOf] = String(apiVersion).split('/');
  if (kind !== kindName || groupOf !== group || metadata?.name !== name) return false;
  return namespace === undefined || (metadata.namespace ?? 'default') === namespace;
}

/** An object as a file of its own has it. */
export const objectText = (value: unknown, options: ToStringOptions & CreateNodeOptions = writing): string =>
  stringify(value, options);

const valueIn = ({ value }: PlacedObject): unknown => value;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What the objects of a text are to be after a change; undefined stands for its removal. */
function expectedAfter(text: string, place: Place, value: unknown): readonly unknown[] {
  return objectsIn(text).flatMap((placed) => {
    if (placed.place.document !== place.document || placed.place.item !== place.item) return [placed.value];
    return value === undefined ? [] : [value];
  });
}

/** JSON keeps its indentation, and has no comments to lose. */
function editJson(text: string, { item }: Place, value: unknown): string {
  const indent = /\n(?<spaces>[ \t]+)"/.exec(text)?.groups?.spaces;
  const end = text.endsWith('\n') ? '\n' : '';
  if (item === undefined) return value === undefined ? '' : JSON.stringify(value, null, indent) + end;
  const list = JSON.parse(text) as { items: unknown[] };
  list.items.splice(item, 1, ...(value === undefined ? [] : [value]));
  return JSON.stringify(list, null, indent) + end;
}

function editYaml(text: string, place: Place, value: unknown): string {
  const slice = sliceOf(text, place.document);
  const whole = value === undefined && place.item === undefined;
  const changed = whole ? '' : updateDocument(slice.text, place.item, value);
  const before = whole ? slice.textBefore : text.slice(0, slice.start);
  const after = text.slice(whole ? slice.endWithMarker : slice.end);
  // A document without an end of line would run into the next one's marker.
  const joint = changed !== '' && after !== '' && !changed.endsWith('\n') ? '\n' : '';
  return checked(before + changed + joint + after, expectedAfter(text, place, value));
}

interface Slice {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** What is before the document, without directives that were only for it. */
  readonly textBefore: string;
  /** After a `...` that ends the document, if there is one. */
  readonly endWithMarker: number;
}

/** The text of one document with its marker, as the parser's tokens have it, which together are the whole text. */
function sliceOf(text: string, index: number): Slice {
  const tokens = [...new Parser().parse(text)];
  const at = tokens.flatMap((token, position) => (token.type === 'document' ? [position] : []))[index];
  const token = at === undefined ? undefined : tokens[at];
  if (at === undefined || token === undefined) throw new TextError(`there is no document ${index + 1}`);
  const source = CST.stringify(token);
  const end = token.offset + source.length;
  const next = tokens[at + 1];
  const directive = tokens.slice(0, at).findLastIndex(({ type }) => type === 'document' || type === 'doc-end') + 1;
  // A marker that ends the document before, too, has to stay.
  const types = tokens.slice(0, at).map(({ type }) => type);
  const ended = types.lastIndexOf('doc-end') >= types.lastIndexOf('document');
  const hasDirective = tokens.slice(directive, at).some(({ type }) => type === 'directive');
  return {
    text: source,
    start: token.offset,
    end,
    textBefore: text.slice(0, hasDirective ? tokens[directive]?.offset : token.offset),
    endWithMarker: next?.type === 'doc-end' && ended ? end + CST.stringify(next).length : end,
  };
}

/** The text, if it says what it is meant to. Throws TextError when it does not. */
function checked(text: string, expected: readonly unknown[]): string {
  if (!isDeepStrictEqual(valuesIn(text), expected))
    throw new TextError('this object cannot be changed without touching its neighbours in the file');
  return text;
}

/** Undefined for a text that is not YAML. */
function valuesIn(text: string): readonly unknown[] | undefined {
  try {
    return objectsIn(text).map(valueIn);
  } catch (error) {
    if (error instanceof TextError) return undefined;
    throw error;
  }
}
