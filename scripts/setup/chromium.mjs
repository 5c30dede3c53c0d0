import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromiumPath } from '../paths.mjs';
import { ownLists } from './debian.mjs';
import { SetupError, timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';
import { run } from './run.mjs';

const PACKAGE = 'chromium';
const WITHOUT = 'set CHROMIUM_PATH to a Chromium that you have';

/**
 * Sees to it that a Chromium is at `chromiumPath()`: the user's own, else the one of the system's Debian package. It is unpacked with all
 * packages that the system lacks for it, and not installed. Only tests of the page ask for it, when they need it.
 * @returns {Promise<string>} its path
 */
export async function ensureChromium() {
  const path = chromiumPath();
  if (existsSync(path)) return path;
  if (process.env.CHROMIUM_PATH) throw new SetupError(`CHROMIUM_PATH: there is no ${path}`);
  const folder = dirname(path);
  await locked(join(dirname(folder), '.chromium.lock'), async () => {
    if (existsSync(path)) return;
    await timed('fetching Chromium', () => publish(folder, (made) => fetchPackages(made, folder)));
  });
  return path;
}

/** @param {string} made where to put it @param {string} folder where it will be */
async function fetchPackages(made, folder) {
  const archives = join(made, 'archives');
  const root = join(made, 'root');
  mkdirSync(archives);
  try {
    await download(archives);
  } catch {
    throw new SetupError(`apt-get could not fetch the Debian package ${PACKAGE} (see above); ${WITHOUT}`);
  }
  for (const archive of readdirSync(archives).filter((name) => name.endsWith('.deb')))
    await run('dpkg-deb', ['-x', join(archives, archive), root]);
  await run('rm', ['-r', archives]);
  writeFileSync(join(made, 'fonts.conf'), fontConfig(folder));
  writeFileSync(join(made, 'chromium'), launcher(join(folder, 'root')));
  chmodSync(join(made, 'chromium'), 0o755);
}

/** Every package that an installation would add, so that the libraries of a bare system do. @param {string} folder */
async function download(folder) {
  const lists = await ownLists(folder);
  const plan = await run('apt-get', [...lists, '-qq', '-s', '--no-install-recommends', 'install', PACKAGE]);
  const packages = [...plan.matchAll(/^Inst (\S+) .*?\((\S+)/gm)].map(([, name, version]) => `${name}=${version}`);
  // Pictures of the page look the same everywhere, with fonts of its own.
  await run('apt-get', [...lists, '-qq', 'download', ...packages, 'fonts-dejavu-core'], { cwd: folder });
}

/** Debian's own launcher looks for everything in the system's folders. @param {string} root */
const launcher = (root) => `#!/bin/sh
root='${root}'
libraries=$(find "$root/usr/lib" -maxdepth 2 -type d \\( -name '*-linux-gnu' -o -path '*-linux-gnu/*' \\) | tr '\\n' ':')
export LD_LIBRARY_PATH="$libraries$LD_LIBRARY_PATH"
export FONTCONFIG_FILE="$root/../fonts.conf"
exec "$root/usr/lib/chromium/chromium" "$@"
`;

/** The same fonts on every machine. @param {string} folder */
const fontConfig = (folder) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${folder}/root/usr/share/fonts</dir>
<cachedir>${folder}/font-cache</cachedir>
<alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
<alias><family>system-ui</family><prefer><family>DejaVu Sans</family></prefer></alias>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;
