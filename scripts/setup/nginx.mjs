import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nginxPath } from '../paths.mjs';
import { libraryPath, unpackWithLibraries } from './debian.mjs';
import { ensureDebianProgram } from './debian-program.mjs';

const WITHOUT = 'set NGINX_PATH to an nginx that you have';

/** @returns {Promise<string>} the path of an nginx */
export const ensureNginx = () =>
  ensureDebianProgram({ name: 'nginx', path: nginxPath(), variable: 'NGINX_PATH', fetch: fetchPackage });

/** @param {string} made where to put it @param {string} folder where it will be */
async function fetchPackage(made, folder) {
  await unpackWithLibraries(made, 'nginx', { without: WITHOUT });
  const start = `#!/bin/sh\n${libraryPath(join(folder, 'root'))}\nexec "$root/usr/sbin/nginx" "$@"\n`;
  writeFileSync(join(made, 'nginx'), start);
  chmodSync(join(made, 'nginx'), 0o755);
}
