import { createHash } from 'node:crypto';
import { objectKey, splitKey } from '../gateway-api/index.ts';
import type { GatewayProxies } from './gateway-proxies.ts';

/** Says that an object is ours to change and to delete; what is watched is selected by it. */
export const managedByLabel = { name: 'app.kubernetes.io/managed-by', value: 'gatewright' } as const;
/** Names the Gateway, as GEP-1762 asks. A hash stands in for names that are too long for a label. */
export const gatewayNameLabel = 'gateway.networking.k8s.io/gateway-name';
/** `NAMESPACE/NAME` of the Gateway: an annotation, for it may be longer than a label. Read to find the way back. */
export const gatewayAnnotation = 'gatewright.dev/gateway';
/** Digest of what we applied last: unequal means that we wish something else now. */
export const digestAnnotation = 'gatewright.dev/applied';

/** Longest label value, and longest name of a Service. */
const MAX_LENGTH = 63;
const PREFIX = 'gatewright-';

/**
 * Name of the ServiceAccount, Deployment and Service of a Gateway: `gatewright-NAME`, or, where that is no name for a
 * Service (longer than 63 characters, or with dots), the start of it and a hash of the Gateway's whole name.
 */
export function objectName(gatewayName: string): string {
  const plain = PREFIX + gatewayName;
  return plain.length <= MAX_LENGTH && !gatewayName.includes('.') ? plain : shortened(plain);
}

/** The ServiceAccount that the proxies of a Gateway (`NAMESPACE/NAME`) run as; undefined when that is no such key. */
export function accountOf(gatewayKey: string): { readonly namespace: string; readonly name: string } | undefined {
  const { namespace, name } = splitKey(gatewayKey);
  if (namespace === '' || name === '' || name.includes('/')) return undefined;
  return { namespace, name: objectName(name) };
}

/** The Gateway's name as a label value: itself where it fits. */
export const gatewayLabelValue = (gatewayName: string): string =>
  gatewayName.length <= MAX_LENGTH ? gatewayName : shortened(gatewayName);

function shortened(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 10);
  const start = name.slice(0, MAX_LENGTH - hash.length - 1).replaceAll('.', '-');
  return `${start.replace(/-+$/, '')}-${hash}`;
}

/** Labels of everything that is made for a Gateway: its own `infrastructure` labels, which cannot replace ours. */
export function labelsOf({ name, labels }: GatewayProxies): Record<string, string> {
  return {
    ...labels,
    ...selectorOf(name),
    'app.kubernetes.io/name': 'gatewright-proxy',
    'app.kubernetes.io/component': 'data-plane',
  };
}

/** Labels that tell the Gateway's pods from all others of the namespace. A Deployment's selector can never change. */
export const selectorOf = (gatewayName: string): Record<string, string> => ({
  [managedByLabel.name]: managedByLabel.value,
  [gatewayNameLabel]: gatewayLabelValue(gatewayName),
});

export const annotationsOf = ({ namespace, name, annotations }: GatewayProxies): Record<string, string> => ({
  ...annotations,
  [gatewayAnnotation]: objectKey(namespace, name),
});
