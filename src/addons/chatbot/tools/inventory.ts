import * as z from 'zod';
import { type AnyStatus, statusParts } from '../../../gateway-api/index.ts';
import { counted } from '../../../std/index.ts';
import { withQuery } from '../ask-admin.ts';
import { type ConditionRecord, faultsIn } from './conditions.ts';
import { type Tool, type ToolContext, tool } from './tool.ts';
import type { ResourceAnswer, RouteAnswer, SummaryAnswer } from './wire.ts';

const page = {
  limit: z.int().min(1).max(100).default(25).describe('How many entries at most'),
  offset: z.int().min(0).default(0).describe('How many to leave out before the first'),
};
const namespace = z.string().max(253).optional().describe('Only of this namespace');
const name = z.string().max(253).optional().describe('Only with this name');
const gateway = z.string().max(507).optional().describe('Only of this Gateway: NAMESPACE/NAME or NAME');

interface ListSpec {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly path: string;
  readonly one: string;
  readonly many: string;
  readonly filters: Readonly<Record<string, z.ZodType>>;
  readonly shorten?: (entry: never) => unknown;
}

/** A tool that shows a page of one of the admin API's lists. */
const list = ({ name, title, description, path, one, many, filters, shorten }: ListSpec): Tool =>
  tool({
    name,
    title,
    description,
    input: z.strictObject({ ...filters, ...page }),
    async run(input, { ask }) {
      const { body, total } = await ask({
        method: 'GET',
        path: withQuery(path, input as Readonly<Record<string, string | number>>),
      });
      const entries = body as readonly never[];
      const all = total ?? entries.length;
      const cut = entries.length < all ? `, of which ${entries.length} are shown` : '';
      return {
        summary: `${counted(all, one, many)}${cut}`,
        value: { total: all, entries: shorten ? entries.map(shorten) : entries },
      };
    },
  });

/** Rules are left to `get_route`: a list of them is too long. */
const shortRoute = ({ kind, namespace, name, hostnames, rules, accepted, resolvedRefs, parents }: RouteAnswer) => ({
  kind,
  namespace,
  name,
  hostnames,
  rules: rules.length,
  accepted,
  resolvedRefs,
  gateways: parents.map(({ parentRef }) => `${parentRef.namespace ?? namespace}/${parentRef.name}`),
  faults: parents.flatMap(({ conditions }) => faultsIn(conditions)),
});

/** What it is for, and what is wrong; the rest is too long for a list. */
const shortObject = ({ kind, namespace, name, resource: { spec, status } }: ResourceAnswer) => ({
  kind,
  namespace,
  name,
  targetRefs: spec?.targetRefs ?? [],
  faults: statusParts((status ?? {}) as AnyStatus<ConditionRecord>).flatMap(({ conditions }) => faultsIn(conditions)),
});

const getOne = async ({ ask }: ToolContext, path: string, summary: string) => ({
  summary,
  value: (await ask({ method: 'GET', path })).body,
});

const segment = encodeURIComponent;

