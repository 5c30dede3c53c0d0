import { z } from 'zod';
import { duration, listenAddress, oneOf, targetAddress, text } from './leaf.ts';

const envoyLogLevels = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'] as const;

/** The data-plane agent and its Envoy. */
export const dataplane = z
  .strictObject({
    /** The contract's place of the node id, which the environment variable SVC_GW_NODE_ID overrules. */
    config: z
      .strictObject({
        nodeId: text('a name that no other data plane has')
          .optional()
          .describe('The node id, unless the environment variable `SVC_GW_NODE_ID` has one.'),
      })
      .prefault({})
      .describe('What the admin API contract keeps here.'),
    cluster: text('the Gateway to serve, such as "default/edge"')
      .optional()
      .describe('`NAMESPACE/NAME` of the Gateway to serve, unless `GATEWRIGHT_GATEWAY` has it.'),
    zone: text('a zone, as endpoints have it')
      .optional()
      .describe('The zone that the proxy is in, unless `GATEWRIGHT_ZONE` has it.'),
    xdsAddress: targetAddress('127.0.0.1:18080')
      .prefault('127.0.0.1:18080')
      .describe('The xDS server of the control plane.'),
    adminListen: listenAddress(':8082').prefault(':8082').describe('Where the agent’s admin API (Layout 2) listens.'),
    envoyPath: text('the path of an Envoy binary')
      .optional()
      .describe('The Envoy to run. Without it: `$ENVOY_PATH`, the one that set-up fetched, then `PATH`.'),
    drainTime: duration().prefault('10s').describe('How long open requests may take after SIGTERM.'),
    minDrainTime: duration().prefault('0s').describe('How long the drain lasts at least, also when nothing is open.'),
    logLevel: oneOf(envoyLogLevels).default('warning').describe('Of Envoy itself.'),
    bootstrap: z
      .record(z.string(), z.unknown(), { error: "parts of Envoy's bootstrap" })
      .optional()
      .describe('What is added to Envoy’s bootstrap, in its own JSON with names in snake_case.'),
  })
  .transform(({ config, drainTime, minDrainTime, ...rest }) => ({
    ...rest,
    nodeId: config.nodeId,
    drainTimeMs: drainTime,
    minDrainTimeMs: minDrainTime,
  }))
  .prefault({})
  .describe('The data-plane agent and its Envoy.');
