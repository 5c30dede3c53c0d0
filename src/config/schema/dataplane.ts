import { z } from 'zod';
import { duration, listenAddress, oneOf, targetAddress, text } from './leaf.ts';

const envoyLogLevels = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'] as const;

/** The data-plane agent and its Envoy. */
export const dataplane = z
  .strictObject({
    /** The contract's place of the node id, which the environment variable SVC_GW_NODE_ID overrules. */
    config: z.strictObject({ nodeId: text('a name that no other data plane has').optional() }).prefault({}),
    /** `NAMESPACE/NAME` of the Gateway to serve. */
    cluster: text('the Gateway to serve, such as "default/edge"').optional(),
    /** The zone that the proxy is in, which the environment variable GATEWRIGHT_ZONE overrules. */
    zone: text('a zone, as endpoints have it').optional(),
    /** The control plane's xDS server. */
    xdsAddress: targetAddress('127.0.0.1:18080').prefault('127.0.0.1:18080'),
    adminListen: listenAddress(':8082').prefault(':8082'),
    /** Without it: $ENVOY_PATH, the one that set-up fetched, then PATH. */
    envoyPath: text('the path of an Envoy binary').optional(),
    /** How long open requests may take after SIGTERM. */
    drainTime: duration().prefault('10s'),
    /** How long the drain lasts at least, also when nothing is open. */
    minDrainTime: duration().prefault('0s'),
    /** Envoy's own log level. */
    logLevel: oneOf(envoyLogLevels).default('warning'),
  })
  .transform(({ config, drainTime, minDrainTime, ...rest }) => ({
    ...rest,
    nodeId: config.nodeId,
    drainTimeMs: drainTime,
    minDrainTimeMs: minDrainTime,
  }))
  .prefault({});
