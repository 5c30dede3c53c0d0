import type { wire } from '../../tools/index.ts';
import type { Concept } from './lexicon.ts';
import { isKind, type Question } from './question.ts';
import type { WrittenObject } from './written.ts';

/** An object of the inventory. */
export interface KnownObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A name that a question gives and the inventory lacks. */
export interface MissingName {
  readonly written: string;
  readonly kind: string | undefined;
  /** Objects whose names are near. */
  readonly near: readonly KnownObject[];
}

/** What the names of a question stand for. */
export interface Names {
  readonly objects: readonly KnownObject[];
  readonly missing: readonly MissingName[];
  readonly namespace: string | undefined;
  /** Words that are neither names nor known. */
  readonly unknown: readonly string[];
  /** Of known words that turned out to be names. */
  readonly taken: ReadonlySet<string>;
  /** What unknown words may have meant. */
  readonly near: readonly KnownObject[];
}

/** What the inventory says of each word; nothing of words that it was not asked for. */
export type Inventory = ReadonlyMap<string, wire.FoundAnswer>;

/** The words that the inventory has to be asked for. */
export const namesToFind = ({ objects, candidates }: Question): readonly string[] => [
  ...objects.map(keyOf),
  ...candidates.filter((word) => !word.includes(',')),
];

const keyOf = ({ namespace, name }: WrittenObject): string => (namespace === undefined ? name : `${namespace}/${name}`);

const kindsOfConcepts: Partial<Record<Concept, (kind: string) => boolean>> = {
  route: (kind) => kind.endsWith('Route'),
  httproute: (kind) => kind === 'HTTPRoute',
  grpcroute: (kind) => kind === 'GRPCRoute',
  tcproute: (kind) => kind === 'TCPRoute',
  udproute: (kind) => kind === 'UDPRoute',
  tlsroute: (kind) => kind === 'TLSRoute',
  gateway: (kind) => kind === 'Gateway',
  listener: (kind) => kind === 'Listener',
  listenerset: (kind) => kind === 'ListenerSet',
  service: (kind) => ['Service', 'ServiceImport', 'XBackend', 'InferencePool', 'AIService'].includes(kind),
  class: (kind) => kind === 'GatewayClass',
  namespace: (kind) => kind === 'Namespace',
  certificate: (kind) => kind === 'Certificate',
  secret: (kind) => kind === 'Certificate',
  node: (kind) => kind === 'Node',
  policy: (kind) => kind.endsWith('Policy'),
  aiservice: (kind) => kind === 'AIService',
};

/** An object counts only if the inventory has it; a missing one only if it is written as an object, or right behind a kind. */
export function resolveNames(question: Question, inventory: Inventory): Names {
  const objects: KnownObject[] = [];
  const missing: MissingName[] = [];
  const unknown: string[] = [];
  const taken = new Set<string>();
  const near: KnownObject[] = [];
  let namespace: string | undefined;
  for (const written of question.objects) {
    if (question.codes.some((code) => code.toLowerCase() === written.name)) continue;
    const found = inventory.get(keyOf(written));
    const exact = exactOf(found).filter((object) => fits(object, written));
    objects.push(...exact);
    if (exact.length === 0) missing.push({ written: keyOf(written), kind: written.kind, near: nearOf(found) });
  }
  const wanted = [...question.concepts].flatMap((concept) => kindsOfConcepts[concept] ?? []);
  for (const word of question.candidates) {
    const found = inventory.get(word);
    const exact = exactOf(found);
    const ofKind = exact.filter(({ kind }) => wanted.some((isWanted) => isWanted(kind)));
    const [first] = exact;
    if (first?.kind === 'Namespace' && (ofKind.length === 0 || question.concepts.has('namespace'))) namespace = word;
    else if (exact.length > 0)
      objects.push(...(ofKind.length > 0 ? ofKind : exact.filter(({ kind }) => kind !== 'Namespace')));
    else {
      const before = kindBefore(question, word);
      const isUnknown = question.words.some(({ text, concepts }) => text === word && concepts.length === 0);
      if (before !== undefined && isUnknown) missing.push({ written: word, kind: before, near: nearOf(found) });
      else if (isUnknown) {
        unknown.push(word);
        near.push(...nearOf(found));
      }
      continue;
    }
    taken.add(word);
  }
  return { objects: distinct(objects), missing, namespace, unknown, taken, near: distinct(near).slice(0, 3) };
}

/** The kind that stands right before the word: `route shop`. A list of things is followed by what is said of them. */
function kindBefore({ words }: Question, word: string): string | undefined {
  const before = words[words.findIndex(({ text }) => text === word) - 1];
  const isOne = before !== undefined && (!before.text.endsWith('s') || before.text === 'class');
  return isOne && before.concepts.some(isKind) ? before.text : undefined;
}

const exactOf = (found: wire.FoundAnswer | undefined): KnownObject[] =>
  (found?.matches ?? []).flatMap(({ object, by }) => (by === 'name' ? [object] : []));

/** Those with few other letters; where there are none, those that contain the word. */
function nearOf(found: wire.FoundAnswer | undefined): KnownObject[] {
  const by = (how: 'near' | 'part' | 'name') =>
    (found?.matches ?? []).flatMap((match) => (match.by === how ? [match.object] : []));
  const exact = by('name');
  const close = by('near');
  if (exact.length + close.length > 0) return [...exact, ...close].slice(0, 3);
  return found !== undefined && found.word.length >= 4 ? by('part').slice(0, 3) : [];
}

function fits(object: KnownObject, { kind, namespace }: WrittenObject): boolean {
  if (namespace !== undefined && namespace !== object.namespace) return false;
  return kind === undefined || (kind === 'Route' ? object.kind.endsWith('Route') : kind === object.kind);
}

const distinct = (objects: readonly KnownObject[]): KnownObject[] => [
  ...new Map(objects.map((object) => [`${object.kind}/${object.namespace}/${object.name}`, object])).values(),
];
