import { type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import type { Edge, Lookup } from '../../graph/engine/index.ts';

export type TokenPolicyObject = ObjectByKind['TokenPolicy'];

export type TargetKind = 'HTTPRoute' | 'AIService';

/** How targets go by in the index. */
const targetOf = (kind: TargetKind, key: string): string => `${kind} ${key}`;

/** What TokenPolicies are for. */
export const tokenPolicyEdges = {
  target: {
    to: { HTTPRoute: (key) => targetOf('HTTPRoute', key), AIService: (key) => targetOf('AIService', key) },
    targets: ({ metadata, spec }) =>
      spec.targetRefs.map(({ kind, name }) => targetOf(kind as TargetKind, objectKey(metadata.namespace ?? '', name))),
    marks: (source, { dirty }) => dirty.markStatus('TokenPolicy', source),
  },
} as const satisfies Record<string, Edge<'TokenPolicy'>>;

/** The header that identifies keys of a policy; undefined where none is needed. */
const headerOf = ({ spec: { key } }: TokenPolicyObject): string | undefined => {
  if (key?.type === 'Header') return key.header;
  return key?.type === 'JWTClaim' ? 'authorization' : undefined;
};

/** Headers that the budgets of a route, or of services that it uses, need to see; undefined: there are no budgets. */
export function budgetHeadersOf(
  route: string,
  services: readonly string[],
  { edges, store }: Lookup,
): string[] | undefined {
  const targets = [targetOf('HTTPRoute', route), ...services.map((key) => targetOf('AIService', key))];
  const keys = new Set(targets.flatMap((target) => [...edges.of(tokenPolicyEdges.target).sourcesOf(target)]));
  if (keys.size === 0) return undefined;
  const headers = [...keys].flatMap((key) => {
    const policy = store.find('TokenPolicy', key);
    return (policy && headerOf(policy)) ?? [];
  });
  return [...new Set(headers)].sort();
}
