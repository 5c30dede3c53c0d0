/** The web page of the control plane, at the root of Layout 1. */
export { servePage } from './serve-page.ts';
