/** Objects from a directory of YAML files, as if an API server had them. */
export { DirectorySource, type DirectorySourceOptions, DirectoryStartError } from './directory-source.ts';
export { type Place, TextError } from './edit/document-text.ts';
export { LiveDirectory } from './live-directory.ts';
export { type Manifest, parseManifests } from './manifest.ts';
export { type FileProblem, formatProblem, type Problem } from './problem.ts';
export { type ObjectsRead, readObjects } from './read-objects.ts';
export {
  inlineLength,
  ManifestReader,
  type ManifestReaderOptions,
  type ParsedText,
  ReadingRejected,
  readingLimits,
} from './reading/index.ts';
export { findManifestFiles } from './tree.ts';
export { type Cause, ObjectValidator, pathText, type Verdict } from './validate/index.ts';
