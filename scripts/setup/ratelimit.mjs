import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, versions } from '../paths.mjs';
import { ensureGo } from './go.mjs';
import { buildGoModule } from './go-module.mjs';
import { timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';

const folder = join(cacheDir(), 'ratelimit', versions.RATELIMIT);

/**
 * Envoy's ratelimit service, built from its Go module as it is, for a heavy test and for benches.
 * @returns {Promise<string>} path of the program
 */
export async function ensureRatelimit() {
  const program = join(folder, 'ratelimit');
  await locked(join(cacheDir(), 'ratelimit/lock'), async () => {
    if (existsSync(folder)) return;
    const go = await ensureGo('the ratelimit service');
    await timed(`building ratelimit ${versions.RATELIMIT} (takes minutes, once)`, () =>
      publish(folder, async (temporary) => {
        const module = `github.com/envoyproxy/ratelimit@v${versions.RATELIMIT}`;
        await buildGoModule(go, {
          module,
          main: './src/service_cmd',
          output: join(temporary, 'ratelimit'),
          folder: temporary,
        });
      }),
    );
  });
  return program;
}
