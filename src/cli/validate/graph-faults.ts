import {
  idleRules,
  ofAIServices,
  ofCertificates,
  ofShadowedMatches,
  ofTargets,
  ofTokenPolicies,
} from '../../admin/index.ts';
import { isRouteKind, type KindName, kinds } from '../../gateway-api/index.ts';
import type { Preview } from '../../offline/preview/index.ts';
import type { Finding } from '../../offline/validate/index.ts';
import { nearestKey } from '../../std/index.ts';

export interface GraphFault extends Pick<Finding, 'severity' | 'message' | 'hint'> {
  readonly at: { readonly kind: string; readonly namespace: string; readonly name: string };
}

/** What no condition says: what is named may be in a cluster, and time and weights are no fault of a reference. So these are warnings. */
export function graphFaults(made: Preview, { now }: { readonly now: Date }): GraphFault[] {
  return [...unknownClasses(made), ...missingTargets(made), ...idle(made), ...certificates(made, now)].map((fault) => ({
    severity: 'warning',
    ...fault,
  }));
}

type Warning = Omit<GraphFault, 'severity'>;

/** Where there are no classes among the files, they are in the cluster. */
function* unknownClasses({ graph, assumedClasses }: Preview): Generator<Warning> {
  const known = [...graph.list('GatewayClass')]
    .map(({ metadata }) => metadata.name)
    .filter((name) => !assumedClasses.includes(name));
  if (known.length === 0) return;
  for (const { metadata, spec } of graph.list('Gateway')) {
    if (!assumedClasses.includes(spec.gatewayClassName)) continue;
    const near = nearestKey(spec.gatewayClassName, known);
    yield {
      at: { kind: 'Gateway', namespace: metadata.namespace ?? '', name: metadata.name },
      message: `there is no GatewayClass ${JSON.stringify(spec.gatewayClassName)} among these files`,
      hint: near === undefined ? `there is ${known.join(', ')}` : `did you mean ${near}?`,
    };
  }
}

function* missingTargets({ graph }: Preview): Generator<Warning> {
  for (const { object, message } of ofTargets({
    graph,
    reads: undefined,
    availability: () => ({ available: true, message: '' }),
  }))
    yield { at: object, message: `${message} (among these files)` };
}

function* idle({ graph }: Preview): Generator<Warning> {
  for (const { object, message } of ofTokenPolicies({ graph })) yield { at: object, message };
  for (const { object, message } of ofAIServices({ graph })) yield { at: object, message };
  for (const found of ofShadowedMatches({ graph }))
    if (found)
      yield { at: found.object, message: found.message, hint: 'in a cluster, the older of the two goes first' };
  for (const kind of (Object.keys(kinds) as KindName[]).filter(isRouteKind))
    for (const route of graph.list(kind)) {
      const { namespace = '', name } = route.metadata;
      for (const message of idleRules(route)) yield { at: { kind, namespace, name }, message };
    }
}

/** What ends, or has ended; whether it can be used, conditions say. */
function* certificates({ graph }: Preview, now: Date): Generator<Warning> {
  for (const { code, object, message } of ofCertificates({ graph, now: () => now }))
    if (code !== 'certificate_missing' && code !== 'certificate_unusable')
      yield { at: { ...object, kind: 'Secret' }, message: `its certificate ${message}` };
}
