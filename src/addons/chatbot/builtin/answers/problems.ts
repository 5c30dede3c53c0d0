import type { ProblemArea } from '../../../../problems/index.ts';
import type { wire } from '../../tools/index.ts';
import { paragraphs } from '../cluster-text.ts';
import type { Concept } from '../understand/lexicon.ts';
import type { Answer, Answering, ProblemList } from './answering.ts';
import { problemLines } from './answering.ts';

const areas: readonly (readonly [Concept, ProblemArea])[] = [
  ['route', 'route'],
  ['httproute', 'route'],
  ['grpcroute', 'route'],
  ['tcproute', 'route'],
  ['tlsroute', 'route'],
  ['udproute', 'route'],
  ['listener', 'listener'],
  ['gateway', 'gateway'],
  ['class', 'gateway'],
  ['service', 'backend'],
  ['file', 'file'],
  ['certificate', 'certificate'],
  ['node', 'data plane'],
];

/** Everything that is wrong, or of what the question names. */
export async function* problemsAnswer(answering: Answering): Answer {
  const { frame, call, say } = answering;
  const area = areas.find(([concept]) => frame.question.concepts.has(concept))?.[1];
  const { namespace } = frame;
  const found = (yield* call('list_problems', {
    ...(area && { area }),
    ...(namespace && { namespace }),
  })) as ProblemList;
  if (found.total > 0)
    return paragraphs(headOf(found, answering), problemLines(found.problems, found.total, answering));
  if (area !== undefined || namespace !== undefined) {
    const all = (yield* call('list_problems')) as ProblemList;
    const none = namespace === undefined ? say.noneOfArea(area ?? '') : say.noProblemIn(`Namespace ${namespace}`);
    return paragraphs(none, all.total > 0 && say.otherProblems(all.total));
  }
  const { gatewayCount, routeCount, nodeCount, snapshotVersion } = (yield* call('summary')) as wire.SummaryAnswer;
  return snapshotVersion === null ? say.notKnownYet : say.allRight(gatewayCount, routeCount, nodeCount);
}

function headOf({ total, problems }: ProblemList, { say }: Answering): string {
  const warnings = problems.filter(({ severity }) => severity === 'warning').length;
  // Failing ones come first: what is not shown is counted with the last one that is.
  const failing = problems.length - warnings;
  const left = total - problems.length;
  return warnings > 0 ? say.problems(failing, warnings + left) : say.problems(failing + left, 0);
}
