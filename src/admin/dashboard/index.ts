import { callerOf } from '../auth/bearer-auth.ts';
import { readQuery } from '../http/index.ts';
import { type Endpoint, single } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { capabilities } from './capabilities.ts';

/** What a dashboard asks first: whether its token is good, and what works. */
export const dashboardEndpoints = (sources: AdminSources): readonly Endpoint[] => [
  single('/v1/dashboard/capabilities', () => capabilities(sources)),
  {
    path: '/v1/auth/verify',
    handle: async (ctx) => {
      readQuery(ctx, []);
      // Whoever is not let in never comes here.
      const caller = callerOf(ctx);
      ctx.body =
        caller?.by === 'kubernetes'
          ? { authenticated: true, readOnly: !(await caller.mayWrite()), user: caller.person.username }
          : { authenticated: true, readOnly: ctx.state.readOnly === true };
    },
  },
];
