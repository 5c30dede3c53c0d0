/** Two texts compared line by line, in bounded time. */
export { type DiffOptions, mostDifferentLines, textDiff } from './text-diff.ts';
