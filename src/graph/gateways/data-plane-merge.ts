import type { DataPlaneSpec } from '../../gateway-api/index.ts';

/** Fields that set the same thing in two ways: the level that sets one unsets the other. */
const rivals: readonly (readonly [keyof DataPlaneSpec, keyof DataPlaneSpec])[] = [['replicas', 'autoscaling']];

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
  const left = rivals.flatMap((pair) => (pair.some((field) => ofGateway[field] !== undefined) ? pair : []));
  const base = Object.fromEntries(Object.entries(ofClass).filter(([field]) => !left.includes(field as never)));
  return mergeFields(base, ofGateway as Fields, merged) as DataPlaneSpec;
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
