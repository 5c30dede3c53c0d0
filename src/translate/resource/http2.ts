import type * as ir from '../../ir/index.ts';
import { durationOf } from './proto-duration.ts';

/** envoy.config.core.v3.KeepaliveSettings */
export const http2Keepalive = ({ intervalMs, timeoutMs }: ir.Http2Keepalive) => ({
  interval: durationOf(intervalMs),
  timeout: durationOf(timeoutMs),
});
