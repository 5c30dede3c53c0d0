/** What happened lately, and how readers follow it. */
export { accessEvent, nodeEvent, problemEvent, resourceEvent, snapshotEvent } from './describe.ts';
export { EventLog } from './event-log.ts';
export { EventStream } from './event-stream.ts';
