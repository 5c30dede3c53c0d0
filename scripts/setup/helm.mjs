import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheDir, helmPath, versions } from '../paths.mjs';
import { ensurePinnedGo, GO_ENVIRONMENT } from './go.mjs';
import { SetupError, timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';
import { run } from './run.mjs';

const MODULE = `helm.sh/helm/v${versions.HELM.split('.')[0]}`;

/** Sees to it that Helm is there for the tests of charts: `$HELM_PATH`, else built from its Go module. */
export async function ensureHelm() {
  if (process.env.HELM_PATH) {
    if (existsSync(helmPath())) return;
    throw new SetupError(`HELM_PATH: there is no ${helmPath()}`);
  }
  if (existsSync(helmPath())) return;
  await locked(join(cacheDir(), 'helm/lock'), async () => {
    if (existsSync(helmPath())) return;
    const go = await ensurePinnedGo('Helm, which tests render charts with; or set HELM_PATH to one');
    await timed(`building Helm ${versions.HELM} (takes minutes, once)`, () =>
      publish(dirname(helmPath()), (folder) => build(go, folder)),
    );
  });
}

/** @param {string} go @param {string} folder where to put the program */
async function build(go, folder) {
  const cwd = mkdtempSync(join(tmpdir(), 'gatewright-helm-')); // a module of its own
  const env = { ...GO_ENVIRONMENT, CGO_ENABLED: '0' };
  const flags = `-s -w -X ${MODULE}/internal/version.version=v${versions.HELM}`;
  try {
    await run(go, ['mod', 'init', 'gatewright/helm'], { cwd, env, quiet: true });
    await run(go, ['mod', 'edit', `-require=${MODULE}@v${versions.HELM}`], { cwd, env });
    const output = join(folder, 'helm');
    await run(go, ['build', '-mod=mod', '-trimpath', '-ldflags', flags, '-o', output, `${MODULE}/cmd/helm`], {
      cwd,
      env,
    });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
