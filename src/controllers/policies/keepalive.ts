import { defined } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';

/** Seconds are what systems count in. */
export const keepaliveOf = ({
  probes,
  idleTime,
  interval,
}: {
  readonly probes?: number;
  readonly idleTime?: string;
  readonly interval?: string;
}): ir.TcpKeepalive =>
  defined<ir.TcpKeepalive>({ probes, idleSeconds: seconds(idleTime), intervalSeconds: seconds(interval) });

const seconds = (duration: string | undefined): number | undefined => {
  const time = duration === undefined ? undefined : parseDurationMs(duration);
  return time === undefined ? undefined : Math.max(1, Math.round(time / 1000));
};
