import type * as ir from '../../ir/index.ts';
import { resolveBackend } from '../backends/backend-ref.ts';
import { sessionOfShare } from '../backends/backend-session.ts';
import type { Store } from '../engine/store.ts';
import { type AuthFilter, type SettledAuth, settleAuth } from '../filters/external-auth/external-auth.ts';
import {
  type FilterSpec,
  type MirrorFilter,
  type RuleSpec,
  type SettledFilters,
  settleFilters,
} from '../filters/filter.ts';
import type { BackendRefSpec, BackendUser, ResolvedBackend } from '../model/backend-reference.ts';
import type { BackendSessions, SessionSpec } from '../model/backend-session.ts';
import type { Fault } from '../model/condition.ts';

/** Where the references of one rule lead: of its backends, and of the filters that it and they have. */
export interface RuleReferences {
  readonly refs: readonly BackendRefSpec[];
  readonly resolved: readonly ResolvedBackend[];
  readonly faults: readonly Fault[];
  /** Mirrors that lead somewhere; the others are left out, as the specification asks. */
  readonly mirrorsOf: (filters?: readonly MirrorFilter[]) => readonly ir.Mirror[];
  /** Undefined when one of them leads nowhere: then no request may pass. */
  readonly authsOf: (filters?: readonly AuthFilter[]) => readonly ir.ExternalAuth[] | undefined;
}

/** Resolves each reference of a rule once, whatever number of matches it has. */
export function resolveReferences(rule: RuleSpec, route: BackendUser, store: Store): RuleReferences {
  const all = rule.backendRefs ?? [];
  const followed = all.map((ref) => resolveBackend(ref, route, store));
  const own = ownBackends(all, store);
  const { refs, resolved } = own ? sharesOf(all, followed, own) : { refs: all, resolved: followed };
  // Copies and questions of a rule never go to its own backend.
  const { rule: _, ...aside } = route;
  const mirrors = new Map(
    mirrorFilters(rule).map((filter) => [filter, resolveBackend(filter.backendRef, aside, store)] as const),
  );
  const auths = new Map(authFilters(rule).map((filter) => [filter, settleAuth(filter, aside, store)] as const));
  return {
    refs,
    resolved,
    faults: [...followed, ...mirrors.values(), ...auths.values(), { fault: own?.mixed }].flatMap((result) =>
      'fault' in result && result.fault ? [result.fault] : [],
    ),
    mirrorsOf: (filters = []) =>
      filters.flatMap((filter) => {
        const target = mirrors.get(filter);
        return target && 'key' in target ? [{ backend: target.key, perMillion: perMillion(filter) }] : [];
      }),
    authsOf: (filters = []) => {
      const asked = filters.map((filter) => auths.get(filter) as SettledAuth);
      return asked.some(({ fault }) => fault) ? undefined : asked.map(({ auth }) => auth);
    },
  };
}

/** Those references of a rule that are one backend together, the rule's own. */
interface OwnBackends {
  readonly isOwn: (ref: BackendRefSpec) => boolean;
  /** The rule has others beside them: a share of its requests would not know which of them they are for. */
  readonly mixed: Fault | undefined;
}

function ownBackends(refs: readonly BackendRefSpec[], { providers }: Store): OwnBackends | undefined {
  const isOwn = ({ group = '', kind = 'Service' }: BackendRefSpec) =>
    providers.find({ group, kind })?.isOnePerRule ?? false;
  const own = refs.find(isOwn);
  if (!own) return undefined;
  const message = `backendRefs name ${own.kind}s and others: give each kind a rule of its own`;
  return { isOwn, mixed: refs.every(isOwn) ? undefined : { reason: 'UnsupportedValue', message } };
}

/** A rule's own backend is one share: which of the objects is asked, requests say. Beside others they are left out. */
function sharesOf(
  refs: readonly BackendRefSpec[],
  resolved: readonly ResolvedBackend[],
  { isOwn, mixed }: OwnBackends,
): Pick<RuleReferences, 'refs' | 'resolved'> {
  if (!mixed)
    return {
      refs: [{ ...refs[0], weight: refs.some(({ weight = 1 }) => weight > 0) ? 1 : 0 } as BackendRefSpec],
      resolved: [uniteUses(resolved)],
    };
  const others = refs.flatMap((ref, index) => (isOwn(ref) ? [] : [index]));
  return {
    refs: others.map((index) => refs[index] as BackendRefSpec),
    resolved: others.map((index) => resolved[index] as ResolvedBackend),
  };
}

function uniteUses(resolved: readonly ResolvedBackend[]): ResolvedBackend {
  const found = resolved.flatMap((one) => ('key' in one ? [one] : []));
  const [first] = found;
  if (!first) return resolved[0] as ResolvedBackend;
  return { key: first.key, uses: [...new Set(found.flatMap(({ uses = [] }) => uses))] };
}

/** Every backend that a rule names, for requests, copies of them, or questions about them. */
export const backendRefsOf = (rule: RuleSpec): readonly Pick<BackendRefSpec, 'name' | 'namespace'>[] => [
  ...(rule.backendRefs ?? []),
  ...mirrorFilters(rule).map(({ backendRef }) => backendRef),
  ...authFilters(rule).map(({ backendRef }) => backendRef),
];

