import { createHash } from 'node:crypto';
import { objectKey, parseObjectKey } from '../gateway-api/index.ts';
import { sharedFleetOf } from '../ir/index.ts';
import type { PlacedProxies } from './placed-proxies.ts';

/** Says that an object is ours to change and to delete; what is watched is selected by it. */
export const managedByLabel = { name: 'app.kubernetes.io/managed-by', value: 'gatewright' } as const;
/** Names the Gateway, as GEP-1762 asks. A hash stands in for names that are too long for a label. */
export const gatewayNameLabel = 'gateway.networking.k8s.io/gateway-name';
/** Names the GatewayClass whose Gateways share the proxies, in place of the Gateway. */
export const gatewayClassLabel = 'gatewright.dev/gateway-class';
/** Names the Gateway's namespace where the proxies of several namespaces run beside each other. */
export const gatewayNamespaceLabel = 'gatewright.dev/gateway-namespace';
/** `NAMESPACE/NAME` of the Gateway, or the key of shared proxies (sharedFleetKey): an annotation, for it may be longer than a label. Read to find the way back. */
export const gatewayAnnotation = 'gatewright.dev/gateway';
/** The `controllerName` of who made it, so that two control planes of one cluster leave each other's alone. An annotation: it has a slash. */
export const controllerAnnotation = 'gatewright.dev/controller';
/** Digest of what we applied last: unequal means that the desired object has changed. */
export const digestAnnotation = 'gatewright.dev/applied';

/** Longest label value, and longest name of a Service. */
const MAX_LENGTH = 63;
const PREFIX = 'gatewright-';
const CLASS_PREFIX = 'gatewayclass-';

/**
 * Name of the ServiceAccount, Deployment and Service of a Gateway in its own namespace: `gatewright-NAME`, or, where that is
 * no name for a Service (longer than 63 characters, or with dots), the start of it and a hash of the Gateway's whole name.
 * Of shared proxies (`class:NAME`) it is `gatewayclass-NAME`, which no Gateway's can be.
 */
export function objectName(proxiesName: string): string {
  const plain = plainName(proxiesName);
  return plain.length <= MAX_LENGTH && !plain.includes('.') ? plain : shortened(plain);
}

/**
 * The same where proxies of all namespaces run in one: it names the Gateway's namespace and ends with a hash of the whole key,
 * always. `a-b/c` and `a/b-c` differ by it, and it is long enough that no key can be found for a name that is taken.
 */
export function commonName(key: string): string {
  const { namespace, name } = parseObjectKey(key);
  const plain = classOf(name) === undefined ? `${PREFIX}${namespace}-${name}` : plainName(name);
  return withHash(plain, key, 20);
}

const classOf = (proxiesName: string): string | undefined => sharedFleetOf(objectKey('any', proxiesName))?.gatewayClass;

function plainName(proxiesName: string): string {
  const gatewayClass = classOf(proxiesName);
  return gatewayClass === undefined ? PREFIX + proxiesName : CLASS_PREFIX + gatewayClass;
}

/** Whether this can be the key of proxies: a Gateway's (`NAMESPACE/NAME`), or as sharedFleetKey makes it. */
export function isProxiesKey(key: string): boolean {
  const { namespace, name } = parseObjectKey(key);
  return namespace !== '' && name !== '' && !name.includes('/') && classOf(name) !== '';
}

/** The Gateway's name as a label value: itself where it fits. */
export const gatewayLabelValue = (gatewayName: string): string =>
  gatewayName.length <= MAX_LENGTH ? gatewayName : shortened(gatewayName);

const shortened = (name: string): string => withHash(name, name, 10);

/** The start of a name, and of a hash so many hexadecimal digits. */
function withHash(name: string, hashed: string, digits: number): string {
  const hash = createHash('sha256').update(hashed).digest('hex').slice(0, digits);
  const start = name.slice(0, MAX_LENGTH - digits - 1).replaceAll('.', '-');
  return `${start.replace(/-+$/, '')}-${hash}`;
}

/** Labels of everything that is made for a Gateway: its own `infrastructure` labels, which cannot replace ours. */
export function labelsOf({ place, labels }: PlacedProxies): Record<string, string> {
  return {
    ...usersLabels(labels),
    ...place.selector,
    'app.kubernetes.io/name': 'gatewright-proxy',
    'app.kubernetes.io/component': 'data-plane',
  };
}

/** Prefixes of labels that say whose proxies are whose: pods with more of them than their own would be taken for others'. */
const ourPrefixes: readonly string[] = ['gatewright.dev/', 'gateway.networking.k8s.io/'];

/** Labels that users ask for, as far as they may have them. */
export const usersLabels = (labels: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => !ourPrefixes.some((prefix) => name.startsWith(prefix))));

/** The labels that identify the proxies of a Gateway in their namespace. */
export function ownerLabels(key: string, isCommon: boolean): Record<string, string> {
  const { namespace, name } = parseObjectKey(key);
  const gatewayClass = classOf(name);
  if (gatewayClass !== undefined) return { [gatewayClassLabel]: gatewayLabelValue(gatewayClass) };
  return { [gatewayNameLabel]: gatewayLabelValue(name), ...(isCommon && { [gatewayNamespaceLabel]: namespace }) };
}

export const annotationsOf = ({ namespace, name, annotations }: PlacedProxies): Record<string, string> => ({
  ...annotations,
  [gatewayAnnotation]: objectKey(namespace, name),
});
