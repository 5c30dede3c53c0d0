/** Where resources come from: a cluster or a directory of YAML, behind one interface. Knows nothing of what is done with them. */
export { ClusterSource, ClusterStartError, startError } from './cluster.ts';
export {
  type Cause,
  DirectorySource,
  type DirectorySourceOptions,
  DirectoryStartError,
  type FileProblem,
  findManifestFiles,
  formatProblem,
  inlineLength,
  LiveDirectory,
  type Manifest,
  ManifestReader,
  type ManifestReaderOptions,
  type ObjectsRead,
  ObjectValidator,
  type ParsedText,
  type Place,
  type Problem,
  parseManifests,
  pathText,
  ReadingRejected,
  readingLimits,
  readObjects,
  TextError,
  type Verdict,
} from './directory/index.ts';
export type { ResourceEvent, Source, SourceListener } from './source.ts';
