import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../config/index.ts';
import { packageRoot } from './package-root.ts';

/** The Gateway API that is served; its definitions are the measure for files. */
const gatewayApiVersion = '1.7.0';
/** The Inference Extension that is served with it. */
const inferenceVersion = '1.6.0';

/** Directory of our own CustomResourceDefinitions. */
const ownDefinitions = join(packageRoot, 'crds');

/**
 * Directories of CustomResourceDefinitions: ours, and those of the Gateway API from $GATEWRIGHT_DEFINITIONS, what an image
 * or package brings, or what set-up fetched.
 */
export function findDefinitions(env: NodeJS.ProcessEnv): readonly string[] {
  const cache = env.GATEWRIGHT_CACHE ?? join(homedir(), '.cache', 'gatewright');
  const candidates = [
    env.GATEWRIGHT_DEFINITIONS,
    join(ownDefinitions, 'gateway-api'),
    join(cache, 'crds', `v${gatewayApiVersion}-inference-v${inferenceVersion}-json`),
  ];
  const found = candidates.find((path) => path !== undefined && existsSync(path));
  if (found && existsSync(ownDefinitions)) return [found, ownDefinitions];
  throw new ConfigError(
    `the Gateway API's resource definitions are not here: run "npm run setup", or set GATEWRIGHT_DEFINITIONS to the directory config/crd/experimental of sigs.k8s.io/gateway-api v${gatewayApiVersion}`,
  );
}
