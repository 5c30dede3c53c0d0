import { mergedFields } from '../kit/merge.ts';
import type { SourceObject } from '../kit/objects.ts';
import { type Output, objectOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import { type Fields, isFields } from '../kit/values.ts';
import { closedSpec } from './access.ts';
import type { Frontends } from './gateways.ts';
import type { Moving } from './moving.ts';
import { noteOf, type Policy, type PolicyKind } from './policy.ts';
import { clientTrafficPolicy } from './tables/client-traffic.ts';
import { refsOf, type Target } from './targets.ts';

export const clientTrafficPolicies: PolicyKind = { table: clientTrafficPolicy, protects: true };

const kinds = ['Gateway', 'ListenerSet'];

/** What the policies say of certificates of clients, for the Gateways that ask for them; the key is `NAMESPACE/NAME`. */
export function frontendsOf(policies: readonly Policy[], moving: Moving): Frontends {
  const found = new Map<string, Fields>();
  for (const policy of policies) {
    const validation = policy.draft.of('Frontend');
    if (validation === undefined) continue;
    for (const target of policy.targets.filter(
      ({ kind, namespace, name }) => moving.nameAfter(kind, namespace, name) !== undefined,
    )) {
      const part = frontendAt(target, validation, policy, moving);
      const key = `${target.namespace}/${target.name}`;
      if (part !== undefined) found.set(key, withPorts(found.get(key), part));
    }
  }
  return found;
}

/** Ports of two policies are put together. */
function withPorts(known: Fields | undefined, part: Fields): Fields {
  const perPort = [known?.perPort, part.perPort].flatMap((list) => (Array.isArray(list) ? list : []));
  const [first] = perPort;
  return {
    // The field is required; a Gateway that asks at one port alone asks for nothing at the others.
    ...mergedFields(known, part),
    ...(first !== undefined && { perPort }),
  };
}

function frontendAt(target: Target, validation: Fields, policy: Policy, moving: Moving): Fields | undefined {
  if (!Array.isArray(validation.caCertificateRefs)) {
    policy.notes.push({
      ...noteOf('cannot', 'tls.clientValidation', 'a Gateway asks for certificates of authorities that it knows'),
      blocks: true,
    });
    return undefined;
  }
  if (target.kind === 'ListenerSet') {
    policy.notes.push({
      ...noteOf('cannot', 'tls.clientValidation', 'Gateways ask for certificates, and ListenerSets do not'),
      blocks: true,
    });
    return undefined;
  }
  if (target.sectionName === undefined) return { default: { validation } };
  const listeners = moving.objects.find('Gateway', target.namespace, target.name)?.spec.listeners;
  const all = Array.isArray(listeners) ? listeners.filter(isFields) : [];
  const port = all.find(({ name }) => name === target.sectionName)?.port;
  if (typeof port !== 'number') return undefined;
  if (all.some((listener) => listener.port === port && listener.name !== target.sectionName))
    policy.notes.push(noteOf('differs', 'tls.clientValidation', `all listeners of port ${port} ask for certificates`));
  return { default: {}, perPort: [{ port, tls: { validation } }] };
}

/** ClientTrafficPolicies as ListenerPolicies, with what EnvoyProxies say of listeners. */
export function convertClients(
  policies: readonly Policy[],
  shown: ReadonlyMap<SourceObject, Fields>,
  moving: Moving,
  output: Output,
): readonly Converted[] {
  const left = new Map(shown);
  const converted = policies.map((policy): Converted => {
    const { source, id, draft, notes, targets } = policy;
    const targetRefs = refsOf(targets, moving, kinds);
    if (targetRefs.length === 0)
      return {
        id,
        outcome: 'left',
        notes: [noteOf('no-effect', 'targetRefs', 'nothing that it is for is moved'), ...notes],
      };
    const isClosed = policy.isClosed || (notes.some(({ blocks }) => blocks) && !policy.isForced);
    const file = `${source.namespace}/clienttrafficpolicy-${source.name}.yaml`;
    const add = (kind: string, name: string, spec: Fields | undefined) => {
      if (spec !== undefined)
        output.add(
          file,
          objectOf('gatewright.dev/v1alpha1', kind, source.namespace, name, { targetRefs, ...spec }),
          kind === 'ListenerPolicy' ? notes : [],
        );
    };
    const whole = targets.flatMap(({ kind, namespace, name, sectionName }) =>
      kind === 'Gateway' && sectionName === undefined ? (moving.objects.find(kind, namespace, name) ?? []) : [],
    );
    const [gateway] = whole;
    const proxy = whole.length === 1 && gateway !== undefined ? left.get(gateway) : undefined;
    if (proxy !== undefined && gateway !== undefined) left.delete(gateway);
    add('ListenerPolicy', source.name, mergedFields(proxy, draft.of('ListenerPolicy')));
    add('TrafficPolicy', `${source.name}-clients`, draft.of('TrafficPolicy'));
    add('AccessPolicy', `${source.name}-clients`, isClosed ? closedSpec : draft.of('AccessPolicy'));
    return { id, outcome: isClosed ? 'closed' : 'converted', notes };
  });
  for (const [{ namespace, name }, spec] of left)
    output.add(
      `${namespace}/gateway-${name}.yaml`,
      objectOf('gatewright.dev/v1alpha1', 'ListenerPolicy', namespace, `${name}-proxy`, {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: moving.newName(name) }],
        ...spec,
      }),
    );
  return converted;
}
