import type { ClusterChoice } from './kube-config.ts';
import type { Finding } from './precheck.ts';

/** What `precheck` finds in a cluster, for programs and for people. */
export async function checkCluster(
  choice: ClusterChoice,
): Promise<{ readonly findings: readonly Finding[]; readonly textOf: (findings: readonly Finding[]) => string }> {
  // Loading the Kubernetes client takes longer than most commands.
  const [{ precheck, precheckText }, { loadKubeConfig }] = await Promise.all([
    import('./precheck.ts'),
    import('./kube-config.ts'),
  ]);
  return { findings: await precheck(loadKubeConfig(choice)), textOf: precheckText };
}
