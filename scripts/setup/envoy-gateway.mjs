import { chmodSync, cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, versions } from '../paths.mjs';
import { ensureGo } from './go.mjs';
import { buildGoModule } from './go-module.mjs';
import { timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';

const MODULE = 'github.com/envoyproxy/gateway';
const folder = join(cacheDir(), 'envoy-gateway', versions.ENVOY_GATEWAY);

/**
 * Envoy Gateway, built from its Go module as it is, for benches only: the program, and the folder of its resource definitions.
 * @returns {Promise<{ program: string, definitions: string, version: string }>}
 */
export async function ensureEnvoyGateway() {
  await locked(join(cacheDir(), 'envoy-gateway/lock'), async () => {
    if (existsSync(folder)) return;
    const go = await ensureGo('Envoy Gateway, which benches compare with');
    await timed(`building Envoy Gateway ${versions.ENVOY_GATEWAY} (takes minutes, once)`, () =>
      publish(folder, async (temporary) => await build(go, temporary)),
    );
  });
  return {
    program: join(folder, 'envoy-gateway'),
    definitions: join(folder, 'definitions'),
    version: versions.ENVOY_GATEWAY,
  };
}

/** @param {string} go @param {string} target */
async function build(go, target) {
  const module = `${MODULE}@v${versions.ENVOY_GATEWAY}`;
  const output = join(target, 'envoy-gateway');
  const source = await buildGoModule(go, { module, main: './cmd/envoy-gateway', output, folder: target });
  const definitions = join(target, 'definitions');
  cpSync(join(source, 'charts/gateway-crds-helm/templates/generated'), definitions, { recursive: true });
  chmodSync(definitions, 0o755); // Go's cache is read-only
}
