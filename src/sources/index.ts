/** Where resources come from: a cluster or a directory of YAML, behind one interface. Knows nothing of what is done with them. */
export { ClusterSource, type ClusterSourceOptions, ClusterStartError, startError } from './cluster.ts';
export {
  type Cause,
  DefinitionError,
  Definitions,
  DirectorySource,
  type DirectorySourceOptions,
  DirectoryStartError,
  findManifestFiles,
  formatProblem,
  LiveDirectory,
  type Manifest,
  type ObjectId,
  type ObjectsRead,
  ObjectValidator,
  type Problem,
  parseManifests,
  pathText,
  readObjects,
  type Verdict,
} from './directory/index.ts';
export type { ResourceEvent, Source, SourceListener } from './source.ts';
