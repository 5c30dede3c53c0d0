import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheDir, crdDir, versions } from '../paths.mjs';
import { ensureGo, GO_ENVIRONMENT } from './go.mjs';
import { timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';
import { run } from './run.mjs';

const MODULE = `sigs.k8s.io/gateway-api@v${versions.GATEWAY_API}`;
const CHANNELS = /** @type {const} */ (['standard', 'experimental']);

/** Sees to it that the Gateway API's definitions of both channels are in the cache, from its Go module. */
export async function ensureCrds() {
  const folder = dirname(crdDir('standard'));
  if (existsSync(folder)) return;
  await locked(join(cacheDir(), 'crds/lock'), async () => {
    if (existsSync(folder)) return;
    const go = await ensureGo(`the Gateway API's resource definitions; or have Go ${versions.GO} or newer on PATH`);
    await timed(`fetching the definitions of Gateway API ${versions.GATEWAY_API}`, async () => {
      const source = join(await moduleDir(go), 'config/crd');
      await publish(folder, async (temporary) => {
        for (const channel of CHANNELS) copyDefinitions(join(source, channel), join(temporary, channel));
      });
    });
  });
}

/** @param {string} go @returns {Promise<string>} where Go unpacked the module */
async function moduleDir(go) {
  const cwd = mkdtempSync(join(tmpdir(), 'gatewright-')); // outside of any module
  try {
    return JSON.parse(await run(go, ['mod', 'download', '-json', MODULE], { cwd, env: GO_ENVIRONMENT })).Dir;
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** @param {string} from @param {string} to */
function copyDefinitions(from, to) {
  mkdirSync(to);
  for (const file of readdirSync(from).filter((name) => name.startsWith('gateway.'))) {
    copyFileSync(join(from, file), join(to, file)); // a new file, without the read-only mode of Go's cache
  }
}
