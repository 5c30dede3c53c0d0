import type { Fields } from '../features/part.ts';
import type { Site } from '../judge/site.ts';
import type { PlacedLocation } from '../model/locations.ts';
import { catchAll, type Server } from '../model/servers.ts';
import { defaultUpstream } from '../model/upstreams.ts';
import { nameOf } from './names.ts';
import type { OwnFilters } from './own-filters.ts';
import type { Route } from './route.ts';

export interface UnmatchedParts {
  readonly base: string;
  readonly filters: OwnFilters;
  readonly http: Fields;
  readonly secure: readonly Fields[];
  /** Sends clients to HTTPS. */
  readonly redirect: Fields;
}

/** What answers for paths that no Ingress of a host has, where it is not for an Ingress to answer; undefined: one has all paths. */
export const unmatchedOf = (server: Server, ingress: string): PlacedLocation | undefined =>
  server.host === catchAll
    ? undefined
    : server.locations.all.find(
        ({ isDefault, upstream, rules }) =>
          isDefault && upstream === defaultUpstream && rules.ingress === ingress && rules.redirect === undefined,
      );

/** Whether another host with paths of its own stands for this one too: a wildcard above it, or the one for all others. */
export function isBelowWider(host: string, { servers: { all } }: Site): boolean {
  const labels = host.replace(/^\*\./, '').split('.');
  const wider = [catchAll, ...labels.map((_, at) => `*.${labels.slice(at + 1).join('.')}`), `*.${labels.join('.')}`];
  return wider.some(
    (name) => name !== host && all.get(name)?.locations.all.some(({ upstream }) => upstream !== defaultUpstream),
  );
}

/** An expression, which comes after all prefixes, and is shorter than other expressions. */
const everyPath: Fields = { path: { type: 'RegularExpression', value: '/.*' } };

/** Routes that answer 404 for such paths: they are not for a wildcard host, nor for all other hosts. HTTPRoutes of users come before them. */
export function unmatchedRoutes(
  hosts: readonly string[],
  isRedirected: boolean,
  { base, filters, http, secure, redirect }: UnmatchedParts,
): readonly Route[] {
  const notFound = filters.add('not-found', { directResponse: { status: 404 } });
  const route = (ending: string, parentRefs: readonly Fields[], filter: Fields): readonly Route[] =>
    parentRefs.length === 0
      ? []
      : [
          {
            name: nameOf(base, ending),
            isMain: false,
            isLast: true,
            spec: { parentRefs, hostnames: hosts, rules: [{ matches: [everyPath], filters: [filter] }] },
          },
        ];
  if (!isRedirected) return route('unmatched', [http, ...secure], notFound);
  return [...route('unmatched', secure, notFound), ...route('unmatched-to-https', [http], redirect)];
}
