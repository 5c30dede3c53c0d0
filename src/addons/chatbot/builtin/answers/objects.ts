import type { Diagnosis } from '../../tools/diagnose.ts';
import type { wire } from '../../tools/index.ts';
import type { Problem } from '../../tools/list-problems.ts';
import { clusterText, lines, paragraphs } from '../cluster-text.ts';
import type { KnownObject } from '../understand/resolve.ts';
import {
  type Answer,
  type Answering,
  type Finding,
  isSame,
  nameOf,
  type Page,
  type ProblemList,
  problemLines,
} from './answering.ts';
import { mentionsAnswer } from './mentions.ts';

/** So many objects of one name are looked at. */
const mostObjects = 3;

/** What is wrong with the objects that the question names, and with what they depend on. */
export async function* objectAnswer(answering: Answering): Answer {
  const { frame } = answering;
  const parts: string[] = [];
  for (const missing of frame.names.missing.slice(0, 2)) parts.push(yield* mentionsAnswer(missing, answering));
  for (const object of frame.objects.slice(0, mostObjects)) parts.push(yield* oneObject(object, answering));
  return paragraphs(...parts);
}

async function* oneObject(object: KnownObject, answering: Answering): Answer {
  const { call, say } = answering;
  const { known, facts, related } = yield* aboutObject(object, answering);
  if (!known) return say.noSuchKind(object.kind, clusterText(`${object.namespace}/${object.name}`));
  const names = [...new Set([object, ...related].map(({ name }) => name))].slice(0, 20);
  const { problems } = (yield* call('list_problems', { names })) as ProblemList;
  const own = problems.filter((problem) => isOf(problem, object));
  const others = problems.filter(
    (problem) => !own.includes(problem) && related.some((each) => isOnTheWay(problem, each)),
  );
  const what = nameOf(object);
  return paragraphs(
    own.length === 0 ? say.nothingWrong(what) : say.faults(what, own.length),
    own.length > 0 && problemLines(own, own.length, answering),
    others.length > 0 && paragraphs(say.related, problemLines(others, others.length, answering)),
    lines(facts),
  );
}

/** A problem of `SERVICE:PORT` is one of the Service, one of a listener one of its Gateway. */
function isOf({ object }: Problem, wanted: KnownObject): boolean {
  if (isSame(object, wanted)) return true;
  if (object.kind === 'Listener' && wanted.kind === 'Listener') return object.name === wanted.name;
  if (object.kind === 'Backend')
    return (
      ['Service', 'ServiceImport', 'XBackend', 'InferencePool', 'AIService'].includes(wanted.kind) &&
      object.namespace === wanted.namespace &&
      object.name.startsWith(`${wanted.name}:`)
    );
  if (object.kind === 'Listener' && wanted.kind === 'Gateway')
    return object.name.startsWith(`${wanted.namespace}.${wanted.name}.`);
  return false;
}

/** Another listener of the Gateway is no matter of the route. */
function isOnTheWay(problem: Problem, related: Related): boolean {
  if (problem.object.kind !== 'Listener') return isOf(problem, related);
  return (
    related.section !== undefined && problem.object.name === `${related.namespace}.${related.name}.${related.section}`
  );
}

interface Related extends KnownObject {
  /** Of a parent, the listener that is named. */
  readonly section?: string | undefined;
}

interface AboutObject {
  readonly known: boolean;
  readonly facts: readonly string[];
  /** What it depends on. */
  readonly related: readonly Related[];
}

async function* aboutObject(object: KnownObject, answering: Answering): Finding<AboutObject> {
  const { kind } = object;
  if (kind.endsWith('Route')) return yield* aboutRoute(object, answering);
  if (kind === 'Service') return yield* aboutService(object, answering);
  if (['Listener', 'Certificate', 'Node', 'Namespace', 'Secret'].includes(kind))
    return { known: true, facts: [], related: [] };
  const { found, facts } = (yield* answering.call('diagnose', { ...object })) as Diagnosis;
  return {
    known: found || (yield* isThere(object, answering)),
    facts: kind === 'Gateway' ? facts.map((fact) => clusterText(fact)) : [],
    related: [],
  };
}

/** The API's lists have only what is ours, such as Gateways of our classes. */
async function* isThere(object: KnownObject, { call }: Answering): Finding<boolean> {
  const words = [object.namespace === '' ? object.name : `${object.namespace}/${object.name}`];
  const found = (yield* call('find_objects', { words })) as readonly wire.FoundAnswer[];
  return found.some(({ matches }) => matches.some((match) => match.by === 'name' && isSame(match.object, object)));
}

async function* aboutRoute({ kind, namespace, name }: KnownObject, { call, say }: Answering): Finding<AboutObject> {
  const found = (yield* call('diagnose', { kind, namespace, name })) as Diagnosis;
  if (!found.found) return { known: false, facts: [], related: [] };
  const route = (yield* call('get_route', { kind, namespace, name })) as wire.RouteAnswer;
  const parents = route.parents.map(({ parentRef }) => ({
    kind: parentRef.kind ?? 'Gateway',
    namespace: parentRef.namespace ?? namespace,
    name: parentRef.name,
    section: parentRef.sectionName,
  }));
  const backends = route.rules
    .flatMap(({ backendRefs = [] }) => backendRefs)
    .map((ref) => ({ kind: ref.kind ?? 'Service', namespace: ref.namespace ?? namespace, name: ref.name }));
  return {
    known: true,
    facts: [
      say.hostnames(clusterText(route.hostnames.slice(0, 10).join(', ')) || say.anyHost),
      parents.length === 0 ? say.attachedNowhere : say.attachedAt(parents.slice(0, 5).map(nameOf).join(', ')),
    ],
    related: [...parents, ...backends],
  };
}

async function* aboutService(object: KnownObject, { call, say }: Answering): Finding<AboutObject> {
  const { namespace, name } = object;
  const { entries } = (yield* call('list_backends', { namespace, service: name })) as Page<wire.BackendAnswer>;
  const facts = entries.map(({ port, endpoints }) =>
    say.endpointsReady(port, endpoints.filter(({ healthy }) => healthy).length, endpoints.length),
  );
  return { known: true, facts: facts.length > 0 ? facts : [say.notUsed(nameOf(object))], related: [] };
}
