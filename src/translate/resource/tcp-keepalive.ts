import type * as ir from '../../ir/index.ts';

/** envoy.config.core.v3.TcpKeepalive; what is left out is the system's own. */
export const tcpKeepalive = ({ probes, idleSeconds, intervalSeconds }: ir.TcpKeepalive) => ({
  ...(probes !== undefined && { keepaliveProbes: probes }),
  ...(idleSeconds !== undefined && { keepaliveTime: idleSeconds }),
  ...(intervalSeconds !== undefined && { keepaliveInterval: intervalSeconds }),
});
