import { callerOf } from '../auth/bearer-auth.ts';
import { type Asked, type Endpoints, get } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { findCapabilities } from './capabilities.ts';
import { capabilities, verified } from './record.ts';

/** What a dashboard asks at its start: what works, and whether its token is good. */
export const dashboard: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/dashboard/capabilities',
      summary: 'What works now',
      answer: capabilities,
      handle: (_, sources: AdminSources) => findCapabilities(sources),
    }),
    get({
      path: '/v1/auth/verify',
      summary: 'Whether the token is good and for what, and where objects come from',
      answer: verified,
      // Who is not let in never comes here.
      handle: async ({ ctx }, { origin }: AdminSources) => ({ ...(await verify(ctx)), ...origin }),
    }),
  ],
};

async function verify(ctx: Asked<string>['ctx']) {
  const caller = callerOf(ctx);
  return caller?.by === 'kubernetes'
    ? { authenticated: true as const, readOnly: !(await caller.mayWrite()), user: caller.person.username }
    : { authenticated: true as const, readOnly: ctx.state.readOnly === true };
}
