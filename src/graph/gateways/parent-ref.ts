import type { ParentReference } from '../../gateway-api/index.ts';

const group = 'gateway.networking.k8s.io';

/** Key of the Gateway a parentRef names; undefined when it names something else. */
export function gatewayOfParent(ref: ParentReference, routeNamespace: string): string | undefined {
  if ((ref.group ?? group) !== group || (ref.kind ?? 'Gateway') !== 'Gateway') return undefined;
  return `${ref.namespace ?? routeNamespace}/${ref.name}`;
}
