import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { kubernetesDir, root, testbedDir } from '../../../scripts/paths.mjs';
import { shell } from './shell.ts';

const testbed = join(root, 'test/cluster/cluster');

/** A cluster to test in, and how to talk to it. */
export interface Cluster {
  readonly kubeconfig: string;
  /** Ours to build, fill with images and throw away; false where `KUBECONFIG` named an existing cluster. */
  readonly isTestbed: boolean;
  /** Runs kubectl and resolves with what it printed. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
}

/** The cluster that `KUBECONFIG` names. Throws when it is not set. */
export function givenCluster(env: NodeJS.ProcessEnv = process.env): Cluster {
  if (!env.KUBECONFIG) throw new Error('KUBECONFIG is not set: run `npm run test:cluster`');
  return clusterOf(env.KUBECONFIG, env.GATEWRIGHT_TESTBED === 'up');
}

/**
 * The cluster that `KUBECONFIG` names, else a fresh testbed, which is built when it was not (minutes, once). The latter
 * needs root on Linux.
 *
 * @param build options of `cluster build`
 */
export async function openCluster(build: readonly string[] = []): Promise<Cluster> {
  if (process.env.KUBECONFIG) return givenCluster();
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new Error('a cluster of our own needs root on Linux; or set KUBECONFIG to a cluster, such as one of kind');
  }
  await runTestbed('build', ...build);
  await runTestbed('down'); // what an interrupted run left behind is no clean start
  const kubeconfig = (await runTestbed('up')).trim();
  return clusterOf(kubeconfig, true);
}

/** Runs a command of test/cluster/cluster. */
export const runTestbed = (...args: string[]): Promise<string> =>
  shell(testbed, args, { messages: 'inherit', env: { TESTBED_CACHE: testbedDir() } });

/** What tests, which are processes of their own, need to find the cluster by `givenCluster`. */
export const environmentOf = ({ kubeconfig, isTestbed }: Cluster): Record<string, string> => ({
  KUBECONFIG: kubeconfig,
  GATEWRIGHT_TESTBED: isTestbed ? 'up' : '',
});

function clusterOf(kubeconfig: string, isTestbed: boolean): Cluster {
  const built = join(kubernetesDir(), 'kubectl');
  const program = existsSync(built) ? built : 'kubectl';
  return {
    kubeconfig,
    isTestbed,
    kubectl: (args, input) => shell(program, args, { env: { KUBECONFIG: kubeconfig }, input }),
  };
}
