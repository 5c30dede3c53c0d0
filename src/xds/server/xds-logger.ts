import type { Logger } from '../../telemetry/index.ts';

/** What the server needs of a logger. */
export type XdsLogger = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
