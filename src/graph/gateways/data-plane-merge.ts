import type { DataPlaneSpec } from '../../gateway-api/index.ts';

type Field = keyof DataPlaneSpec;

/** Fields that set the same thing in several ways. A level that sets the number of proxies unsets what sets it below. */
const ofNumber: readonly Field[] = ['replicas', 'autoscaling'];
/** Of a DataPlane that has a proxy on each node, and of one that has a number of them. */
const ofDeployment: readonly Field[] = [...ofNumber, 'podDisruptionBudget'];

function unsetBy(over: DataPlaneSpec): readonly Field[] {
  if (over.workload === 'DaemonSet') return ofDeployment;
  return ofNumber.some((field) => over[field] !== undefined) ? [...ofNumber, 'workload'] : [];
}

/** Fields whose own fields, or entries, are merged. All others are taken whole, lists included. */
const merged: ReadonlySet<string> = new Set<keyof DataPlaneSpec>([
  'service',
  'resources',
  'logLevel',
  'accessLog',
  'failures',
  'cache',
  'nodeSelector',
  'podAnnotations',
  'podLabels',
]);

/** The same within `service` and `resources`. */
const mergedWithin: ReadonlySet<string> = new Set(['annotations', 'labels', 'requests', 'limits']);

/** What a GatewayClass's DataPlane and a Gateway's own say together: of each field, the Gateway's where it has one. */
export function mergeDataPlanes(ofClass: DataPlaneSpec, ofGateway: DataPlaneSpec): DataPlaneSpec {
  const left = unsetBy(ofGateway);
  const base = Object.fromEntries(Object.entries(ofClass).filter(([field]) => !left.includes(field as never)));
  const { service } = base as DataPlaneSpec;
  const below = service ? { ...base, service: withoutType(service, ofGateway.service) } : base;
  return mergeFields(below, ofGateway as Fields, merged) as DataPlaneSpec;
}

type Service = NonNullable<DataPlaneSpec['service']>;

/** Two ways to say what type the Service has: a level that uses one of them unsets the other below it. */
function withoutType(service: Service, over: Service | undefined): Service {
  if (over?.type === undefined && over?.routability === undefined) return service;
  const { type: _, routability: __, ...rest } = service;
  return rest;
}

type Fields = Readonly<Record<string, unknown>>;

function mergeFields(base: Fields, over: Fields, deeper: ReadonlySet<string>): Fields {
  const both = Object.entries(over).map(([name, value]) => {
    const below = base[name];
    const isMerged = deeper.has(name) && isFields(below) && isFields(value);
    return [name, isMerged ? mergeFields(below, value, mergedWithin) : value] as const;
  });
  return { ...base, ...Object.fromEntries(both) };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
