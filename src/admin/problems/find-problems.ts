import type { Severity } from '../../problems/index.ts';
import { counted } from '../../std/index.ts';
import { inTurns, type Steps } from '../../std/steps/index.ts';
import type { Trouble } from '../../traffic/index.ts';
import { askRejectedNames } from '../backends/ask-rejected-names.ts';
import { listBackends, type RejectedNames } from '../backends/backend-record.ts';
import { KeptByGraph, originOf } from '../resource/kept.ts';
import type { AdminSources } from '../sources.ts';
import { snapshotMissing } from '../summary/warnings.ts';
import { askStanding } from '../traffic/standing.ts';
import { ofAIServices } from './of-ai-services.ts';
import { ofBackends } from './of-backends.ts';
import { ofCertificates } from './of-certificates.ts';
import { ofClasses } from './of-classes.ts';
import { ofGateways } from './of-conditions.ts';
import { ofFiles } from './of-files.ts';
import { ofIngress, ofIngresses } from './of-ingresses.ts';
import { ofMishaps } from './of-mishaps.ts';
import { ofNodes } from './of-nodes.ts';
import { ofRevocationLists } from './of-revocation-lists.ts';
import { ofRoutes } from './of-routes.ts';
import { ofObjects } from './of-statuses.ts';
import { ofTargets } from './of-targets.ts';
import { ofTokenPolicies } from './of-token-policies.ts';
import { ofTraffic } from './of-traffic.ts';
import { type Finding, toProblems } from './problem.ts';
import type { ProblemRecord, ProblemsRecord } from './record.ts';
import { ofShadowedMatches } from './shadowed-matches.ts';

/** Everything that is wrong now, the worst first, or all that is wrong with some objects. Looks at every object and asks proxies for names: for readers, not for the path of an event. */
export async function findProblems(
  sources: AdminSources,
  isWanted: (finding: Finding) => boolean = () => true,
): Promise<ProblemRecord[]> {
  const [rejectedNames, { troubles }] = await Promise.all([
    askRejectedNames([...listBackends(sources.graph)], sources),
    askStanding(sources),
  ]);
  const ofHosts = await keptOfHosts.of(sources.graph).get(
    () => originOf(sources.graph),
    () => inTurns(present(ofManyHosts(sources))),
  );
  const rest = await inTurns(present(findings(sources, rejectedNames, troubles)));
  // Before those with the same message become one problem of the first of them.
  return toProblems([...rest, ...ofHosts].map(ofIngress).filter(isWanted));
}

/** Of routes and hosts there may be tens of thousands, and the graph alone decides about them. */
const keptOfHosts = new KeptByGraph<readonly Finding[]>();

function* ofManyHosts(sources: AdminSources): Generator<Finding | undefined> {
  yield* ofRoutes(sources);
  yield* ofShadowedMatches(sources);
}

/** With turns for other requests in between: there may be tens of thousands of objects. */
function* present(findings: Iterable<Finding | undefined>): Steps<Finding[]> {
  const found: Finding[] = [];
  for (const finding of findings) {
    if (finding !== undefined) found.push(finding);
    yield;
  }
  return found;
}

/** Undefined is an object with which nothing is wrong. */
function* findings(
  sources: AdminSources,
  rejectedNames: RejectedNames,
  troubles: readonly Trouble[],
): Generator<Finding | undefined> {
  yield* ofControlPlane(sources);
  yield* ofMishaps(sources);
  yield* ofTraffic(troubles);
  yield* ofBackends(sources, rejectedNames);
  yield* ofGateways(sources);
  yield* ofClasses(sources);
  yield* ofObjects(sources);
  yield* ofTargets(sources);
  yield* ofTokenPolicies(sources);
  yield* ofIngresses(sources);
  yield* ofNodes(sources);
  yield* ofFiles(sources);
  yield* ofAIServices(sources);
  yield* ofCertificates(sources);
  yield* ofRevocationLists(sources);
}

function ofControlPlane({ graph, replicas, unreadable, stores }: AdminSources): Finding[] {
  const missing = graph.snapshot() === undefined ? [snapshotMissing] : [];
  const object = { kind: 'ControlPlane', namespace: '', name: '' };
  return [...missing, ...replicas.warnings(), ...unreadable(), ...stores()].map((warning) => ({
    ...warning,
    object,
  }));
}

/** One word and one sentence for all of them. */
export function verdictOf(
  problems: readonly ProblemRecord[],
  { graph, nodes }: Pick<AdminSources, 'graph' | 'nodes'>,
): Pick<ProblemsRecord, 'verdict' | 'sentence'> {
  const count = (severity: Severity) => problems.filter((problem) => problem.severity === severity).length;
  const [failing, warnings] = [count('failing'), count('warning')];
  if (graph.snapshot() === undefined)
    return { verdict: 'unknown', sentence: `Not known yet: ${snapshotMissing.message}.` };
  if (failing + warnings === 0) {
    const { gateways, routes } = graph.snapshot()?.counts ?? { gateways: 0, routes: 0 };
    const proxies = nodes.list().filter(({ connected }) => connected).length;
    const what = `${counted(gateways, 'Gateway')}, ${counted(routes, 'route')}, ${counted(proxies, 'proxy', 'proxies')}`;
    return { verdict: 'ok', sentence: `Everything is all right: ${what} on the newest configuration.` };
  }
  const parts = [
    ...(failing > 0 ? [counted(failing, 'problem')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  return { verdict: failing > 0 ? 'failing' : 'warning', sentence: `${parts.join(', ')}.` };
}
