import type { Ingress } from '../../gateway-api/index.ts';
import { entriesOf, parseBoolean, usualPrefix } from '../annotations/index.ts';
import { catchAll } from '../model/servers.ts';

const aliasAnnotation = `${usualPrefix}/server-alias`;
const wwwAnnotation = `${usualPrefix}/from-to-www-redirect`;

/** All names that an Ingress wants requests for: its hosts, their aliases, and those that are sent to them. `_`: what no other name is for. */
export function claimedHosts({ metadata: { annotations }, spec }: Ingress): readonly string[] {
  const hosts = (spec.rules ?? []).map(({ host }) => host || catchAll);
  const own = hosts.length === 0 && spec.defaultBackend ? [catchAll] : hosts;
  const others = isOn(annotations) ? hosts.map(otherName) : [];
  return [...new Set([...own, ...aliases(annotations), ...others])];
}

const aliases = (annotations: Ingress['metadata']['annotations']): readonly string[] =>
  entriesOf(annotations?.[aliasAnnotation] ?? '').filter((alias) => !alias.startsWith('~'));

const isOn = (annotations: Ingress['metadata']['annotations']): boolean =>
  parseBoolean(annotations?.[wwwAnnotation] ?? '') ?? false;

const otherName = (host: string): string => (host.startsWith('www.') ? host.slice(4) : `www.${host}`);

/** The Ingress without the names that it may not have. */
export function withoutHosts(ingress: Ingress, taken: (host: string) => boolean): Ingress {
  const { metadata, spec } = ingress;
  const lost = claimedHosts(ingress).filter(taken);
  if (lost.length === 0) return ingress;
  const { [aliasAnnotation]: _, [wwwAnnotation]: __, ...rest } = metadata.annotations ?? {};
  const kept = aliases(metadata.annotations).filter((alias) => !taken(alias));
  const redirects = isOn(metadata.annotations) && !(spec.rules ?? []).some(({ host = '' }) => taken(otherName(host)));
  const annotations = {
    ...rest,
    ...(kept.length > 0 && { [aliasAnnotation]: kept.join(',') }),
    ...(redirects && { [wwwAnnotation]: 'true' }),
  };
  const { defaultBackend, rules, ...others } = spec;
  const left = rules?.filter(({ host }) => !taken(host || catchAll));
  // Without rules a default backend is for all hosts, which it was not before.
  const keepsDefault = defaultBackend !== undefined && (rules?.length ? left?.length !== 0 : !taken(catchAll));
  return {
    ...ingress,
    metadata: { ...metadata, annotations },
    spec: { ...others, ...(keepsDefault && { defaultBackend }), ...(left && { rules: left }) },
  };
}
