import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { ConfigError } from '../config/index.ts';
import { bootstrapFault } from '../contracts/index.ts';
import { type BootstrapOptions, bootstrapJson } from './envoy/bootstrap.ts';
import { extendBootstrap } from './envoy/extend-bootstrap.ts';
import { defaultMaxConnections, defaultMaxHeapBytes } from './envoy/overload.ts';
import type { EnvoySpec } from './envoy-turn.ts';
import type { DataPlaneAgentOptions } from './options.ts';
import type { EnvoyFiles } from './work-dir.ts';

const defaultDrainTimeMs = 10_000;

/** Ports of the agent that Envoy's bootstrap names. */
type Ports = Pick<BootstrapOptions, 'adminPort' | 'nameServer'>;

/** What Envoy is run with. `ports` is called when Envoy is about to start. */
export function envoySpec(options: DataPlaneAgentOptions, ports: () => Ports): EnvoySpec {
  const { envoyPath: path, logLevel = 'warning', drainTimeMs = defaultDrainTimeMs } = options;
  const { concurrency, envoyArgs: extra = [] } = options;
  const bootstrap = (files: EnvoyFiles) => bootstrapFor(options, files, ports());
  return { path, logLevel, drainTimeMs, concurrency, extra, bootstrap };
}

function bootstrapFor(options: DataPlaneAgentOptions, files: EnvoyFiles, ports: Ports): string {
  const { nodeId, cluster, version, zone, metrics, bootstrap: addition } = options;
  const { maxHeapBytes = defaultMaxHeapBytes(), maxConnections = defaultMaxConnections } = options;
  const fault = addition && bootstrapFault(addition);
  if (fault !== undefined) throw new ConfigError(`dataplane.${fault}`);
  const ours = bootstrapJson({
    nodeId,
    cluster,
    zone,
    version,
    ...files,
    ...ports,
    maxHeapBytes,
    maxConnections,
    metrics,
  });
  return addition ? JSON.stringify(extendBootstrap(JSON.parse(ours), addition), null, 2) : ours;
}

/** Rejects with ConfigError when the file cannot be run. */
export async function checkEnvoy(path: string): Promise<void> {
  try {
    await access(path, constants.X_OK);
  } catch (cause) {
    const advice = 'set dataplane.envoyPath, or $ENVOY_PATH, to an Envoy binary';
    const reason = `${path} cannot be run (${(cause as NodeJS.ErrnoException).code})`;
    throw new ConfigError(`dataplane.envoyPath: ${reason}; ${advice}`, { cause });
  }
}
