import { createHash } from 'node:crypto';
import { objectKey, sharedFleetOf, splitKey } from '../gateway-api/index.ts';
import type { GatewayProxies } from './gateway-proxies.ts';

/** Says that an object is ours to change and to delete; what is watched is selected by it. */
export const managedByLabel = { name: 'app.kubernetes.io/managed-by', value: 'gatewright' } as const;
/** Names the Gateway, as GEP-1762 asks. A hash stands in for names that are too long for a label. */
export const gatewayNameLabel = 'gateway.networking.k8s.io/gateway-name';
/** Names the GatewayClass whose Gateways share the proxies, in place of the Gateway. */
export const gatewayClassLabel = 'gatewright.dev/gateway-class';
/** `NAMESPACE/NAME` of the Gateway, or the key of shared proxies (sharedFleetKey): an annotation, for it may be longer than a label. Read to find the way back. */
export const gatewayAnnotation = 'gatewright.dev/gateway';
/** Digest of what we applied last: unequal means that we wish something else now. */
export const digestAnnotation = 'gatewright.dev/applied';

/** Longest label value, and longest name of a Service. */
const MAX_LENGTH = 63;
const PREFIX = 'gatewright-';
const CLASS_PREFIX = 'gatewayclass-';

/**
 * Name of the ServiceAccount, Deployment and Service of a Gateway: `gatewright-NAME`, or, where that is no name for a
 * Service (longer than 63 characters, or with dots), the start of it and a hash of the Gateway's whole name. Of shared
 * proxies (`class:NAME`) it is `gatewayclass-NAME`, which no Gateway's can be.
 */
export function objectName(proxiesName: string): string {
  const gatewayClass = classOf(proxiesName);
  const plain = gatewayClass === undefined ? PREFIX + proxiesName : CLASS_PREFIX + gatewayClass;
  return plain.length <= MAX_LENGTH && !plain.includes('.') ? plain : shortened(plain);
}

const classOf = (proxiesName: string): string | undefined => sharedFleetOf(objectKey('any', proxiesName))?.gatewayClass;

/** The ServiceAccount that the proxies of a Gateway (`NAMESPACE/NAME`), or of a class (sharedFleetKey), run as; undefined when that is no such key. */
export function accountOf(key: string): { readonly namespace: string; readonly name: string } | undefined {
  const { namespace, name } = splitKey(key);
  if (namespace === '' || name === '' || name.includes('/') || classOf(name) === '') return undefined;
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

/** Labels that tell these pods from all others of the namespace. A Deployment's selector can never change. */
export const selectorOf = (proxiesName: string): Record<string, string> => ({
  [managedByLabel.name]: managedByLabel.value,
  ...ownerLabel(proxiesName),
});

/** The label that tells whose proxies they are. */
export function ownerLabel(proxiesName: string): Record<string, string> {
  const gatewayClass = classOf(proxiesName);
  return gatewayClass === undefined
    ? { [gatewayNameLabel]: gatewayLabelValue(proxiesName) }
    : { [gatewayClassLabel]: gatewayLabelValue(gatewayClass) };
}

export const annotationsOf = ({ namespace, name, annotations }: GatewayProxies): Record<string, string> => ({
  ...annotations,
  [gatewayAnnotation]: objectKey(namespace, name),
});
