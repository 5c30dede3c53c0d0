import type * as ir from '../../ir/index.ts';
import { Interner } from '../../std/memory/index.ts';
import { sessionOfShare } from '../backends/index.ts';
import { filterBackends, type ResolvedFilters, rewriteOf } from '../filters/index.ts';
import type { BackendSessions, ConditionFault, SessionSpec } from '../model/index.ts';
import type { ResolvedRef } from './rule-references.ts';

export interface ResolvedForward {
  readonly action: ir.RouteAction;
  /** Of the backends that get requests, or that filters of these send requests to. */
  readonly keys: readonly string[];
  /** A filter of a backendRef that is not available. */
  readonly fault?: ConditionFault;
}

export interface ForwardTraits {
  /** The PathPrefix of the match, for rewrites of it. */
  readonly prefix: string | undefined;
  readonly invalidStatus: number;
  /** The rule itself makes something of Host. */
  readonly setsHost: boolean;
  readonly sessions: SessionTraits;
  /** What a backend allows of default retries, by its key. */
  readonly retriesOf: (backend: string) => ir.RetryLimit | undefined;
}

/** What backends and their policies say that is a part of routes, by ir.Backend.key. */
export interface BackendTraits {
  readonly sessionsOf: SessionTraits['of'];
  readonly retriesOf: ForwardTraits['retriesOf'];
}

/** What decides whether clients stay with endpoints. */
export interface SessionTraits {
  /** What a backend says itself, by its key. */
  readonly of: (backend: string) => BackendSessions;
  /** What the rule says. */
  readonly rule?: SessionSpec | undefined;
  /** Clients come over TLS. */
  readonly secure: boolean;
}

/** Of rules that only share out requests: all that lead to one Service have the same. */
const plain = new Interner(256);

const isPlain = (backend: ir.WeightedBackend): boolean => Object.keys(backend).length <= 2;

/**
 * The weighted backends of a rule. A reference that does not resolve keeps its weight and answers `invalidStatus` for it; a
 * rule without any backend that can serve answers so as a whole. Source: HTTPRouteRule.backendRefs.
 */
export function forwardOf(refs: readonly ResolvedRef[], traits: ForwardTraits): ResolvedForward {
  const { invalidStatus } = traits;
  const backends = refs.map((ref) => weightedBackend(ref, traits));
  const live = backends.some(({ backend, weight }) => backend !== undefined && weight > 0);
  const fault = refs.map(({ filters }) => backendFault(filters)).find((found) => found !== undefined);
  const action: ir.RouteAction = live
    ? { kind: 'forward', backends, invalidStatus }
    : { kind: 'respond', status: invalidStatus };
  return {
    action: backends.every(isPlain) ? plain.of(action) : action,
    keys: live ? [...backends.flatMap(keysOf), ...refs.flatMap(usesOf)] : [],
    ...(fault && { fault }),
  };
}

function weightedBackend(
  { weight, target, filters: resolved }: ResolvedRef,
  traits: ForwardTraits,
): ir.WeightedBackend {
  if (!('key' in target) || resolved.denied || backendFault(resolved)) return { weight };
  const { filters } = resolved;
  const rewrite = rewriteFor(target, rewriteOf(resolved, traits.prefix), traits.setsHost);
  const session = sessionFor(target.key, traits.sessions);
  const retries = traits.retriesOf(target.key);
  // What nearly all have, written out: no room is kept for more.
  if (!filters && !rewrite && !session && !retries) return { backend: target.key, weight };
  return {
    backend: target.key,
    weight,
    ...(filters && { filters }),
    ...(rewrite && { rewrite }),
    ...(session && { session }),
    ...(retries && { retries }),
  };
}

const sessionFor = (backend: string, { of, rule, secure }: SessionTraits): ir.Session | undefined =>
  sessionOfShare({ backend, secure }, of(backend), rule);

/** A backend outside knows its own name and no other; a Host that the user sets goes before. */
function rewriteFor(
  target: { readonly host?: string },
  rewrite: ir.UrlRewrite | undefined,
  setsHost: boolean,
): ir.UrlRewrite | undefined {
  const outside = setsHost ? undefined : target.host;
  return outside === undefined ? rewrite : { host: outside, ...rewrite };
}

const usesOf = ({ target }: ResolvedRef): readonly string[] => ('key' in target ? (target.uses ?? []) : []);

const keysOf = ({ backend, filters }: ir.WeightedBackend): readonly string[] =>
  backend === undefined ? [] : [backend, ...filterBackends(filters)];

/** What is wrong with a backendRef's filters, some of which only a whole rule can have. */
function backendFault({ fault, ruleOnly }: ResolvedFilters): ConditionFault | undefined {
  if (fault || !ruleOnly) return fault;
  return {
    reason: 'UnsupportedValue',
    message:
      'a backendRef cannot redirect, answer for other origins or have filters by ExtensionRef: move RequestRedirect, CORS and ExtensionRef to the rule',
  };
}
