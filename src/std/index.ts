/** What several rooms need and none owns. Knows nothing of gateways, loads no package, and imports nothing of ours. */
export { Backoff } from './backoff.ts';
export { withoutBrackets } from './brackets.ts';
export { busyShare } from './busy-share.ts';
export { counted } from './counted.ts';
export { parseDurationMs } from './duration.ts';
export { firstNames } from './first-names.ts';
export type { Key } from './key.ts';
export { limited } from './limited.ts';
export { didYouMean, editDistance, nearestKey } from './nearest.ts';
export { networkBits } from './network-bits.ts';
export { pushTo } from './push-to.ts';
export { Redacted, redactedText } from './redacted.ts';
export { runTimed } from './timed-run.ts';
export { withoutFailing } from './without-failing.ts';
