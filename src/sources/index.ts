/** Where resources come from: a cluster or a directory of YAML, behind one interface. Knows nothing of what is done with them. */
export { ClusterSource, type ClusterSourceOptions, ClusterStartError } from './cluster.ts';
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
  ObjectValidator,
  type Problem,
  parseManifests,
  pathText,
  type Verdict,
} from './directory/index.ts';
export type { ResourceEvent, Source, SourceListener } from './source.ts';
