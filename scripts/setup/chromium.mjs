import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumPath } from '../paths.mjs';
import { libraryPath, unpackWithLibraries } from './debian.mjs';
import { ensureDebianProgram } from './debian-program.mjs';

const WITHOUT = 'set CHROMIUM_PATH to a Chromium that you have';

/**
 * Chromium without windows of its own, which starts in a third of the CPU time, with all packages that the system lacks for it.
 * @returns {Promise<string>} its path
 */
export const ensureChromium = () =>
  ensureDebianProgram({ name: 'Chromium', path: chromiumPath(), variable: 'CHROMIUM_PATH', fetch: fetchPackages });

/** @param {string} made where to put it @param {string} folder where it will be */
async function fetchPackages(made, folder) {
  // Pictures of the page look the same everywhere, with fonts of its own.
  await unpackWithLibraries(made, 'chromium-headless-shell', { more: ['fonts-dejavu-core'], without: WITHOUT });
  writeFileSync(join(made, 'fonts.conf'), fontConfig(folder));
  writeFileSync(join(made, 'chromium'), launcher(join(folder, 'root')));
  chmodSync(join(made, 'chromium'), 0o755);
}

/** Debian's own launcher looks for everything in the system's folders. @param {string} root */
const launcher = (root) => `#!/bin/sh
${libraryPath(root)}
export FONTCONFIG_FILE="$root/../fonts.conf"
exec "$root/usr/lib/chromium/chromium-headless-shell" "$@"
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
