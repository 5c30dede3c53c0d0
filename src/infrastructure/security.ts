import type { V1PodSecurityContext, V1SecurityContext } from '@kubernetes/client-node';
import type { DataPlaneSpec } from '../gateway-api/index.ts';

/** Every user id but root's would do; distroless images use this one. */
const userId = 65532;

type Network = Pick<DataPlaneSpec, 'hostNetwork'>;

/** What the restricted pod security standard allows; on the network of nodes, as little more as it takes. */
export function podSecurity({ hostNetwork }: Network): V1PodSecurityContext {
  const seccompProfile = { type: 'RuntimeDefault' };
  // Ports below 1024 of a node are root's, and only root gets to use a capability that a container is given.
  if (hostNetwork) return { runAsUser: 0, runAsGroup: 0, seccompProfile };
  return {
    runAsNonRoot: true,
    runAsUser: userId,
    runAsGroup: userId,
    seccompProfile,
    // A listener's port is bound as it is written, 80 and 443 included, without any capability. Namespaced and on
    // Kubernetes' list of safe sysctls, so the restricted pod security standard allows it.
    sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }],
  };
}

/** Of every container. */
export const containerSecurity = ({ hostNetwork }: Network): V1SecurityContext => ({
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'], ...(hostNetwork && { add: ['NET_BIND_SERVICE'] }) },
  readOnlyRootFilesystem: true,
});
