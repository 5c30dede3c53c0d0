import type { Table } from '../../kit/table.ts';
import { bytesOf } from '../../kit/values.ts';

/** `tcpKeepalive`, which policies of clients and of backends have. */
export const keepaliveTable = (kind: string): Table => ({
  probes: { to: `${kind}.tcpKeepalive.probes` },
  idleTime: { to: `${kind}.tcpKeepalive.idleTime` },
  interval: { to: `${kind}.tcpKeepalive.interval` },
});

/** `http2`, which both have too. */
export const http2Table = (kind: string): Table => ({
  initialStreamWindowSize: { to: `${kind}.http2.initialStreamWindowBytes`, as: bytesOf },
  initialConnectionWindowSize: { to: `${kind}.http2.initialConnectionWindowBytes`, as: bytesOf },
  maxConcurrentStreams: { to: `${kind}.http2.maxConcurrentStreams` },
  onInvalidMessage: {
    to: `${kind}.http2.onInvalidMessage`,
    as: (value) => (value === 'TerminateStream' ? 'ResetStream' : undefined),
  },
  connectionKeepalive: {
    in: {
      interval: { to: `${kind}.http2.keepalive.interval` },
      timeout: { to: `${kind}.http2.keepalive.timeout` },
      idleInterval: { cannot: 'pings are sent on silent connections, by `interval`' },
      intervalJitter: { cannot: 'pings have no jitter' },
    },
  },
});
