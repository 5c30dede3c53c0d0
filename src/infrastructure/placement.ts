import type { V1PodSpec } from '@kubernetes/client-node';
import type { DataPlaneSpec } from '../gateway-api/index.ts';
import type { PlacedProxies } from './placed-proxies.ts';

/** Where pods run and what they are pulled with: fields of the pod that are taken as they were written. */
export function placementOf(
  { place }: Pick<PlacedProxies, 'place'>,
  {
    nodeSelector,
    tolerations,
    affinity,
    topologySpreadConstraints,
    priorityClassName,
    imagePullSecrets,
    hostNetwork,
  }: DataPlaneSpec,
): Partial<V1PodSpec> {
  const placement = {
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    ...(affinity && { affinity }),
    ...(topologySpreadConstraints && {
      // A class knows no Gateway's labels.
      topologySpreadConstraints: topologySpreadConstraints.map((constraint) => ({
        labelSelector: { matchLabels: place.selector },
        ...constraint,
      })),
    }),
    ...(priorityClassName && { priorityClassName }),
    ...(imagePullSecrets && { imagePullSecrets }),
    // Names of Services are known to the cluster's DNS alone, which pods of the node's network do not ask by default.
    ...(hostNetwork && { hostNetwork, dnsPolicy: 'ClusterFirstWithHostNet' }),
  };
  return placement as Partial<V1PodSpec>;
}
