import type { StoredObjects } from '../../../engine/index.ts';
import { cookieMatch } from './cookie-match.ts';
import { credentialInjection, secretOf } from './credential-injection.ts';
import { directResponse } from './direct-response.ts';
import { headers } from './headers.ts';
import { hostRewrite } from './host-rewrite.ts';
import { type HttpFilterObject, invalid, type Member, type MemberName, type ResolvedMember } from './member.ts';
import { regexRedirect } from './regex-redirect.ts';
import { regexRewrite } from './regex-rewrite.ts';

export { credentialKeysOf, credentialOf, secretsOf } from './credential-injection.ts';
export type { HttpFilterObject, MemberName, ResolvedMember } from './member.ts';

const members: { readonly [M in MemberName]: Member<M> } = {
  cookieMatch,
  regexRewrite,
  regexRedirect,
  hostRewrite,
  directResponse,
  headers,
  credentialInjection,
};

/** What a filter says. The definition lets one thing through; of others, such as a newer release's, nothing is known. */
export const memberOf = ({ spec }: HttpFilterObject): MemberName | undefined =>
  (Object.keys(members) as MemberName[]).find((name) => spec[name] !== undefined);

export const isHttpOnly = (name: MemberName): boolean => members[name].httpOnly ?? false;

const known = new WeakMap<HttpFilterObject, { readonly stored: unknown; readonly result: ResolvedMember }>();

/** What a filter comes to. It is made once for all rules and matches that name it, for expressions take time to compile. */
export function resolveMember(filter: HttpFilterObject, store: StoredObjects): ResolvedMember {
  const stored = configMapsOf(filter).map((key) => store.find('ConfigMap', key))[0] ?? secretOf(filter, store);
  const before = known.get(filter);
  if (before && before.stored === stored) return before.result;
  const name = memberOf(filter);
  const result = name ? resolveOne(name, filter, store) : invalid('it says nothing that is known here');
  known.set(filter, { stored, result });
  return result;
}

const resolveOne = <M extends MemberName>(
  name: M,
  { metadata: { namespace = '', name: own }, spec }: HttpFilterObject,
  store: StoredObjects,
): ResolvedMember => (members[name] as Member<M>).resolve(spec[name] as never, { namespace, name: own, store });

/** Keys of the ConfigMaps that a filter names. */
export const configMapsOf = ({ metadata, spec }: HttpFilterObject): readonly string[] =>
  spec.directResponse?.configMapRef ? [`${metadata.namespace ?? ''}/${spec.directResponse.configMapRef.name}`] : [];
