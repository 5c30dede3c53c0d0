import type { GraphView } from '../../graph/index.ts';
import { parseRouteId } from '../../ir/index.ts';
import { type Failure, gatewayFinder, parseRule, type Subject } from '../../traffic/index.ts';
import { invalidQuery } from '../http/index.ts';
import { findRouteKind } from '../routes/route-kinds.ts';
import { backendOf } from '../traffic/groups.ts';

/** Which failures are asked for. */
export interface FailureFilter {
  readonly route?: { readonly kind: string; readonly namespace: string; readonly name: string } | undefined;
  /** `SERVICE:PORT` or `NAMESPACE/SERVICE:PORT` */
  readonly backend?: string | undefined;
  /** `NAMESPACE/NAME` */
  readonly gateway?: string | undefined;
  readonly host?: string | undefined;
  readonly flag?: string | undefined;
  /** `503` or `5xx` */
  readonly status?: string | undefined;
}

/** Throws a 400 for what is no filter. */
export function readFilter(query: ReadonlyMap<string, string>): FailureFilter {
  const form = (name: string, shape: RegExp, expected: string): string | undefined => {
    const text = query.get(name);
    if (text === undefined || shape.test(text)) return text;
    throw invalidQuery(name, `expected ${expected}`);
  };
  return {
    route: routeOf(form('route', /^[A-Za-z]+\/[^/]+\/[^/]+$/, 'KIND/NAMESPACE/NAME')),
    backend: form('backend', /^(?:[^/]+\/)?[^/:]+:\d+$/, 'SERVICE:PORT or NAMESPACE/SERVICE:PORT'),
    gateway: form('gateway', /^[^/]+\/[^/]+$/, 'NAMESPACE/NAME'),
    host: query.get('host')?.toLowerCase(),
    flag: form('flag', /^[A-Za-z0-9]{1,16}$/, 'a flag such as UF')?.toUpperCase(),
    status: form('status', /^(?:\d{1,3}|[1-5]xx)$/, 'a status such as 503, or 5xx'),
  };
}

function routeOf(text: string | undefined): FailureFilter['route'] {
  if (text === undefined) return undefined;
  const { kind: word, namespace, name } = parseRouteId(text);
  const kind = findRouteKind(word.toLowerCase());
  if (kind === undefined) throw invalidQuery('route', 'expected a kind of route such as HTTPRoute');
  return { kind, namespace, name };
}

/** Whether a subject of counts is asked for, as far as these know. */
export function subjectTest(graph: GraphView, filter: FailureFilter): (subject: Subject) => boolean {
  const gatewayOf = gatewayFinder(graph);
  return ({ fleet, route, backend }) =>
    isOfRoute(route, filter.route) &&
    isOfBackend(backend, filter.backend) &&
    (filter.gateway === undefined || gatewayOf({ fleet, route }) === filter.gateway);
}

/** Whether a failure is asked for. */
export function failureTest(graph: GraphView, filter: FailureFilter): (failure: Failure) => boolean {
  const isOfSubject = subjectTest(graph, filter);
  const { host, flag, status } = filter;
  return (failure) =>
    isOfSubject(failure) &&
    (host === undefined || hostOf(failure.host) === host || failure.host.toLowerCase() === host) &&
    (flag === undefined || failure.flags.includes(flag)) &&
    (status === undefined || isOfStatus(failure.status, status));
}

function isOfRoute(rule: string, wanted: FailureFilter['route']): boolean {
  if (wanted === undefined) return true;
  const route = parseRule(rule);
  return route?.kind === wanted.kind && route.namespace === wanted.namespace && route.name === wanted.name;
}

function isOfBackend(key: string, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  const backend = backendOf(key);
  return backend !== undefined && (backend.name === wanted || `${backend.namespace}/${backend.name}` === wanted);
}

const hostOf = (authority: string): string => authority.toLowerCase().replace(/:\d+$/, '');

const isOfStatus = (status: number, wanted: string): boolean =>
  wanted.endsWith('xx') ? Math.floor(status / 100) === Number(wanted[0]) : status === Number(wanted);
