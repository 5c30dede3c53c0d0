import { type Ingress, type IngressClass, type ObjectKey, objectKey } from '../../gateway-api/index.ts';
import type { IngressFault, Lookup, NativeOptions } from './options.ts';

/** Which Gateway an Ingress is for. Undefined: it is none of ours. */
export type ClassGateway = ({ readonly gateway: ObjectKey } | { readonly fault: IngressFault }) & {
  /** Its class is one of ingress-nginx, whose status another controller writes. */
  readonly isAdopted?: true;
};

const defaultClass = 'ingressclass.kubernetes.io/is-default-class';

/** `spec.controller` of classes of ingress-nginx: its default, and those of its documentation for several controllers in one cluster. */
const nginxController = /^k8s\.io\/[-.a-z0-9]*ingress-nginx[-.a-z0-9]*$/;

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
  if (name !== undefined && name !== '') return gatewayOf(name, lookup, options);
  if (!options.withoutClass) return undefined;
  const ours = ([...lookup.list('IngressClass')] as IngressClass[])
    .filter((each) => each.spec.controller === options.controllerName || isAdopted(each.metadata.name, each, options))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const standard = ours.find(({ metadata: { annotations } }) => annotations?.[defaultClass] === 'true') ?? ours[0];
  return standard && gatewayOf(standard.metadata.name, lookup, options);
}

/**
 * A class that is to be adopted may be missing: the annotation names classes without one, and uninstalling ingress-nginx removes its class while clients
 * still come.
 */
const isAdopted = (name: string, found: IngressClass | undefined, { adopt }: NativeOptions): boolean =>
  adopt.includes(name) && (found === undefined || nginxController.test(found.spec.controller ?? ''));

function gatewayOf(name: string, lookup: Lookup, options: NativeOptions): ClassGateway | undefined {
  const found = lookup.find('IngressClass', name) as IngressClass | undefined;
  if (isAdopted(name, found, options)) return { ...usualGateway(name, 'is adopted', options), isAdopted: true };
  if (found?.spec.controller !== options.controllerName) return undefined;
  const { parameters } = found.spec;
  if (parameters === undefined) return usualGateway(name, 'has no parameters', options);
  if (parameters.kind !== 'Gateway' || parameters.apiGroup !== 'gateway.networking.k8s.io')
    return noGateway(name, `has parameters of kind ${parameters.kind}: name a Gateway of gateway.networking.k8s.io`);
  if (parameters.scope !== 'Namespace' || parameters.namespace === undefined)
    return noGateway(name, 'names its Gateway without a namespace: set scope to Namespace, and namespace');
  return { gateway: objectKey(parameters.namespace, parameters.name) };
}

const usualGateway = (name: string, why: 'is adopted' | 'has no parameters', { gateway }: NativeOptions) => {
  if (gateway !== undefined) return { gateway };
  const place = why === 'is adopted' ? '' : 'there, or ';
  return noGateway(name, `${why}: name a Gateway ${place}in ingress.gateway of the configuration`);
};

const noGateway = (name: string, message: string) => ({
  fault: { reason: 'NoGateway', message: `IngressClass ${name} ${message}`, isWhole: true as const },
});