/** What there is. */
export const inventoryTools: readonly Tool[] = [
  tool({
    name: 'summary',
    title: 'The state in numbers',
    description:
      'Counts of gateways, listeners, routes, backends, data planes and certificates, and warnings. Ask it first.',
    input: z.strictObject({}),
    async run(_, { ask }) {
      const value = (await ask({ method: 'GET', path: '/v1/summary' })).body as SummaryAnswer;
      const { gatewayCount, routeCount, nodeCount, warnings } = value;
      const counts = [counted(gatewayCount, 'Gateway'), counted(routeCount, 'route'), counted(nodeCount, 'data plane')];
      return { summary: `${counts.join(', ')}; ${counted(warnings.length, 'warning')}`, value };
    },
  }),
  list({
    name: 'list_gateways',
    title: 'Gateways',
    description: 'Gateways with addresses, listeners and conditions.',
    path: '/v1/gateways',
    one: 'Gateway',
    many: 'Gateways',
    filters: { namespace, name },
  }),
  list({
    name: 'list_listeners',
    title: 'Listeners',
    description: 'Listeners with port, protocol, hostname, certificates, number of routes and conditions.',
    path: '/v1/listeners',
    one: 'listener',
    many: 'listeners',
    filters: {
      namespace,
      gateway,
      hostname: z.string().max(253).optional().describe('Only with exactly this hostname'),
    },
  }),
  list({
    name: 'list_routes',
    title: 'Routes',
    description: 'Routes of every kind with hostnames, Gateways, and what is wrong with them. Rules are in get_route.',
    path: '/v1/routes',
    one: 'route',
    many: 'routes',
    filters: {
      kind: z
        .enum(['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'UDPRoute', 'TLSRoute'])
        .optional()
        .describe('Only of this kind'),
      namespace,
      name,
      gateway,
      hostname: z.string().max(253).optional().describe('Only with exactly this hostname'),
    },
    shorten: shortRoute,
  }),
  tool({
    name: 'get_route',
    title: 'One route',
    description: 'One route whole: parentRefs, hostnames, rules with matches, filters and backendRefs, conditions.',
    input: z.strictObject({
      kind: z.string().max(63).default('HTTPRoute').describe('HTTPRoute, GRPCRoute, TCPRoute, UDPRoute or TLSRoute'),
      namespace: z.string().max(253).default('default'),
      name: z.string().max(253),
    }),
    run: ({ kind, namespace, name }, context) =>
      getOne(
        context,
        `/v1/routes/${segment(kind.toLowerCase())}/${segment(namespace)}/${segment(name)}`,
        `${kind} ${namespace}/${name}`,
      ),
  }),
  list({
    name: 'list_backends',
    title: 'Backends',
    description: 'Ports of Services that routes forward to, with their endpoints and health.',
    path: '/v1/backends',
    one: 'backend',
    many: 'backends',
    filters: { namespace, service: z.string().max(253).optional().describe('Only of this Service') },
  }),
  tool({
    name: 'get_backend',
    title: 'One backend',
    description: 'One port of a Service that routes forward to: endpoints with their health, who refers to it, TLS.',
    input: z.strictObject({
      namespace: z.string().max(253).default('default'),
      name: z.string().max(260).describe('SERVICE:PORT, or SERVICE when only one port of it is used'),
    }),
    run: ({ namespace, name }, context) =>
      getOne(context, `/v1/backends/${segment(namespace)}/${segment(name)}`, `backend ${namespace}/${name}`),
  }),
  tool({
    name: 'topology',
    title: 'What depends on what',
    description:
      'Gateways, listeners, routes, backends and data planes as a graph: all by namespace, or what lies around one Gateway, name or object. An InferencePool leads to its picker, and has its latest picks.',
    input: z.strictObject({
      gateway,
      name,
      namespace,
      focus: z.string().max(600).optional().describe('Around this object: KIND/NAMESPACE/NAME'),
    }),
    async run(input, { ask }) {
      // A model has no use for thousands of nodes.
      const path = withQuery('/v1/topology', {
        ...input,
        ...(input.focus === undefined && input.name === undefined ? { group: 'namespace' } : { limit: '100' }),
      });
      const value = (await ask({ method: 'GET', path })).body as {
        readonly nodes: readonly unknown[];
        readonly edges: readonly unknown[];
      };
      return { summary: `${counted(value.nodes.length, 'node')}, ${counted(value.edges.length, 'edge')}`, value };
    },
  }),
  list({
    name: 'list_namespaces',
    title: 'Namespaces',
    description: 'Names of the namespaces that are declared or used.',
    path: '/v1/namespaces',
    one: 'namespace',
    many: 'namespaces',
    filters: {},
  }),
  list({
    name: 'list_objects',
    title: 'Objects of one kind',
    description:
      'Objects of any kind, policies and AIServices among them, with their targets and what is wrong with them. Kinds with a list of their own are better asked there.',
    path: '/v1/resources',
    one: 'object',
    many: 'objects',
    filters: { kind: z.string().max(63).optional().describe('Such as BackendPolicy'), namespace, name },
    shorten: shortObject,
  }),
  list({
    name: 'nodes',
    title: 'Data planes',
    description: 'Data planes with their streams: versions, what was sent, acknowledged and rejected (NACK), and why.',
    path: '/v1/nodes',
    one: 'data plane',
    many: 'data planes',
    filters: { gateway, name },
  }),
  list({
    name: 'list_certificates',
    title: 'Certificates',
    description:
      'Certificates with names, end, days left, state (valid, expiring, expired, unusable) and who uses them.',
    path: '/v1/certificates?sort=notAfter',
    one: 'certificate',
    many: 'certificates',
    filters: { namespace, name, hostname: z.string().max(253).optional().describe('Only for this DNS name') },
  }),
  list({
    name: 'recent_events',
    title: 'What happened',
    description:
      'The newest events first: snapshots, data planes that came, went, applied or rejected, changed objects.',
    path: '/v1/events/recent',
    one: 'event',
    many: 'events',
    filters: {
      types: z.string().max(60).optional().describe('Of snapshot, node, resource and problem, with commas'),
      since: z.iso.datetime({ offset: true }).optional().describe('Only what happened at this time or later'),
    },
  }),
];
