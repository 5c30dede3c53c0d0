import { chmodSync, cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, versions } from '../paths.mjs';
import { ensureGo, GO_ENVIRONMENT } from './go.mjs';
import { timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';
import { run } from './run.mjs';

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
  const env = { ...GO_ENVIRONMENT, CGO_ENABLED: '0' };
  const module = `${MODULE}@v${versions.ENVOY_GATEWAY}`;
  const { Dir: source } = JSON.parse(await run(go, ['mod', 'download', '-json', module], { cwd: target, env }));
  // In its own directory: so its go.mod holds with all that it pins.
  const output = join(target, 'envoy-gateway');
  const parameters = ['build', '-mod=mod', '-modcacherw', '-trimpath', '-ldflags=-s -w', '-o', output];
  await run(go, [...parameters, './cmd/envoy-gateway'], { cwd: source, env });
  const definitions = join(target, 'definitions');
  cpSync(join(source, 'charts/gateway-crds-helm/templates/generated'), definitions, { recursive: true });
  chmodSync(definitions, 0o755); // Go's cache is read-only
}
