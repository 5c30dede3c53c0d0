import { ingressOf, objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import type { IngressFault } from '../ingresses/served-ingress.ts';
import type { AdminSources } from '../sources.ts';
import type { Finding } from './problem.ts';

export function* ofIngresses({ ingresses }: Pick<AdminSources, 'ingresses'>): Generator<Finding | undefined> {
  for (const [ingress, { faults }] of ingresses.entries()) yield ingressFinding(ingress, faults);
}

/** Undefined: nothing is wrong. */
export function ingressFinding(ingress: string, faults: readonly IngressFault[]): Finding | undefined {
  const worst = faults.find(({ isWhole }) => isWhole) ?? faults[0];
  if (worst === undefined) return undefined;
  return {
    code: worst.isWhole ? 'ingress_not_served' : 'ingress_degraded',
    object: { kind: 'Ingress', ...parseObjectKey(ingress) },
    reason: worst.reason,
    message: [...new Set(faults.map(({ message }) => message))].join('; '),
  };
}

/** What is wrong with an object that was made of an Ingress is wrong with the Ingress: no user knows the object. */
export function ofIngress(finding: Finding): Finding {
  const ingress = ingressOf(objectKey(finding.object.namespace, finding.object.name));
  return ingress === undefined ? finding : { ...finding, object: { kind: 'Ingress', ...parseObjectKey(ingress) } };
}
