import { type Endpoint, single } from '../endpoint.ts';
import { readQuery } from '../http/index.ts';
import { capabilities, type World } from '../read-model/index.ts';

/** What a dashboard asks first: whether its token is good, and what works. */
export const dashboardEndpoints = (world: World): readonly Endpoint[] => [
  single('/v1/dashboard/capabilities', () => capabilities(world)),
  {
    path: '/v1/auth/verify',
    handle: (ctx) => {
      readQuery(ctx, []);
      // Whoever is not let in never comes here.
      ctx.body = { authenticated: true, readOnly: ctx.state.readOnly === true };
    },
  },
];
