import {
  type EnvoyResourceRecord,
  envoyResourceRecord,
  type SnapshotRecord,
  snapshotRecord,
} from '../../admin/index.ts';
import { isProblem, severityOf } from '../../gateway-api/index.ts';
import type { ObjectStatus, Preview } from '../../offline/preview/index.ts';
import { type SaidCondition, scopesOf } from '../kit/conditions.ts';
import { type OutputFormat, render } from '../kit/output.ts';
import { table } from '../kit/table.ts';
import { ingressLine, ingressStatusRecord } from './ingress-status.ts';

/** What files can be turned into. */
export const translations = ['ir', 'envoy', 'status'] as const;

/** Envoy resources by the service that delivers them. */
export const discoveryTypes = {
  lds: 'Listener',
  rds: 'ScopedRouteConfiguration',
  cds: 'Cluster',
  eds: 'ClusterLoadAssignment',
  sds: 'Secret',
  ecds: 'TypedExtensionConfig',
} as const;

export interface TranslateOptions {
  readonly to: (typeof translations)[number];
  /** Only these Envoy resources. */
  readonly type?: keyof typeof discoveryTypes | undefined;
  /** A table of statuses and YAML of all else when nothing is said. */
  readonly output?: OutputFormat | undefined;
}

/** What was previewed, as text. */
export function translationText(preview: Preview, { to, type, output }: TranslateOptions): string {
  switch (to) {
    case 'ir':
      return render(snapshotRecord(preview.snapshot, preview.graph), output ?? 'yaml', irTable);
    case 'envoy':
      return render(envoyRecords(preview, type), output ?? 'yaml', envoyTable);
    case 'status':
      return render(
        [...preview.statuses.map(statusRecord), ...preview.ingresses.map(ingressStatusRecord)],
        output ?? 'table',
        () => statusTable(preview),
      );
  }
}

interface GatewayRecord {
  readonly gateway: string;
  readonly resources: readonly EnvoyResourceRecord[];
}

const envoyRecords = ({ envoy }: Preview, type: TranslateOptions['type']): GatewayRecord[] =>
  envoy.map(({ gateway, resources }) => ({
    gateway,
    resources: resources
      .filter(({ typeUrl }) => type === undefined || shortType(typeUrl) === discoveryTypes[type])
      .map(envoyResourceRecord),
  }));

/** `Listener` for `type.googleapis.com/envoy.config.listener.v3.Listener`. */
const shortType = (typeUrl: string): string => typeUrl.slice(typeUrl.lastIndexOf('.') + 1);

const envoyTable = (gateways: readonly GatewayRecord[]): string =>
  table(
    gateways.flatMap(({ gateway, resources }) => resources.map((resource) => ({ gateway, ...resource }))),
    [
      { heading: 'gateway', cell: ({ gateway }) => gateway },
      { heading: 'type', cell: ({ typeUrl }) => shortType(typeUrl) },
      { heading: 'name', cell: ({ name }) => name },
      { heading: 'version', cell: ({ version }) => version },
    ],
  );

const irTable = ({ routes, streams }: SnapshotRecord): string =>
  table(
    [
      ...routes.map(({ gateway, table: id, host, id: route, rule }) => ({
        gateway,
        id,
        host,
        route,
        does: (rule as { readonly action: { readonly kind: string } }).action.kind,
      })),
      ...streams.map(({ gateway, table: id, host, source = '' }) => ({
        gateway,
        id,
        host,
        route: source,
        does: 'stream',
      })),
    ],
    [
      { heading: 'gateway', cell: ({ gateway }) => gateway },
      { heading: 'port', cell: ({ id }) => id },
      { heading: 'host', cell: ({ host }) => host },
      { heading: 'route', cell: ({ route }) => route },
      { heading: 'does', cell: ({ does }) => does },
    ],
  );

/** Whether a proxy would do all that the object says. An object of another controller is not ours to accept. */
export const isAccepted = ({ kind, status }: ObjectStatus): boolean =>
  status === undefined
    ? unowned(kind) !== unattached
    : !scopesOf(status).some(({ conditions }) => conditions.some(isProblem));

/** For programs. Null: whether it is accepted is for another controller to say, or nothing uses it. */
const statusRecord = (object: ObjectStatus) => {
  const { kind, namespace, name, status } = object;
  if (status !== undefined) return { kind, namespace, name, accepted: isAccepted(object), status };
  const accepted = isAccepted(object) ? null : false;
  return { kind, namespace, name, accepted, status: null, message: unowned(kind) };
};

interface StatusLine {
  readonly object: Pick<ObjectStatus, 'namespace' | 'name'> & { readonly kind: string };
  readonly scope: string;
  readonly conditions: readonly SaidCondition[];
  readonly message: string;
}

const statusTable = ({ statuses, ingresses }: Preview): string =>
  table<StatusLine>(
    [
      ...statuses.flatMap((object) =>
        object.status === undefined
          ? [{ object, scope: '', conditions: [], message: unowned(object.kind) }]
          : scopesOf(object.status).map(({ scope, conditions }) => ({ object, scope, conditions, message: '' })),
      ),
      ...ingresses.map(ingressLine),
    ],
    [
      { heading: 'kind', cell: ({ object }) => object.kind },
      { heading: 'namespace', cell: ({ object }) => object.namespace },
      { heading: 'name', cell: ({ object }) => object.name },
      { heading: 'at', cell: ({ scope }) => scope },
      { heading: 'accepted', cell: ({ conditions }) => stateOf(conditions, 'Accepted') },
      { heading: 'resolved', cell: ({ conditions }) => stateOf(conditions, 'ResolvedRefs') },
      { heading: 'message', cell: ({ conditions, message }) => message || faultsOf(conditions) },
    ],
  );

const unattached = 'it leads to no Gateway of our classes among these files';

/** Why nothing is said of an object. */
function unowned(kind: string): string {
  if (kind === 'GatewayClass' || kind === 'Gateway') return 'another controller has its class';
  return kind.endsWith('Route') || kind === 'ListenerSet' ? unattached : 'nothing here uses it';
}

/** Of several that one Ingress became, the worst. */
function stateOf(conditions: readonly SaidCondition[], wanted: string): string {
  const all = conditions.filter(({ type }) => type === wanted).map(({ status }) => status);
  return all.find((status) => status !== 'True') ?? all[0] ?? '';
}

const faultsOf = (conditions: readonly SaidCondition[]): string =>
  conditions
    .filter((condition) => severityOf(condition) !== undefined)
    .map(({ reason, message }) => `${reason}: ${message}`)
    .join('; ');
