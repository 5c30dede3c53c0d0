import * as z from 'zod';
import { ruleLabel } from '../../../gateway-api/index.ts';
import { counted } from '../../../std/index.ts';
import { withQuery } from '../ask-admin.ts';
import { outcomeText } from './explain-request.ts';
import { type ToolContext, tool } from './tool.ts';
import type { AccessAnswer, OpenRouteAnswer, RouteAnswer, RouteTestAnswer } from './wire.ts';

const request = z.strictObject({
  host: z.string().min(1).max(1024),
  path: z.string().max(8192).default('/'),
  method: z.string().max(32).default('GET'),
  headers: z.record(z.string(), z.string()).default({}),
  from: z.string().max(64).optional().describe('Address of the client'),
  certificate: z
    .strictObject({
      dns: z.array(z.string().max(255)).max(100).default([]),
      uris: z.array(z.string().max(2048)).max(100).default([]),
      emails: z.array(z.string().max(320)).max(100).default([]),
      ips: z.array(z.string().max(64)).max(100).default([]),
      subject: z.string().max(2048).default(''),
    })
    .optional()
    .describe('Names in the certificate of the client'),
  scheme: z.enum(['http', 'https']).default('http'),
});

/** Rules of a route that nothing is demanded of: by name, else by position. */
async function unguardedOf(
  route: string,
  entries: readonly AccessAnswer[],
  ask: ToolContext['ask'],
): Promise<string[]> {
  const path = encodeURIComponent(route).replaceAll('%2F', '/');
  const { rules } = (await ask({ method: 'GET', path: `/v1/routes/${path}` })).body as RouteAnswer;
  const holding = entries.filter(({ state }) => state === 'inForce' || state === 'closed');
  const guarded = new Set(holding.map(({ rule }) => rule));
  return rules.flatMap(({ name }, at) => (guarded.has(at) ? [] : [ruleLabel(at, name)]));
}

export const explainAccessTool = tool({
  name: 'explain_access',
  title: 'Who may come in',
  description:
    'With `request`: what each part of the access policies does with it, and why (401, 403). With `route`, `target` or `policy`: which parts of which policies are in force there, at which level, and by whom others are overridden; of a route also the rules that nothing is demanded of (`unguarded`). With none of them: the routes that demand no login. Never send a token or a key.',
  input: z.strictObject({
    route: z.string().max(600).optional().describe('KIND/NAMESPACE/NAME: rule by rule'),
    target: z
      .string()
      .max(600)
      .optional()
      .describe('Gateway/NAMESPACE/NAME or ListenerSet/NAMESPACE/NAME: what all requests to its listeners meet'),
    policy: z.string().max(600).optional().describe('NAMESPACE/NAME of an AccessPolicy: each of its targets'),
    request: request.optional(),
  }),
  async run({ route, target, policy, request: asked }, { ask }) {
    if (asked) {
      const answer = (await ask({ method: 'POST', path: '/v1/route-test', body: asked })).body as RouteTestAnswer;
      return { summary: outcomeText(answer), value: { outcome: outcomeText(answer), access: answer.access ?? null } };
    }
    const about = { ...(route && { route }), ...(target && { target }), ...(policy && { policy }) };
    if (Object.keys(about).length > 0) {
      const answer = await ask({ method: 'GET', path: withQuery('/v1/access', { ...about, limit: 500 }) });
      const entries = answer.body as readonly AccessAnswer[];
      const isWhole = (answer.total ?? entries.length) === entries.length;
      return {
        summary: counted(entries.length, 'part of policies', 'parts of policies'),
        value: { entries, ...(route && isWhole && { unguarded: await unguardedOf(route, entries, ask) }) },
      };
    }
    const { body, total } = await ask({ method: 'GET', path: '/v1/access/open?limit=100' });
    const open = body as readonly OpenRouteAnswer[];
    return {
      summary: `${counted(total ?? open.length, 'route')} without login`,
      value: { total: total ?? open.length, open },
    };
  },
});
