import { objectKey } from '../../gateway-api/index.ts';
import type { StatusContext } from '../../graph/engine/index.ts';
import type { RouteObject, RuleSpec } from '../../graph/model/index.ts';
import { rulesOf } from '../../graph/routes/index.ts';
import { isListenerOwner } from '../policies/index.ts';
import type { Policy } from './groups/index.ts';

type TargetRef = Policy['spec']['targetRefs'][number];

/** Where `upgrades.connect` of a policy opens nothing, and what to change. Of Gateways and listeners nothing is said: it is for whichever of their routes have tunnels. */
export const tunnelNotes = (policy: Policy, { store }: StatusContext): readonly string[] =>
  policy.spec.upgrades?.connect === undefined
    ? []
    : policy.spec.targetRefs.flatMap((ref) => {
        const key = objectKey(policy.metadata.namespace, ref.name);
        const route = isListenerOwner(ref.kind) ? undefined : (store.find(ref.kind, key) as RouteObject | undefined);
        const fault = route && faultOf(ref, route);
        return fault === undefined ? [] : [`upgrades.connect opens nothing at ${ref.kind} ${key}: ${fault}`];
      });

function faultOf({ sectionName }: TargetRef, route: RouteObject): string | undefined {
  const rules = rulesOf(route).filter(({ name }) => sectionName === undefined || name === sectionName);
  const opening = rules.filter(({ matches = [] }) => matches.some(isOfTunnels));
  if (opening.length === 0) return 'give a rule of it a match with method CONNECT and no path';
  const bad = opening.flatMap(
    ({ backendRefs = [] }) => backendRefs.find(({ kind = 'Service' }) => !takeBytes.has(kind)) ?? [],
  );
  if (bad.length < opening.length) return undefined;
  return `its backend ${bad[0]?.kind} ${bad[0]?.name} takes no bytes: name a Service, a ServiceImport or an XBackend`;
}

const takeBytes: ReadonlySet<string> = new Set(['Service', 'ServiceImport', 'XBackend']);

type Match = NonNullable<RuleSpec['matches']>[number];

const isOfTunnels = ({ method, path: { type = 'PathPrefix', value = '/' } = {} }: Match): boolean =>
  method === 'CONNECT' && type === 'PathPrefix' && value === '/';
