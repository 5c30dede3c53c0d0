import { chmodSync, cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../paths.mjs';
import { ensureGo } from './go.mjs';
import { buildGoModule } from './go-module.mjs';
import { SetupError, timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';

/**
 * @typedef {object} PeerProgram
 * @property {string} name of the program, and of its folder in the cache
 * @property {string} title what people call it
 * @property {string} module path of its Go module
 * @property {string} version of the module, without the `v`
 * @property {string} main package within the module, such as `./cmd/x`
 * @property {string} [tags] build tags that its own build sets, by commas
 * @property {string} [definitions] folder of resource definitions within the module
 */

/**
 * A program that benches compare with, built once from its Go module as it is.
 * @param {PeerProgram} peer
 * @returns {Promise<{ program: string, definitions: string, version: string }>} `definitions`: a folder, there only if the module has one
 * @throws {SetupError} when the module or one that it needs is not available, or does not build
 */
export async function ensurePeerProgram(peer) {
  const { name, title, version } = peer;
  const folder = join(cacheDir(), name, version);
  await locked(join(cacheDir(), name, 'lock'), async () => {
    if (existsSync(folder)) return;
    const go = await ensureGo(`${title}, which benches compare with`);
    await timed(`building ${title} ${version} (takes minutes, once)`, () =>
      publish(folder, (temporary) => build(go, peer, temporary)),
    );
  });
  return { program: join(folder, name), definitions: join(folder, 'definitions'), version };
}

/** @param {string} go @param {PeerProgram} peer @param {string} target */
async function build(go, { name, title, module, version, main, tags, definitions }, target) {
  const wanted = `${module}@v${version}`;
  const output = join(target, name);
  const source = await buildGoModule(go, { module: wanted, main, tags, output, folder: target }).catch((error) => {
    throw new SetupError(
      `${title} could not be built from its Go module ${wanted} (see above): ${error.message}\nLeave it out of --subjects, or see which modules your GOPROXY serves.`,
    );
  });
  if (definitions === undefined) return;
  cpSync(join(source, definitions), join(target, 'definitions'), { recursive: true });
  chmodSync(join(target, 'definitions'), 0o755); // Go's cache is read-only
}
