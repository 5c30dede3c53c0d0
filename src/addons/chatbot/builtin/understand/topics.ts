import type { Concept } from './lexicon.ts';
import type { Question } from './question.ts';
import type { Names } from './resolve.ts';

/** What a question can be about. */
export type Topic =
  | 'request'
  | 'access'
  | 'object'
  | 'users'
  | 'targets'
  | 'certificates'
  | 'nodes'
  | 'changes'
  | 'policies'
  | 'endpoints'
  | 'ai'
  | 'traffic'
  | 'addresses'
  | 'control-plane'
  | 'confidential'
  | 'problems'
  | 'list'
  | 'code'
  | 'how-to'
  | 'help';

interface Rule {
  readonly topic: Topic;
  readonly points: Partial<Record<Concept, number>>;
  /** For what is no word. */
  readonly more?: (question: Question, names: Names) => number;
}

const has = (condition: boolean, points: number): number => (condition ? points : 0);
const named = ({ objects, missing }: Names): boolean => objects.length + missing.length > 0;
const policyKinds: readonly Concept[] = [
  'policy',
  'accesspolicy',
  'backendpolicy',
  'listenerpolicy',
  'tokenpolicy',
  'backendtlspolicy',
  'referencegrant',
];
const kinds: readonly Concept[] = [
  'httproute',
  'grpcroute',
  'tcproute',
  'udproute',
  'tlsroute',
  'route',
  'gateway',
  'listener',
  'listenerset',
  'service',
  'class',
  'namespace',
  ...policyKinds,
  'aiservice',
];
const any = (question: Question, concepts: readonly Concept[]): boolean =>
  concepts.some((concept) => question.concepts.has(concept));

/** Words such as `reach` and `use` speak of other things in other questions. */
const asksWhoMay =
  /\b(?:who|wer)\b.{0,10}\b(?:may|can|could|allowed|darf|kann)\b.*\b(?:reach|access|use|get to|erreichen|benutzen|nutzen)\b/i;

/**
 * What speaks for each topic, in points. A question is about the topic with the most; of several with as many, about the first. Below
 * `threshold` it is not understood.
 */
