import { ruleLabel } from '../../../../gateway-api/index.ts';
import type { wire } from '../../tools/index.ts';
import { clusterText, lines, mostListed, paragraphs } from '../cluster-text.ts';
import type { Texts } from '../texts/index.ts';
import type { KnownObject } from '../understand/resolve.ts';
import {
  type Answer,
  type Answering,
  type Finding,
  nameOf,
  type Page,
  type ProblemList,
  problemLines,
} from './answering.ts';
import { mentionsAnswer } from './mentions.ts';
import { percent } from './requests.ts';

const isBackend = ({ kind }: KnownObject): boolean =>
  ['Service', 'ServiceImport', 'XBackend', 'InferencePool', 'AIService'].includes(kind);

/** Who refers to the objects that the question names. */
export async function* usersAnswer(answering: Answering): Answer {
  const { frame, call, say } = answering;
  const parts: string[] = [];
  for (const missing of frame.names.missing.slice(0, 2)) parts.push(yield* mentionsAnswer(missing, answering));
  // A route and its Service often have one name; who asks for users does not mean the route.
  const used = frame.objects.filter(({ kind }) => !kind.endsWith('Route'));
  for (const object of (used.length > 0 ? used : frame.objects).slice(0, 3)) {
    const users = yield* usersOf(object, call);
    const names = [...new Set(users.map(nameOf))];
    parts.push(
      names.length === 0
        ? say.noUsers(nameOf(object))
        : paragraphs(
            say.users(nameOf(object)),
            lines(names.slice(0, mostListed)),
            names.length > mostListed && say.more(names.length - mostListed),
          ),
    );
  }
  return parts.length === 0 ? say.whoUsesWhat : paragraphs(...parts);
}

async function* usersOf(
  { kind, namespace, name }: KnownObject,
  call: Answering['call'],
): Finding<readonly KnownObject[]> {
  if (isBackend({ kind, namespace, name })) {
    const { entries } = (yield* call('list_backends', { namespace, service: name })) as Page<wire.BackendAnswer>;
    return entries.flatMap(({ referencedBy }) => referencedBy);
  }
  if (kind === 'Certificate') {
    const { entries } = (yield* call('list_certificates', { namespace, name })) as Page<wire.CertificateAnswer>;
    return entries.flatMap(({ usedBy }) => usedBy.map((user) => ({ namespace: '', ...user })));
  }
  if (kind === 'Gateway') {
    const { entries } = (yield* call('list_routes', { gateway: `${namespace}/${name}` })) as Page<wire.RouteAnswer>;
    return entries;
  }
  return [];
}

/** Where a route sends requests, with the share of each backend. */
export async function* targetsAnswer(answering: Answering): Answer {
  const { frame, call, say } = answering;
  const parts: string[] = [];
  for (const missing of frame.names.missing.slice(0, 2)) parts.push(yield* mentionsAnswer(missing, answering));
  for (const route of frame.objects.filter(({ kind }) => kind.endsWith('Route')).slice(0, 3)) {
    const found = (yield* call('get_route', { ...route })) as wire.RouteAnswer;
    const rules = found.rules
      .slice(0, mostListed)
      .map((rule, at) => say.rule(clusterText(ruleLabel(at, rule.name)), backendsText(rule, route.namespace, say)));
    const names = [
      ...new Set(found.rules.flatMap(({ backendRefs = [] }) => backendRefs.map(({ name }) => name))),
    ].slice(0, 19);
    const problems = (yield* call('list_problems', { names: [route.name, ...names] })) as ProblemList;
    const own = problems.problems.filter(
      ({ object }) => object.kind !== 'Node' && object.namespace === route.namespace,
    );
    parts.push(
      paragraphs(
        say.targets(nameOf(route)),
        lines(rules),
        found.rules.length > mostListed && say.more(found.rules.length - mostListed),
        own.length > 0 && paragraphs(say.foundProblems, problemLines(own, own.length, answering)),
      ),
    );
  }
  return parts.length === 0 ? say.noRoute : paragraphs(...parts);
}

