import type { Readable } from 'node:stream';

/** What this control plane reports to the others. */
export interface ReplicaFeed {
  /** Everything there is, then every change, as `text/event-stream`; undefined when no further reader is taken on. */
  open(): Readable | undefined;
}
