import type { Contribution } from '../../src/graph/hosts/contribution.ts';
import { rankOf } from '../../src/graph/model/precedence.ts';
import { route } from './ir.ts';

/** What a route with one match, for all paths, puts on a host. */
export const contributionOf = (name: string, host: string): Contribution => {
  const made = route(name, '/');
  return {
    source: `HTTPRoute/default/${name}`,
    gateway: 'default/edge',
    table: 'http/80',
    listener: 'default/edge/http',
    host,
    original: host,
    created: '2026-01-01T00:00:00Z',
    routes: [{ route: made, rank: rankOf(made.match) }],
  };
};
