import { objectKey, splitKey } from './keys.ts';

/** No name of Kubernetes has a colon, so that no Gateway's key is the key of a shared fleet. */
const mark = 'class:';

/**
 * Key of the proxies that serve together, which is what their nodes call their cluster: of a Gateway's own proxies the
 * Gateway's, `NAMESPACE/NAME`; of those that all Gateways of a class share `NAMESPACE/class:GATEWAYCLASS`, by the
 * namespace they run in.
 */
export const sharedFleetKey = (namespace: string, gatewayClass: string): string =>
  objectKey(namespace, `${mark}${gatewayClass}`);

/** The class whose Gateways share the fleet of this key, and where it runs; undefined where it is a Gateway's own. */
export function sharedFleetOf(key: string): { readonly namespace: string; readonly gatewayClass: string } | undefined {
  const { namespace, name } = splitKey(key);
  return name.startsWith(mark) ? { namespace, gatewayClass: name.slice(mark.length) } : undefined;
}
