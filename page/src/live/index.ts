/** Data that follow what happens. */
export { type Live, now, useLive } from './live.ts';
