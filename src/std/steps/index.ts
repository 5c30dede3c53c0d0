/** Long work in steps, so that others need not wait for all of it. Imports nothing of ours. */
export { each, inTurns, type Steps, sliceMs, takeSlice, toEnd } from './steps.ts';
