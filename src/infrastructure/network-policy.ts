import type { InfrastructureSettings, ProxyAccess, ProxyPort } from './gateway-proxies.ts';
import { type ProxyObject, proxyObject } from './object.ts';
import type { PlacedProxies } from './placed-proxies.ts';
import { adminPort } from './pod-template.ts';

/** The library's own type writes `from` in another way than the API. */
interface IngressRule {
  readonly ports: readonly ProxyPort[];
  readonly from?: readonly object[];
}

const controlPlaneLabels = { 'app.kubernetes.io/name': 'gatewright', 'app.kubernetes.io/component': 'control-plane' };

/**
 * Admits every client to the listeners, the control plane to the agent, and no client to other ports. Where pods connect to is their
 * users' business. Undefined where none is asked for, and on the network of nodes, which no policy is for. Probes come from
 * the node, and networks let these in.
 */
export function networkPolicyOf(gateway: PlacedProxies, settings: InfrastructureSettings): ProxyObject | undefined {
  const { networkPolicy: access } = settings;
  const { networkPolicy: isAsked = true, hostNetwork } = gateway.parameters ?? {};
  if (access === undefined || !isAsked || hostNetwork) return undefined;
  const spec = {
    podSelector: { matchLabels: gateway.place.selector },
    policyTypes: ['Ingress'],
    ingress: [...toListeners(gateway.ports), toAgent(access)],
  };
  return proxyObject('NetworkPolicy', gateway, { spec });
}

/** A rule without ports would be one for all ports. */
function toListeners(ports: readonly ProxyPort[]): IngressRule[] {
  const distinct = new Map(ports.map(({ port, protocol }) => [`${protocol} ${port}`, { port, protocol }]));
  if (distinct.size === 0) return [];
  const inOrder = [...distinct.values()].sort((a, b) => a.port - b.port || a.protocol.localeCompare(b.protocol));
  return [{ ports: inOrder }];
}

const toAgent = ({ controlPlaneNamespace, metricsFrom }: ProxyAccess): IngressRule => ({
  ports: [{ port: adminPort, protocol: 'TCP' }],
  from: [
    {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': controlPlaneNamespace } },
      podSelector: { matchLabels: controlPlaneLabels },
    },
    ...metricsFrom,
  ],
});
