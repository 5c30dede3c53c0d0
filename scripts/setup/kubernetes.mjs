import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { kubernetesDir, otherKubernetesDir, root, testbedDir } from '../paths.mjs';
import { ensurePinnedGo } from './go.mjs';
import { SetupError, say, timed } from './progress.mjs';
import { run } from './run.mjs';

const PROGRAMS = ['kube-apiserver', 'etcd', 'kubectl'];
const WITHOUT = 'kube-apiserver and etcd; or set KUBEBUILDER_ASSETS to a folder that has them';

/** Sees to it that an API server and its store are there for tests: `$KUBEBUILDER_ASSETS`, else built from source. */
export async function ensureKubernetes() {
  const missing = PROGRAMS.filter((program) => !isExecutable(join(kubernetesDir(), program)));
  if (process.env.KUBEBUILDER_ASSETS) {
    if (missing.length === 0) return;
    throw new SetupError(`KUBEBUILDER_ASSETS: no ${missing.join(', ')} in ${kubernetesDir()}`);
  }
  // The mark is made when all programs are in place; test/cluster takes care of versions and of concurrent builds.
  if (missing.length === 0 && existsSync(join(testbedDir(), 'apiserver.done'))) return;
  await ensurePinnedGo(WITHOUT);
  await timed('building kube-apiserver and etcd (takes minutes, once)', () =>
    run(join(root, 'test/cluster/cluster'), ['build', '--api-server-only', '--dir', testbedDir()]),
  );
}

/**
 * Builds the API server of another version of Kubernetes, for tests of that version.
 * @param {string} version such as `1.31.14`
 */
export async function ensureOtherKubernetes(version) {
  if (!/^1\.\d+\.\d+$/.test(version))
    throw new SetupError(`--kubernetes takes a version, such as 1.31.14, and not ${version || 'nothing'}`);
  const folder = otherKubernetesDir(version);
  if (!isExecutable(join(folder, 'kube-apiserver'))) {
    await ensurePinnedGo(`kube-apiserver ${version}`);
    await timed(`building kube-apiserver ${version} (takes minutes, once)`, () =>
      run(join(root, 'test/cluster/cluster'), ['build', '--api-server', version, '--dir', testbedDir()]),
    );
  }
  say(`kube-apiserver ${version} is in ${folder}: tests take it with KUBEBUILDER_ASSETS=${folder}`);
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
