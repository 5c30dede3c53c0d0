/** Builds everything: the only room that may import all others. */
export { main } from './program.ts';
