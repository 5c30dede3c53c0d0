/** What would become of everything if objects were otherwise. */
export { type DiffOptions, diffHandler } from './diff.ts';
