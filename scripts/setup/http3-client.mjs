import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { http3ClientDir, versions } from '../paths.mjs';
import { timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';
import { pip } from './python.mjs';

const PURPOSE = 'It fetches the HTTP/3 client of tests and of the example http3; everything else does without.';

/**
 * Sees to it that the HTTP/3 client, a Python package, is in `http3ClientDir()`. Only tests and an example ask for it, when they need it.
 * @returns {Promise<string>} the folder, for PYTHONPATH
 */
export async function ensureHttp3Client() {
  const folder = http3ClientDir();
  if (existsSync(join(folder, 'aioquic'))) return folder;
  await locked(join(dirname(folder), '.lock'), async () => {
    if (existsSync(join(folder, 'aioquic'))) return;
    await timed(`fetching aioquic ${versions.AIOQUIC}`, () => publish(folder, fetchPackage));
  });
  return folder;
}

/** @param {string} folder */
const fetchPackage = (folder) =>
  pip(['install', '--only-binary', ':all:', '--target', folder, `aioquic==${versions.AIOQUIC}`], PURPOSE);
