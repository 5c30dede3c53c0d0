import type { DataPlaneSpec, ObjectByKind } from '../../gateway-api/index.ts';

/**
 * Fields by which a DataPlane decides what runs in the namespace of its proxies, and what of it they reach. In the Gateway's own
 * namespace that is up to those who write there; in one that is not theirs, to those who write GatewayClasses.
 */
const ofTheHost: readonly (keyof DataPlaneSpec)[] = [
  'image',
  'envoyImage',
  'imagePullPolicy',
  'imagePullSecrets',
  'hostNetwork',
  'podLabels',
  'podAnnotations',
  'bootstrap',
  'workload',
  'priorityClassName',
  'podPatch',
  'metrics',
];

export interface Guest {
  readonly gateway: ObjectByKind['Gateway'];
  /** Scope.proxiesNamespace */
  readonly proxiesNamespace: string | undefined;
}

/** Why a Gateway's own DataPlane asks for more than it may where its proxies run in a namespace of others. */
export function guestFault(spec: DataPlaneSpec, { gateway, proxiesNamespace }: Guest): string | undefined {
  if (proxiesNamespace === undefined || gateway.metadata.namespace === proxiesNamespace) return undefined;
  const asked = [
    ...ofTheHost.filter((field) => spec[field] !== undefined),
    ...(spec.cache?.encryptionKeyRef ? ['cache.encryptionKeyRef'] : []),
  ];
  if (asked.length === 0) return undefined;
  return `sets ${asked.join(', ')}, which only the DataPlane of a GatewayClass may while proxies run in namespace ${proxiesNamespace} (infrastructure.namespace): remove it there`;
}