function backendsText({ backendRefs = [] }: wire.RouteAnswer['rules'][number], namespace: string, say: Texts): string {
  if (backendRefs.length === 0) return say.noBackend;
  const all = backendRefs.reduce((sum, { weight = 1 }) => sum + weight, 0);
  if (all === 0) return say.noWeight;
  return backendRefs
    .slice(0, mostListed)
    .map(
      ({ kind = 'Service', namespace: of = namespace, name, port, weight = 1 }) =>
        `${percent(weight / all)} ${clusterText(`${kind} ${of}/${name}${port === undefined ? '' : `:${port}`}`)}`,
    )
    .join(', ');
}

/** Whether backends have endpoints. */
export async function* endpointsAnswer(answering: Answering): Answer {
  const { frame, call, say } = answering;
  const parts: string[] = [];
  for (const missing of frame.names.missing.slice(0, 2)) parts.push(yield* mentionsAnswer(missing, answering));
  const services = frame.objects.filter(isBackend);
  for (const service of services.slice(0, 3)) {
    const { entries } = (yield* call('list_backends', {
      namespace: service.namespace,
      service: service.name,
    })) as Page<wire.BackendAnswer>;
    const facts = entries.map(({ port, endpoints }) =>
      say.endpointsReady(port, endpoints.filter(({ healthy }) => healthy).length, endpoints.length),
    );
    const { problems } = (yield* call('list_problems', {
      names: [service.name],
      namespace: service.namespace,
      area: 'backend',
    })) as ProblemList;
    parts.push(
      paragraphs(
        `${nameOf(service)}:`,
        lines(facts.length > 0 ? facts : [say.notUsed(nameOf(service))]),
        problemLines(problems, problems.length, answering),
      ),
    );
  }
  if (parts.length > 0) return paragraphs(...parts);
  const { total, problems } = (yield* call('list_problems', { area: 'backend' })) as ProblemList;
  if (total > 0) return paragraphs(say.backends, problemLines(problems, total, answering));
  return say.allEndpoints(((yield* call('list_backends', { limit: 1 })) as Page<unknown>).total);
}

interface PolicyEntry extends KnownObject {
  readonly targetRefs: readonly { readonly kind: string; readonly name: string }[];
  readonly faults: readonly unknown[];
}

const policyKinds = ['AccessPolicy', 'BackendPolicy', 'ListenerPolicy', 'TokenPolicy', 'BackendTLSPolicy'];

/** Policies with their targets, and what is wrong with them. */
export async function* policiesAnswer(answering: Answering): Answer {
  const { frame, call, say } = answering;
  const { objects } = frame;
  const found: PolicyEntry[] = [];
  for (const kind of policyKinds)
    found.push(...((yield* call('list_objects', { kind, limit: 100 })) as Page<PolicyEntry>).entries);
  const wanted =
    objects.length === 0 ? found : found.filter((policy) => objects.some((object) => concerns(policy, object)));
  if (wanted.length === 0)
    return objects.length === 0 ? say.noPolicies : say.noPoliciesFor(objects.slice(0, 3).map(nameOf).join(', '));
  const { problems } = (yield* call('list_problems', { area: 'object' })) as ProblemList;
  const own = problems.filter(({ object }) =>
    wanted.some(
      ({ kind, name, namespace }) => object.kind === kind && object.name === name && object.namespace === namespace,
    ),
  );
  const fine = wanted
    .filter(({ faults }) => faults.length === 0)
    .map((policy) => `${nameOf(policy)} ${say.policyFor(targetsText(policy))}: ${say.inEffect}`);
  return paragraphs(
    own.length > 0 && problemLines(own, own.length, answering),
    fine.length > 0 &&
      paragraphs(
        say.policies,
        lines(fine.slice(0, mostListed)),
        fine.length > mostListed && say.more(fine.length - mostListed),
      ),
  );
}

const targetsText = ({ targetRefs }: PolicyEntry): string =>
  clusterText(
    targetRefs
      .slice(0, 5)
      .map(({ kind, name }) => `${kind} ${name}`)
      .join(', '),
  );

const concerns = (policy: PolicyEntry, object: KnownObject): boolean =>
  (policy.kind === object.kind && policy.name === object.name && policy.namespace === object.namespace) ||
  (policy.namespace === object.namespace &&
    policy.targetRefs.some(({ kind, name }) => kind === object.kind && name === object.name));
