import * as z from 'zod';
import { ruleLabel } from '../../../gateway-api/index.ts';
import { tool } from './tool.ts';
import type { RouteTestAnswer } from './wire.ts';

export const explainRequestTool = tool({
  name: 'explain_request',
  title: 'What happens to a request, and why',
  description:
    'Works out from what proxies were sent what happens to one request: listener, matched rule, backends, or why it is answered 404, 421, 500 or 503; of every other rule on the host why not. Use it for every question about a status code or about where a request goes.',
  input: z.strictObject({
    host: z.string().min(1).max(1024).describe('Host of the request; a port may follow'),
    path: z.string().max(8192).default('/').describe('Path and query'),
    method: z.string().max(32).default('GET'),
    headers: z.record(z.string(), z.string()).default({}),
    port: z.int().min(1).max(65_535).optional().describe('Of the Gateway; without it 80, or 443 for https'),
    scheme: z.enum(['http', 'https']).default('http'),
    gateway: z.string().max(507).optional().describe('NAMESPACE/NAME; without it the one that does most'),
  }),
  async run(input, { ask }) {
    const value = (await ask({ method: 'POST', path: '/v1/route-test', body: input })).body as RouteTestAnswer;
    return { summary: outcomeText(value), value };
  },
});

/** `404: no rule for the host shop.test matches the request` */
export function outcomeText({ outcome, status, reason, route, location }: RouteTestAnswer): string {
  const by =
    route === null
      ? ''
      : ` by ${route.kind} ${route.namespace}/${route.name} rule ${ruleLabel(route.rule, route.ruleName)}`;
  if (outcome === 'forward' && status === null) return `forwarded${by}`;
  if (outcome === 'redirect') return `${status}: redirected${by} to ${location}`;
  return `${status === null || status === 0 ? outcome : status}: ${reason}`;
}
