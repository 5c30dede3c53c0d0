import { setFlagsFromString } from 'node:v8';
import { DataPlaneAgent, openAccess } from '../../agent/index.ts';
import { ConfigError, formatAddress } from '../../config/index.ts';
import { systemClock } from '../../std/queue/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import { plainAgentWarning, type ServeParts, type Service } from '../process/index.ts';
import { agentAuthOf } from './agent-auth.ts';
import { egressOf } from './egress-of.ts';
import { envoySettings, followEnvoySettings } from './follow-envoy-settings.ts';
import { metricSinksFor } from './metric-sinks.ts';
import { sessionKeyFilesOf } from './session-key-files.ts';
import { SmallHeap } from './small-heap.ts';

/** Starts the agent and its Envoy as configured; SVC_GW_NODE_ID names the node before the configuration does. */
export async function startDataPlane({ config, configPath, logger, version, env }: ServeParts): Promise<Service> {
  const heap = new SmallHeap({ set: setFlagsFromString, clock: systemClock });
  const { dataplane } = config;
  const nodeId = env.SVC_GW_NODE_ID || dataplane.nodeId;
  if (!nodeId)
    throw new ConfigError('no node id: set the environment variable SVC_GW_NODE_ID, or dataplane.config.node_id');
  const cluster = env.GATEWRIGHT_GATEWAY || dataplane.cluster;
  if (!cluster) throw new ConfigError('no Gateway to serve: set dataplane.cluster to NAMESPACE/NAME of the Gateway');
  const { tls, tokenFile } = dataplane;
  const access = tls.caFile
    ? await openAccess({ ...tls, caFile: tls.caFile, tokenFile }, componentLogger(logger, 'agent'))
    : undefined;
  const plain = plainAgentWarning(dataplane);
  if (plain) componentLogger(logger, 'agent').warn(plain);
  const { directory, ...others } = dataplane.cache;
  const cache = directory === undefined ? undefined : { directory, ...others };
  const agent = new DataPlaneAgent({
    nodeId,
    cluster,
    zone: env.GATEWRIGHT_ZONE || dataplane.zone,
    version,
    xdsAddress: formatAddress(dataplane.xdsAddress),
    ...(access && { access }),
    adminListen: dataplane.adminListen,
    adminAuth: agentAuthOf(dataplane.adminAuth, logger),
    egress: egressOf(config),
    ...envoySettings(config, env),
    minDrainTimeMs: dataplane.minDrainTimeMs,
    reusePort: dataplane.reusePort,
    ipFamily: dataplane.ipFamily,
    ...(dataplane.concurrency !== undefined && { concurrency: dataplane.concurrency }),
    ...(dataplane.geoip && { geoip: dataplane.geoip }),
    ...metricSinksFor(dataplane.metrics, env),
    sessionKeyFiles: sessionKeyFilesOf(config),
    ...(cache && { cache }),
    onQuestion: () => heap.asked(),
    logger,
  });
  await agent.start();
  const unfollow = followEnvoySettings({ path: configPath, config, env, agent, logger });
  return {
    stop: () => {
      unfollow();
      heap.stop();
      return agent.stop();
    },
  };
}