const rules: readonly Rule[] = [
  {
    topic: 'request',
    points: { why: 0.5, go: 1 },
    more: ({ request, statuses, concepts }, names) =>
      has(request !== undefined && !concepts.has('certificate'), 4) +
      has(statuses.length > 0, 3.5) +
      has(statuses.length > 0 && named(names), 1.5),
  },
  {
    topic: 'access',
    points: { login: 3.6, who: 1, which: 0.5, route: 0.5, not: 0.5 },
    more: ({ text }) => has(asksWhoMay.test(text), 5.5),
  },
  {
    topic: 'code',
    points: { mean: 2 },
    more: ({ codes, words, statuses, concepts, request }, names) =>
      has(codes.length > 0 && (concepts.has('mean') || words.length <= 2 + names.objects.length), 4) +
      has(statuses.length > 0 && request === undefined && concepts.has('mean'), 4) +
      has(codes.length > 0, 1) -
      has(named(names), 2),
  },
  {
    topic: 'how-to',
    points: {},
    more: ({ isHowTo, maybeHowTo, concepts }, names) =>
      has(isHowTo, 6) + has(maybeHowTo && !isHowTo, 3.4) - has(isHowTo && concepts.has('fix') && !named(names), 3.5),
  },
  {
    topic: 'object',
    points: {
      problem: 1,
      ok: 1,
      accepted: 1,
      why: 1,
      rejected: 1,
      not: 0.5,
      fix: 1,
      expire: 0.5,
      conflict: 0.5,
      file: 0.5,
    },
    more: (_, names) => has(named(names), 3),
  },
  {
    topic: 'users',
    points: { use: 3, who: 1, which: 0.5, where: 0.5, service: 1, certificate: 1, secret: 1 },
    more: ({ hasPronoun }, names) => (named(names) ? 2 : has(!hasPronoun, -1.5)),
  },
  { topic: 'targets', points: { weight: 3, go: 2, where: 1.5, route: 0.5 }, more: (_, names) => has(named(names), 1) },
  { topic: 'certificates', points: { certificate: 3, expire: 3, first: 0.5, when: 0.5 } },
  { topic: 'nodes', points: { node: 3, nack: 4, behind: 3, rejected: 0.5, which: 0.5, not: 0.2 } },
  {
    topic: 'changes',
    points: { change: 3, who: 0.5, when: 0.5 },
    more: ({ time }, names) => has(time !== undefined, 2) + has(named(names), 1),
  },
  {
    topic: 'policies',
    points: { conflict: 2, which: 0.5, why: 0.5, not: 0.5, list: 0.5 },
    more: (question, names) => has(any(question, policyKinds), 2.7) + has(named(names), 1),
  },
  {
    topic: 'endpoints',
    points: { ready: 3, service: 1, not: 0.5 },
    // Of other things than backends it asks for more than their endpoints.
    more: (_, { objects }) => (objects.some(({ kind }) => kind === 'Service') ? 1.5 : has(objects.length > 0, -2)),
  },
  { topic: 'ai', points: { budget: 3, ai: 3, aiservice: 1 } },
  { topic: 'traffic', points: { traffic: 3, slow: 3, problem: 0.5, count: 0.5 } },
  { topic: 'addresses', points: { address: 3, port: 3, gateway: 1, listener: 1, which: 0.5 } },
  { topic: 'control-plane', points: { leader: 4, replica: 3.5, version: 3.5, snapshot: 3.2 } },
  { topic: 'confidential', points: { confidential: 4, list: 1, which: 0.5 } },
  {
    topic: 'problems',
    points: {
      problem: 3,
      ok: 3,
      accepted: 3,
      rejected: 3,
      conflict: 2,
      file: 1.5,
      not: 0.5,
      system: 0.5,
      fix: 0.5,
      first: 0.2,
    },
    more: ({ concepts }, { namespace }) =>
      has(concepts.has('system') && concepts.has('why'), 0.5) + has(namespace !== undefined, 1.5),
  },
  {
    topic: 'list',
    points: { list: 2, overview: 3.5, count: 3, which: 1, host: 2, where: 0.2 },
    more: (question, { namespace }) =>
      has(any(question, kinds), 2) +
      has(namespace !== undefined, 1) +
      has(question.words.length === 1 && any(question, kinds), 1),
  },
  {
    topic: 'help',
    points: { help: 3.2 },
    more: ({ text }) => has(/what can you|was kannst du|who are you|wer bist du|what do you know/i.test(text), 4),
  },
];

const threshold = 3;

/** What a question is about, and what says so; undefined: it is not understood. */
export interface Understood {
  readonly topic: Topic;
  readonly score: number;
}

/** Unknown words that outnumber the known ones make any reading a guess. */
export function topicOf(question: Question, names: Names): Understood | undefined {
  const dropped = new Set(question.words.flatMap(({ text, concepts }) => (names.taken.has(text) ? concepts : [])));
  const concepts = new Set(
    [...question.concepts].filter((concept) => !dropped.has(concept) || heldElsewhere(question, names, concept)),
  );
  const read = { ...question, concepts };
  let best: Understood | undefined;
  for (const { topic, points, more } of rules) {
    const words = [...concepts].reduce((sum, concept) => sum + (points[concept] ?? 0), 0);
    const score = words + (more?.(read, names) ?? 0);
    if (score >= threshold && score > (best?.score ?? 0)) best = { topic, score };
  }
  if (best === undefined || best.topic === 'how-to' || best.topic === 'code') return best;
  const known = knownParts(read, names);
  // Whether something is all right that has no name here is not for the whole to answer.
  const isOfSomething = best.topic === 'problems' && names.unknown.length >= known && !concepts.has('system');
  return names.unknown.length > known || isOfSomething ? undefined : best;
}

const heldElsewhere = ({ words }: Question, { taken }: Names, concept: Concept): boolean =>
  words.some(({ text, concepts }) => !taken.has(text) && concepts.includes(concept));

/** Words that only ask, or say nothing. */
const empty: ReadonlySet<Concept> = new Set<Concept>([
  'system',
  'who',
  'which',
  'why',
  'where',
  'when',
  'how',
  'not',
  'first',
  'go',
  'list',
]);

function knownParts(
  { words, request, time, codes, statuses }: Question,
  { objects, missing, namespace }: Names,
): number {
  const said = words.filter(({ concepts }) => concepts.some((concept) => !empty.has(concept))).length;
  const entities = objects.length + missing.length + codes.length + statuses.length;
  return said + entities + [request, time, namespace].filter((part) => part !== undefined).length;
}
