import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresPath } from '../paths.mjs';
import { libraryPath, unpackWithLibraries } from './debian.mjs';
import { ensureDebianProgram } from './debian-program.mjs';

const WITHOUT = 'install PostgreSQL, or set POSTGRES_PATH to the postgres that you have';
const SYSTEM = '/usr/lib/postgresql';

/**
 * Sees to it that a PostgreSQL is there: the user's own, else the system's, else that of the system's Debian package, unpacked and not installed.
 * Only tests ask for it, when they need it.
 * @returns {Promise<string>} the path of its `postgres`, with `initdb` beside it
 */
export async function ensurePostgres() {
  if (!process.env.POSTGRES_PATH) {
    const installed = postgresBelow(SYSTEM);
    if (installed) return installed;
  }
  return ensureDebianProgram({
    name: 'PostgreSQL',
    path: postgresPath(),
    variable: 'POSTGRES_PATH',
    fetch: fetchPackage,
  });
}

/**
 * The newest one in a folder that has a folder for each release, as Debian has.
 * @param {string} folder
 */
function postgresBelow(folder) {
  const releases = existsSync(folder) ? readdirSync(folder) : [];
  return releases
    .sort((a, b) => Number(b) - Number(a))
    .map((release) => join(folder, release, 'bin/postgres'))
    .find(existsSync);
}

/** @param {string} made where to put it @param {string} folder where it will be */
async function fetchPackage(made, folder) {
  await unpackWithLibraries(made, 'postgresql', { without: WITHOUT });
  const found = postgresBelow(join(made, 'root', SYSTEM));
  if (!found) throw new Error('the Debian package postgresql has no postgres');
  const programs = join(folder, 'root', found.slice(join(made, 'root').length), '..');
  for (const name of ['postgres', 'initdb']) {
    const start = `#!/bin/sh\n${libraryPath(join(folder, 'root'))}\nexec '${join(programs, name)}' "$@"\n`;
    writeFileSync(join(made, name), start);
    chmodSync(join(made, name), 0o755);
  }
}
