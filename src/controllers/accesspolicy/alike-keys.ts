import * as ir from '../../ir/index.ts';
import { isListenerOwner } from '../policies/index.ts';
import { demandsPart, namespaceOf, type Policy } from './parts/index.ts';

/** A part of policies of one namespace, by what it says. */
export interface AlikePart {
  readonly part: ir.AccessPart;
  readonly key: string;
}

/** The parts by which a policy of routes is found beside others that have them too. None of a policy for listeners alone. */
export const alikePartsOf = (policy: Policy): readonly AlikePart[] =>
  routesOf(policy) === 0
    ? []
    : ir.accessParts.flatMap((part) => (demandsPart(policy.spec, part) ? { part, key: keyOfPart(part, policy) } : []));

/** How many routes and rules a policy is for: proxies keep its parts for each of them. */
export const routesOf = ({ spec }: Policy): number =>
  new Set(
    spec.targetRefs.flatMap(({ kind, name, sectionName = '' }) =>
      isListenerOwner(kind) ? [] : `${kind} ${name} ${sectionName}`,
    ),
  ).size;

const keyOfPart = (part: ir.AccessPart, policy: Policy): string =>
  `${namespaceOf(policy)} ${part} ${ir.formatDigest(ir.digestOf(contentOf(part, policy)))}`;

/** Of those of which one is enough, all. */
const contentOf = (part: ir.AccessPart, { spec }: Policy): object =>
  part === 'any'
    ? [spec.clientIPs, spec.clientCertificates, spec.apiKeys, spec.basicAuth, spec.jwt].map((each) => each ?? null)
    : (spec[part] ?? {});
