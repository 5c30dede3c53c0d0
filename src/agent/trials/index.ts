/** Has an Envoy that serves nothing look at resources before the one that serves gets them. */

export { Trials } from './trials.ts';
export { type TriedEnvoy, tryOut } from './try-out.ts';
