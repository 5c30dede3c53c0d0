/** Two texts compared line by line, in bounded time. */
export { mostDifferentLines, textDiff } from './text-diff.ts';
