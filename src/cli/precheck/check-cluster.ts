import type { ClusterChoice } from '../kit/kube-config.ts';
import type { Finding } from './finding.ts';
import type { CheckedInstall } from './precheck.ts';

/** Options of `precheck`. */
export interface InstallChoice {
  /** `NAMESPACE,…` as in `source.kubernetes.namespaces`. */
  readonly namespaces?: string;
  /** As `infrastructure.namespace`. */
  readonly proxiesNamespace?: string;
  readonly installNamespace: string;
  readonly gatewayClass: string;
  /** The user is the control plane. */
  readonly running?: boolean;
  /** Who is looked at instead of the kubeconfig's user, who must be allowed to take that one's place. */
  readonly as?: string;
}

const installOf = (choice: InstallChoice): CheckedInstall => ({
  namespaces: choice.namespaces?.split(',').map((name) => name.trim()),
  proxiesNamespace: choice.proxiesNamespace,
  className: choice.gatewayClass,
  ownNamespace: choice.installNamespace,
  isRunning: choice.running ?? choice.as !== undefined,
});

/** What `precheck` finds in a cluster, for programs and for people. */
export async function checkCluster(
  choice: ClusterChoice & InstallChoice,
): Promise<{ readonly findings: readonly Finding[]; readonly textOf: (findings: readonly Finding[]) => string }> {
  // Loading the Kubernetes client takes longer than most commands.
  const [{ precheck, precheckText }, { loadKubeConfig }] = await Promise.all([
    import('./precheck.ts'),
    import('../kit/kube-config.ts'),
  ]);
  const config = loadKubeConfig(choice);
  const user = config.getCurrentUser();
  if (choice.as !== undefined && user) Object.assign(user, { impersonateUser: choice.as });
  return { findings: await precheck(config, installOf(choice)), textOf: precheckText };
}
