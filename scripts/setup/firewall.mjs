import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, root, versions } from '../paths.mjs';
import { ensureGo, GO_ENVIRONMENT } from './go.mjs';
import { timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';
import { run } from './run.mjs';

/** Our program: its modules are pinned by its go.sum. */
export const firewallSource = join(root, 'examples/waf/processor');

/**
 * The web application firewall of the example `waf`, built when its source or Go changes.
 * @returns {Promise<string>} its path
 */
export async function ensureFirewall() {
  const folder = join(cacheDir(), 'firewall', digestOf(firewallSource));
  const program = join(folder, 'firewall');
  await locked(join(cacheDir(), 'firewall/lock'), async () => {
    if (existsSync(program)) return;
    const go = await ensureGo('the firewall of the example waf');
    await timed('building the firewall of the example waf (takes a minute, once)', () =>
      publish(folder, (temporary) => build(go, join(temporary, 'firewall'))),
    );
  });
  return program;
}

/** @param {string} go @param {string} output */
const build = (go, output) =>
  run(go, ['build', '-mod=readonly', '-modcacherw', '-trimpath', '-ldflags=-s -w', '-o', output, '.'], {
    cwd: firewallSource,
    env: { ...GO_ENVIRONMENT, CGO_ENABLED: '0' },
  });

/** @param {string} folder */
function digestOf(folder) {
  const hash = createHash('sha256').update(versions.GO);
  for (const name of readdirSync(folder).sort()) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}
