/** Buckets of tokens, by which requests are limited. Imports nothing of ours. */
export { TokenBucket } from './token-bucket.ts';
