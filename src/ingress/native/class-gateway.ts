import { type Ingress, type IngressClass, type ObjectKey, objectKey } from '../../gateway-api/index.ts';
import type { IngressFault, Lookup, NativeOptions } from './options.ts';

/** Which Gateway an Ingress is for. Undefined: it is none of ours. */
export type ClassGateway = { readonly gateway: ObjectKey } | { readonly fault: IngressFault };

const defaultClass = 'ingressclass.kubernetes.io/is-default-class';

/**
 * By `spec.ingressClassName`, else by the annotation that was before it. The API server writes the default class into Ingresses that name none when
 * they are created; older ones are served where the configuration says so.
 */
export function classGateway(
  { metadata, spec }: Ingress,
  options: NativeOptions,
  lookup: Lookup,
): ClassGateway | undefined {
  const name = spec.ingressClassName ?? metadata.annotations?.['kubernetes.io/ingress.class'];
  if (name !== undefined && name !== '') return gatewayOf(lookup.find('IngressClass', name), options);
  if (!options.withoutClass) return undefined;
  const ours = ([...lookup.list('IngressClass')] as IngressClass[])
    .filter(({ spec: { controller } }) => controller === options.controllerName)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const standard = ours.find(({ metadata: { annotations } }) => annotations?.[defaultClass] === 'true');
  return gatewayOf(standard ?? ours[0], options);
}

function gatewayOf(object: unknown, { controllerName, gateway }: NativeOptions): ClassGateway | undefined {
  if (object === undefined) return undefined;
  const { metadata, spec } = object as IngressClass;
  if (spec.controller !== controllerName) return undefined;
  const fault = (message: string) => ({
    fault: { reason: 'NoGateway', message: `IngressClass ${metadata.name} ${message}`, isWhole: true as const },
  });
  const { parameters } = spec;
  if (parameters === undefined)
    return gateway === undefined
      ? fault('has no parameters: name a Gateway there, or in ingress.gateway of the configuration')
      : { gateway };
  if (parameters.kind !== 'Gateway' || parameters.apiGroup !== 'gateway.networking.k8s.io')
    return fault(`has parameters of kind ${parameters.kind}: name a Gateway of gateway.networking.k8s.io`);
  if (parameters.scope !== 'Namespace' || parameters.namespace === undefined)
    return fault('names its Gateway without a namespace: set scope to Namespace, and namespace');
  return { gateway: objectKey(parameters.namespace, parameters.name) };
}
