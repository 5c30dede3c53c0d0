import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nginxPath } from '../paths.mjs';
import { libraryPath, unpackWithLibraries } from './debian.mjs';
import { SetupError, timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';

const WITHOUT = 'set NGINX_PATH to an nginx that you have';

/**
 * Sees to it that an nginx is at `nginxPath()`: the user's own, else the one of the system's Debian package, unpacked and not installed. Only
 * tests ask for it, when they need it.
 * @returns {Promise<string>} its path
 */
export async function ensureNginx() {
  const path = nginxPath();
  if (existsSync(path)) return path;
  if (process.env.NGINX_PATH) throw new SetupError(`NGINX_PATH: there is no ${path}`);
  const folder = dirname(path);
  await locked(join(dirname(folder), '.nginx.lock'), async () => {
    if (existsSync(path)) return;
    await timed('fetching nginx', () => publish(folder, (made) => fetchPackage(made, folder)));
  });
  return path;
}

/** @param {string} made where to put it @param {string} folder where it will be */
async function fetchPackage(made, folder) {
  await unpackWithLibraries(made, 'nginx', { without: WITHOUT });
  const start = `#!/bin/sh\n${libraryPath(join(folder, 'root'))}\nexec "$root/usr/sbin/nginx" "$@"\n`;
  writeFileSync(join(made, 'nginx'), start);
  chmodSync(join(made, 'nginx'), 0o755);
}
