import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromiumPath } from '../paths.mjs';
import { libraryPath, unpackWithLibraries } from './debian.mjs';
import { SetupError, timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';

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
  // Pictures of the page look the same everywhere, with fonts of its own.
  await unpackWithLibraries(made, 'chromium', { more: ['fonts-dejavu-core'], without: WITHOUT });
  writeFileSync(join(made, 'fonts.conf'), fontConfig(folder));
  writeFileSync(join(made, 'chromium'), launcher(join(folder, 'root')));
  chmodSync(join(made, 'chromium'), 0o755);
}

/** Debian's own launcher looks for everything in the system's folders. @param {string} root */
const launcher = (root) => `#!/bin/sh
${libraryPath(root)}
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
