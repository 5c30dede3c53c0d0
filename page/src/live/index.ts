/** Data that follow what happens. */
export { type Live, now, trafficEvents, useLive } from './live.ts';
