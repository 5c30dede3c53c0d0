/** Long work in steps, so that nobody waits for all of it. Imports nothing of ours. */
export { each, inTurns, type Steps, sliceMs, takeSlice, toEnd } from './steps.ts';