const filtersOf = ({ filters = [], backendRefs = [] }: RuleSpec): FilterSpec[] => [
  ...filters,
  ...backendRefs.flatMap((ref): readonly FilterSpec[] => ref.filters ?? []),
];

const mirrorFilters = (rule: RuleSpec): MirrorFilter[] =>
  filtersOf(rule).flatMap(({ requestMirror }) => requestMirror ?? []);

const authFilters = (rule: RuleSpec): AuthFilter[] => filtersOf(rule).flatMap(({ externalAuth }) => externalAuth ?? []);

const million = 1_000_000;

/** Source: HTTPRequestMirrorFilter: everything unless `percent` or `fraction` says less. */
function perMillion({ percent, fraction }: MirrorFilter): number {
  if (fraction) return Math.min(million, Math.round((fraction.numerator * million) / (fraction.denominator ?? 100)));
  return percent === undefined ? million : (percent * million) / 100;
}

export interface SettledForward {
  readonly action: ir.RouteAction;
  /** Of the backends that get requests, or copies that only they ask for. */
  readonly keys: readonly string[];
  /** A filter of a backendRef that cannot be had. */
  readonly fault?: Fault;
}

export interface ForwardTraits {
  /** The PathPrefix of the match, for rewrites of it. */
  readonly prefix: string | undefined;
  readonly invalidStatus: number;
  /** What the rule itself makes of Host, if anything. */
  readonly host?: string | undefined;
  readonly sessions: SessionTraits;
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

/**
 * The shares of a rule. A reference that does not resolve keeps its weight and answers `invalidStatus` for it; a rule
 * without any share that can be served answers so as a whole. Source: HTTPRouteRule.backendRefs.
 */
export function forwardOf(
  { refs, resolved, mirrorsOf, authsOf }: RuleReferences,
  { prefix, invalidStatus, host, sessions }: ForwardTraits,
): SettledForward {
  const settledFilters = refs.map((ref) => settleFilters(ref.filters, prefix));
  const backends = refs.map((ref, index) => {
    const settled = settledFilters[index] as SettledFilters;
    const weight = ref.weight ?? 1;
    const auths = authsOf(settled.auths);
    if (!auths) return { weight };
    const target = resolved[index] as ResolvedBackend;
    const filters = { ...settled, rewrite: rewriteFor(target, settled, host) };
    const share = shareOf(weight, target, filters, mirrorsOf(settled.mirrors), auths);
    return withSession(share, sessions);
  });
  const live = backends.some(({ backend, weight }) => backend !== undefined && weight > 0);
  const fault = settledFilters.map(unavailable).find((found) => found !== undefined);
  return {
    action: live ? { kind: 'forward', backends, invalidStatus } : { kind: 'respond', status: invalidStatus },
    keys: live ? [...backends.flatMap(keysOf), ...usesOf(resolved)] : [],
    ...(fault && { fault }),
  };
}

function withSession(share: ir.WeightedBackend, { of, rule, secure }: SessionTraits): ir.WeightedBackend {
  const { backend } = share;
  const session = backend === undefined ? undefined : sessionOfShare({ backend, secure }, of(backend), rule);
  return session ? { ...share, session } : share;
}

/** A backend outside knows its own name and no other; the user's word on Host goes before. */
function rewriteFor(target: ResolvedBackend, { rewrite }: SettledFilters, host: string | undefined) {
  const outside = 'key' in target && host === undefined ? target.host : undefined;
  return outside === undefined ? rewrite : { host: outside, ...rewrite };
}

const usesOf = (resolved: readonly ResolvedBackend[]): readonly string[] =>
  resolved.flatMap((target) => ('key' in target ? (target.uses ?? []) : []));

const keysOf = ({ backend, mirrors = [], externalAuth }: ir.WeightedBackend): string[] =>
  backend === undefined ? [] : [backend, ...mirrors.map((mirror) => mirror.backend), ...authKeys(externalAuth)];

/** Keys of the backends that are asked. */
export const authKeys = (auths: readonly ir.ExternalAuth[] = []): string[] =>
  auths.flatMap(({ backend }) => backend ?? []);

/** What a backendRef's filters ask for that is possible for whole rules only. */
function unavailable({
  fault,
  redirect,
  cors,
}: Pick<SettledFilters, 'fault' | 'redirect' | 'cors'>): Fault | undefined {
  if (fault || !(redirect || cors)) return fault;
  return {
    reason: 'UnsupportedValue',
    message: 'a backendRef cannot redirect or answer for other origins: move RequestRedirect and CORS to the rule',
  };
}

function shareOf(
  weight: number,
  resolved: ResolvedBackend,
  filters: Omit<SettledFilters, 'rewrite'> & { readonly rewrite: ir.UrlRewrite | undefined },
  mirrors: readonly ir.Mirror[],
  auths: readonly ir.ExternalAuth[],
): ir.WeightedBackend {
  if (!('key' in resolved) || unavailable(filters)) return { weight };
  return {
    backend: resolved.key,
    weight,
    ...(filters.requestHeaders && { requestHeaders: filters.requestHeaders }),
    ...(filters.responseHeaders && { responseHeaders: filters.responseHeaders }),
    ...(filters.rewrite && { rewrite: filters.rewrite }),
    ...(mirrors.length > 0 && { mirrors }),
    ...(auths.length > 0 && { externalAuth: auths }),
  };
}
