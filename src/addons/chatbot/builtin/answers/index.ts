import { paragraphs } from '../cluster-text.ts';
import type { Topic } from '../understand/topics.ts';
import { accessAnswer } from './access.ts';
import type { Answer, Answering } from './answering.ts';
import { certificatesAnswer } from './certificates.ts';
import { changesAnswer } from './changes.ts';
import { codeAnswer, howToAnswer, unknownAnswer } from './knowledge.ts';
import { listAnswer } from './lists.ts';
import { aiAnswer, trafficAnswer } from './numbers.ts';
import { objectAnswer } from './objects.ts';
import { problemsAnswer } from './problems.ts';
import { controlPlaneAnswer, proxiesAnswer } from './proxies.ts';
import { endpointsAnswer, policiesAnswer, targetsAnswer, usersAnswer } from './relations.ts';
import { requestAnswer } from './requests.ts';

export { type Answering, type Call, NotFound } from './answering.ts';

/** Without a tool. */
async function* said(text: string): Answer {
  yield* [];
  return text;
}

const answers: Readonly<Record<Topic, (answering: Answering) => Answer>> = {
  request: requestAnswer,
  access: accessAnswer,
  object: objectAnswer,
  users: usersAnswer,
  targets: targetsAnswer,
  certificates: certificatesAnswer,
  nodes: proxiesAnswer,
  changes: changesAnswer,
  policies: policiesAnswer,
  endpoints: endpointsAnswer,
  ai: aiAnswer,
  traffic: trafficAnswer,
  addresses: listAnswer,
  'control-plane': controlPlaneAnswer,
  confidential: ({ say }) => said(say.neverShown),
  problems: problemsAnswer,
  list: listAnswer,
  code: codeAnswer,
  'how-to': howToAnswer,
  help: ({ say }) => said(paragraphs(say.hello, say.canAsk)),
};

/** Answers the question of the frame. */
export function answerOf(answering: Answering): Answer {
  const { frame, say } = answering;
  if (frame.question.isGreeting) return said(paragraphs(say.hello, say.canAsk));
  if (frame.question.isOrder) return said(say.onlyReads);
  return frame.topic === undefined ? unknownAnswer(answering) : answers[frame.topic](answering);
}
