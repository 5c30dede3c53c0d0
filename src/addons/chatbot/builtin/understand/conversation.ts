import type { ChatRequest } from '../../chat-request.ts';
import type { Language } from './language.ts';
import { isKind, type Question, readQuestion } from './question.ts';
import { type Inventory, type KnownObject, type Names, namesToFind, resolveNames } from './resolve.ts';
import { type Topic, topicOf } from './topics.ts';

/** A question together with what was said before. */
export interface Frame {
  readonly topic: Topic | undefined;
  readonly question: Question;
  readonly names: Names;
  /** Of this question, or of the one that it goes on with. */
  readonly objects: readonly KnownObject[];
  readonly request: Question['request'];
  readonly statuses: readonly number[];
  readonly codes: readonly string[];
  readonly time: Question['time'];
  readonly namespace: string | undefined;
  /** It asks for the reason of what was answered. */
  readonly wantsCause: boolean;
  readonly language: Language;
  /** Not asked for, but shown beside the chat. */
  readonly isContext?: boolean;
}

/** So many questions of before are looked at. */
const remembered = 6;

/** The questions of a conversation, the one to answer last. */
export const readConversation = ({ prompt, history }: ChatRequest, now: Date): readonly Question[] => [
  ...history
    .filter(({ role }) => role === 'user')
    .slice(-remembered)
    .map(({ content }) => readQuestion(content, now)),
  readQuestion(prompt, now),
];

/** The words of all of them that may be names; those of the last question first. */
export const namesOf = (questions: readonly Question[]): readonly string[] =>
  [...new Set(questions.toReversed().flatMap(namesToFind))].slice(0, 16);

/** What the last question is about. `context`: the object that the user looks at. */
export function understand(
  questions: readonly Question[],
  inventory: Inventory,
  context: ChatRequest['context'],
): Frame {
  const language = questions.findLast((question) => question.language !== undefined)?.language ?? 'en';
  let frame: Frame | undefined;
  for (const question of questions)
    frame = frameOf(
      question,
      resolveNames(question, inventory),
      language,
      frame ?? contextFrame(question, context, language),
    );
  return frame as Frame;
}

const nothing: Names = { objects: [], missing: [], namespace: undefined, unknown: [], taken: new Set(), near: [] };

/** As if the user had asked for the object that the page shows. */
function contextFrame(question: Question, context: ChatRequest['context'], language: Language): Frame | undefined {
  if (context === undefined) return undefined;
  const { kind, namespace = 'default', name } = context;
  return {
    topic: 'object',
    question,
    names: nothing,
    objects: [{ kind, namespace, name }],
    request: undefined,
    statuses: [],
    codes: [],
    time: undefined,
    namespace: undefined,
    wantsCause: false,
    language,
    isContext: true,
  };
}

function frameOf(question: Question, names: Names, language: Language, before: Frame | undefined): Frame {
  const topic = topicOf(question, names)?.topic;
  const { request, statuses, codes, time, concepts } = question;
  const frame: Frame = {
    topic,
    question,
    names,
    objects: names.objects,
    request,
    statuses,
    codes,
    time,
    namespace: names.namespace,
    wantsCause: concepts.has('why') || concepts.has('fix'),
    language: question.language ?? language,
  };
  if (before === undefined || question.isOrder || question.isGreeting) return frame;
  return goesOn(question, names, topic, before.isContext === true) ? joined(before, frame) : frame;
}

/** Whether the question cannot be answered by itself. */
function goesOn(question: Question, names: Names, topic: Topic | undefined, isContext: boolean): boolean {
  const isWhole = question.request !== undefined || names.objects.length + names.missing.length > 0;
  if (question.isElliptical) return true;
  if (isWhole) return false;
  if (isContext && topic === 'problems')
    return names.namespace === undefined && !ofMore.test(question.text) && ![...question.concepts].some(isKind);
  if (question.hasPronoun)
    return topic === undefined || takesObjects.has(topic) || topic === 'problems' || topic === 'how-to';
  return topic === undefined && names.unknown.length === 0 && question.concepts.has('why');
}

/** What one page shows is not all. */
const ofMore = /\b(?:everything|all|anything|alles|irgend\w*|gibt es)\b/i;

/** Topics whose answers are about objects that are named. */
const takesObjects: ReadonlySet<Topic> = new Set<Topic>([
  'object',
  'users',
  'targets',
  'changes',
  'endpoints',
  'request',
  'policies',
  'certificates',
]);

/** The new question in the light of the former: what it does not say itself is as before. */
function joined(before: Frame, now: Frame): Frame {
  const hasObjects = now.objects.length + now.names.missing.length > 0;
  const hasSubject = hasObjects || now.request !== undefined;
  const ownTopic =
    now.topic !== undefined && !(hasSubject && (now.topic === 'object' || now.topic === 'request'))
      ? now.topic
      : undefined;
  const isFix = now.question.concepts.has('fix');
  const topic = (isFix ? undefined : ownTopic) ?? topicFor(before, hasSubject);
  const keepsSubject =
    !hasSubject && (ownTopic === undefined || isFix || takesObjects.has(ownTopic) || ownTopic === 'problems');
  const subject = keepsSubject ? before : now;
  return {
    ...now,
    topic: topic === 'problems' && subject.objects.length > 0 ? 'object' : topic,
    objects: subject.objects,
    request: keepsSubject || (topic === 'request' && !hasObjects) ? (now.request ?? before.request) : now.request,
    statuses: now.statuses.length > 0 ? now.statuses : before.statuses,
    codes: now.codes.length > 0 || ownTopic !== undefined ? now.codes : before.codes,
    time: now.time ?? before.time,
    namespace: now.namespace ?? (keepsSubject ? before.namespace : undefined),
    names: keepsSubject && now.names.unknown.length === 0 ? { ...before.names, unknown: [] } : now.names,
  };
}

/** "And for shop?" asks the same of another object; what was about no object becomes a question about this one. */
function topicFor(before: Frame, hasSubject: boolean): Topic | undefined {
  if (before.topic === undefined || !hasSubject) return before.topic ?? (hasSubject ? 'object' : undefined);
  return takesObjects.has(before.topic) ? before.topic : 'object';
}
