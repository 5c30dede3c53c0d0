import type { FailuresRecord, TrafficRecord } from '../../admin/index.ts';

/** What `/v1/traffic` answers. */
export type Traffic = TrafficRecord;
export type TrafficItem = Traffic['items'][number];

/** What `/v1/failures` answers. */
export type Failures = FailuresRecord;
/** A request that failed. */
export type Failure = Failures['items'][number];
