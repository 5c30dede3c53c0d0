/** Where resources come from: a cluster or a directory of YAML, behind one interface. */
export type { ResourceEvent, Source, SourceListener } from './source.ts';
