/** Texts of any length, read without delaying other work. */
export type { ParsedText } from './job.ts';
export { inlineLength, ManifestReader, type ManifestReaderOptions, readingLimits } from './manifest-reader.ts';
export { ReadingRejected } from './reading-rejected.ts';
