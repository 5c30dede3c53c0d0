import { objectKey } from '../gateway-api/index.ts';
import { parseFleetKey } from '../ir/index.ts';
import type { GatewayProxies, InfrastructureSettings } from './gateway-proxies.ts';
import { commonName, isProxiesKey, managedByLabel, objectName, ownerLabels } from './names.ts';
import type { Place, PlacedProxies } from './placed-proxies.ts';

/**
 * The place of the proxies with this key (`NAMESPACE/NAME` of a Gateway, or sharedFleetKey's): the namespace that the key
 * names, or the one where all proxies run, if there is one. Undefined when that is no such key.
 */
export function placeOf(key: string, commonNamespace?: string): Place | undefined {
  if (!isProxiesKey(key)) return undefined;
  const isCommon = commonNamespace !== undefined;
  const selector = { [managedByLabel.name]: managedByLabel.value, ...ownerLabels(key, isCommon) };
  if (isCommon) return { namespace: commonNamespace, name: commonName(key), selector };
  const { namespace, name } = parseFleetKey(key);
  return { namespace, name: objectName(name), selector };
}

/** The proxies in their place. Throws for proxies whose names are none. */
export function placed(
  gateway: GatewayProxies,
  { namespace, controllerName }: Pick<InfrastructureSettings, 'namespace' | 'controllerName'>,
): PlacedProxies {
  const key = objectKey(gateway.namespace, gateway.name);
  const place = placeOf(key, namespace);
  if (place === undefined) throw new Error(`${key} is no key of proxies`);
  return { ...gateway, place, controllerName };
}
