import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';

/**
 * Makes new lists of the system's Debian packages: its own may be missing or old, and only root may fetch those.
 * @param {string} folder where they go
 * @returns {Promise<string[]>} options with which apt-get uses them
 */
export async function ownLists(folder) {
  for (const name of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(folder, name), { recursive: true });
  const options = ['-o', `Dir::State::lists=${join(folder, 'lists')}`, '-o', `Dir::Cache=${join(folder, 'cache')}`];
  await run('apt-get', ['-qq', ...options, 'update']);
  return options;
}
