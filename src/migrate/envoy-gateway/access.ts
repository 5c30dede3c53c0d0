import { type Output, objectOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import type { Visit } from '../kit/table.ts';
import { type Fields, fieldsOf } from '../kit/values.ts';
import type { Moving } from './moving.ts';
import { noteOf, type Policy, type PolicyKind, uppersOf } from './policy.ts';
import { questionHeaders, securityPolicy } from './tables/access.ts';
import { refsOf } from './targets.ts';

/** Parts of an AccessPolicy that lower levels may switch off. */
const parts = [
  'clientIPs',
  'clientCertificates',
  'csrf',
  'oidc',
  'apiKeys',
  'basicAuth',
  'jwt',
  'forwardAuth',
  'authorization',
];

/** Kinds that an AccessPolicy may be for. */
const accessTargets = ['Gateway', 'ListenerSet', 'HTTPRoute', 'GRPCRoute', 'TCPRoute', 'TLSRoute'];

export const securityPolicies: PolicyKind = { table: securityPolicy, protects: true, fill: fillAccess };

/** What must have been written of each part that protects. Without it there would be no part, or one that no API server takes. */
const needed: Readonly<Record<string, readonly string[]>> = {
  apiKeyAuth: ['apiKeys.secretRefs', 'apiKeys.from'],
  authorization: ['authorization.default'],
  basicAuth: ['basicAuth.secretRef'],
  extAuth: ['forwardAuth.backendRef'],
  jwt: ['jwt.providers'],
  oidc: ['oidc.client.id', 'oidc.client.secretRef'],
};

function fillAccess(spec: Fields, visit: Visit): void {
  const { draft } = visit;
  if (spec.authorization !== undefined && draft.get('AccessPolicy.authorization.default') === undefined)
    visit.set('AccessPolicy.authorization.default', 'Deny');
  for (const [field, paths] of Object.entries(needed))
    if (
      spec[field] !== undefined &&
      spec[field] !== null &&
      !paths.every((path) => isThere(draft.get(`AccessPolicy.${path}`)))
    )
      visit.at(field).lose('has no value that it can be converted by');
  const headers = questionHeaders(spec);
  if (headers !== undefined) visit.set(headers.to, headers.names);
  if (draft.get('AccessPolicy.forwardAuth') !== undefined) {
    if (draft.get('AccessPolicy.forwardAuth.statusOnError') === undefined)
      visit.set('AccessPolicy.forwardAuth.statusOnError', 403);
    const { http } = fieldsOf(spec.extAuth);
    if (http !== undefined && draft.get('AccessPolicy.forwardAuth.http.toBackend') === undefined)
      visit
        .at('extAuth.http.headersToBackend')
        .note(
          'differs',
          'backends see the headers of the server’s answer; list those that are meant in http.toBackend',
        );
  }
  if (draft.get('AccessPolicy.oidc') !== undefined && draft.get('AccessPolicy.oidc.logout.path') === undefined)
    visit.set('AccessPolicy.oidc.logout.path', '/logout');
  if (
    draft.get('AccessPolicy.oidc.passThrough') !== undefined &&
    draft.get('AccessPolicy.jwt.providers') === undefined
  ) {
    visit.set('AccessPolicy.oidc.passThrough', undefined);
    visit
      .at('oidc.passThroughAuthHeader')
      .miss('requests with a token are let past a login only where the policy demands a token');
  }
  const origins = draft.get('AccessPolicy.cors.allowOrigins');
  if (draft.get('AccessPolicy.cors.allowCredentials') === true && Array.isArray(origins) && origins.some(isAny)) {
    visit.set('AccessPolicy.cors.allowCredentials', false);
    visit
      .at('cors.allowCredentials')
      .miss('every page could act for its user: name the origins, or do without credentials');
  }
}

const isThere = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

const isAny = (origin: unknown): boolean => origin === '*' || /:\/\/\*(?::|$)/.test(String(origin));

/** The spec that denies all. By addresses, since this part reaches connections too, and no policy of Envoy Gateway becomes one. */
export const closedSpec: Fields = { clientIPs: { deny: ['0.0.0.0/0', '::/0'] } };

const partsOf = (policy: Policy): readonly string[] =>
  policy.isClosed ? ['clientIPs'] : parts.filter((part) => policy.draft.get(`AccessPolicy.${part}`) !== undefined);

/**
 * SecurityPolicies as AccessPolicies. Theirs take the place of those of upper levels, and ours add up: so upper ones let theirs be switched off,
 * and lower ones do that.
 */
export function convertAccess(policies: readonly Policy[], moving: Moving, output: Output): readonly Converted[] {
  const overridable = new Map<Policy, Set<string>>();
  const overrides = new Map<Policy, Set<string>>();
  for (const policy of policies) {
    const off = new Set<string>();
    for (const upper of uppersOf(policy, policies, moving)) {
      const own = partsOf(policy);
      const both = policy.isMerged
        ? partsOf(upper).filter((part) => !upper.isClosed && own.includes(part))
        : partsOf(upper);
      overridable.set(upper, (overridable.get(upper) ?? new Set()).union(new Set(both)));
      for (const part of both) off.add(part);
    }
    overrides.set(policy, policy.isClosed ? new Set() : off);
  }
  return policies.map((policy) => {
    const { source, id, draft, notes, isClosed } = policy;
    const targetRefs = refsOf(policy.targets, moving, accessTargets);
    if (targetRefs.length === 0)
      return {
        id,
        outcome: 'left',
        notes: [noteOf('no-effect', 'targetRefs', 'nothing that it is for is moved'), ...notes],
      };
    const off = [...(overrides.get(policy) ?? [])].sort();
    const may = [...(overridable.get(policy) ?? [])].sort();
    const own = isClosed ? closedSpec : (draft.of('AccessPolicy') ?? {});
    if (Object.keys(own).length === 0 && off.length === 0) return { id, outcome: 'left', notes };
    const spec = {
      targetRefs,
      ...(may.length > 0 && { overridable: may }),
      ...(off.length > 0 && { overrides: off }),
      ...own,
    };
    output.add(
      `${source.namespace}/securitypolicy-${source.name}.yaml`,
      objectOf('gatewright.dev/v1alpha1', 'AccessPolicy', source.namespace, source.name, spec),
      notes,
    );
    return { id, outcome: isClosed ? 'closed' : 'converted', notes };
  });
}
