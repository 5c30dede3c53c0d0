/**
 * What passes through proxies, as their agents report it: counts by route, backend and time, failed requests, and what fails now. Kept in memory, by each
 * replica for its own proxies. Opens no port.
 */

export {
  accessTags,
  addSums,
  askedKey,
  noSums,
  type PickOutcome,
  pickOutcomes,
  type Sums,
} from '../contracts/index.ts';
export type { Failure } from './failure-ring.ts';
export { gatewayFinder } from './gateway-finder.ts';
export { type ReportName, type Standing, TrafficStore } from './keeper.ts';
export { trafficMetrics } from './metrics.ts';
export { isOff, parseRule } from './ownership.ts';
export { answerOf, type Group, mergeGroups } from './question.ts';
export { otherName, type Subject, unknownRoute } from './subjects.ts';
export { quantileOf } from './sums.ts';
export { isFailing, isNoticeable, type Trouble } from './troubles.ts';
export { type VerdictCode, verdictOfFailure, verdictWords } from './verdicts.ts';
