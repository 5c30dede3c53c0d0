import * as z from 'zod';
import { type AnyStatus, statusParts } from '../../../gateway-api/index.ts';
import { counted } from '../../../std/index.ts';
import { AdminRejection } from '../ask-admin.ts';
import { type ConditionRecord, type Fault, faultsIn } from './conditions.ts';
import { type ToolContext, tool } from './tool.ts';
import type { GatewayAnswer, ListenerAnswer, RouteAnswer } from './wire.ts';

/** What is wrong with one object, or that nothing is. */
export interface Diagnosis {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly found: boolean;
  readonly faults: readonly (Fault & { readonly where: string })[];
  /** Of a route: where it is attached and what it forwards to. */
  readonly facts: readonly string[];
}

export const diagnoseTool = tool({
  name: 'diagnose',
  title: 'What is wrong with one object',
  description:
    'Looks at one Gateway, ListenerSet, GatewayClass, route or policy: every condition that is not as it should be, with what it means and what to do.',
  input: z.strictObject({
    kind: z.string().max(63).describe('Such as HTTPRoute or Gateway'),
    namespace: z.string().max(253).default('default'),
    name: z.string().max(253),
  }),
  async run({ kind, namespace, name }, context) {
    const value = await diagnose(kind, namespace, name, context);
    const what = `${value.kind} ${namespace}/${name}`;
    if (!value.found) return { summary: `there is no ${what}`, value };
    return {
      summary:
        value.faults.length === 0
          ? `nothing is wrong with ${what}`
          : `${what}: ${counted(value.faults.length, 'fault')}`,
      value,
    };
  },
});

async function diagnose(kind: string, namespace: string, name: string, context: ToolContext): Promise<Diagnosis> {
  const lower = kind.toLowerCase();
  try {
    if (lower.endsWith('route') || ['http', 'grpc', 'tcp', 'udp', 'tls'].includes(lower))
      return await routeDiagnosis(lower, namespace, name, context);
    if (lower === 'gateway' || lower === 'gateways') return await gatewayDiagnosis(namespace, name, context);
    return await resourceDiagnosis(kind, namespace, name, context);
  } catch (error) {
    if (!(error instanceof AdminRejection) || error.status !== 404) throw error;
    return { kind, namespace, name, found: false, faults: [], facts: [error.message] };
  }
}

const segments = (...parts: readonly string[]): string => parts.map(encodeURIComponent).join('/');

async function routeDiagnosis(kind: string, namespace: string, name: string, { ask }: ToolContext): Promise<Diagnosis> {
  const route = (await ask({ method: 'GET', path: `/v1/routes/${segments(kind, namespace, name)}` }))
    .body as RouteAnswer;
  const parents = route.parents.map((parent) => ({
    ...parent,
    where: `${parent.parentRef.kind ?? 'Gateway'} ${parent.parentRef.namespace ?? namespace}/${parent.parentRef.name}`,
  }));
  return {
    kind: route.kind,
    namespace,
    name,
    found: true,
    faults: parents.flatMap(({ where, conditions }) => located(where, conditions)),
    facts: [
      `hostnames: ${route.hostnames.join(', ') || 'those of its listeners'}`,
      parents.length === 0
        ? 'no Gateway of ours is named in its parentRefs, or the one it names does not exist'
        : `attached at: ${parents.map(({ where }) => where).join(', ')}`,
      counted(route.rules.length, 'rule'),
    ],
  };
}

async function gatewayDiagnosis(namespace: string, name: string, { ask }: ToolContext): Promise<Diagnosis> {
  const gateway = (await ask({ method: 'GET', path: `/v1/gateways/${segments(namespace, name)}` }))
    .body as GatewayAnswer;
  const query = new URLSearchParams({ gateway: `${namespace}/${name}` });
  const listeners = (await ask({ method: 'GET', path: `/v1/listeners?${query}` })).body as readonly ListenerAnswer[];
  return {
    kind: 'Gateway',
    namespace,
    name,
    found: true,
    faults: [
      ...located('Gateway', gateway.conditions),
      ...listeners.flatMap((listener) => located(`listener ${listener.name}`, listener.conditions)),
    ],
    facts: [
      `addresses: ${gateway.addresses.map(({ value }) => value).join(', ') || 'none'}`,
      ...listeners.map(
        ({ name: listener, port, protocol, hostname, attachedRoutes }) =>
          `listener ${listener}: ${protocol} ${port}, hostname ${hostname ?? '*'}, ${counted(attachedRoutes, 'route')}`,
      ),
    ],
  };
}

/** Any other kind, by the status of its object: of a policy or set, conditions stand below ancestors, parents and listeners. */
async function resourceDiagnosis(
  kind: string,
  namespace: string,
  name: string,
  { ask }: ToolContext,
): Promise<Diagnosis> {
  const path = `/v1/resources/${segments(kind, namespace, name)}`;
  const record = (await ask({ method: 'GET', path })).body as {
    readonly kind: string;
    readonly resource: { readonly status?: unknown };
  };
  return { kind: record.kind, namespace, name, found: true, faults: statusFaults(record.resource.status), facts: [] };
}

const statusFaults = (status: unknown): Diagnosis['faults'] =>
  statusParts((status ?? {}) as AnyStatus<ConditionRecord>).flatMap(({ of, name, conditions }) =>
    located(of === 'object' ? 'status' : `${words[of]} ${name}`, conditions),
  );

const words = { listener: 'listener', parent: 'at', ancestor: 'for' } as const;

const located = (where: string, conditions: readonly ConditionRecord[]): Diagnosis['faults'] =>
  faultsIn(conditions).map((fault) => ({ where, ...fault }));
