import * as z from 'zod';
import { filterEffectSchemas } from '../../graph/index.ts';
import { judgedAccess } from '../access/judged.ts';
import { latePicks } from '../picks/record.ts';
import { requestLimit } from '../rate-limit-policies/record.ts';
import { named, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';
import { heldGroup } from '../traffic-policies/record.ts';

const count = z.int().min(0);
const object = z.strictObject;

const httpToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export const routeTestRequest = named('RouteTestRequest', 'A request as a client would send it.', {
  host: z.string().min(1).max(1_024).describe('Host header; a port may follow'),
  path: z
    .string()
    .max(16_384)
    .startsWith('/')
    .regex(/^[\x21-\x7e]*$/, 'has characters that must be escaped in a path')
    .default('/')
    .describe('Path and query'),
  method: z.string().regex(httpToken, 'is not a method').default('GET'),
  headers: z
    .record(z.string().regex(httpToken, 'is not the name of a header'), z.string().or(z.array(z.string())))
    .default({}),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('Of the Gateway; without it 80, or 443 for `https`; where that is closed, the only HTTP port'),
  scheme: z.enum(['http', 'https']).default('http').describe('Says no more than the port to take'),
  serverName: z.string().min(1).max(255).optional().describe('Name in the TLS handshake; without it the host'),
  from: z.ipv4().or(z.ipv6()).optional().describe('Address of the client, as the proxy sees the connection'),
  certificate: z
    .strictObject({
      dns: z.array(z.string().min(1).max(255)).max(100).default([]).describe('DNS names among its alternative names'),
      uris: z.array(z.string().min(1).max(2048)).max(100).default([]).describe('URIs among its alternative names'),
      emails: z.array(z.string().min(1).max(320)).max(100).default([]).describe('Email addresses among these names'),
      ips: z.array(z.ipv4().or(z.ipv6())).max(100).default([]).describe('IP addresses among these names'),
      subject: z.string().max(2048).default('').describe('As in RFC 2253: `CN=alice,O=Corp`'),
    })
    .optional()
    .describe('Certificate of the client, taken to be one that the listener verifies; without it none is shown'),
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,8192}$/, 'is not a token')
    .optional()
    .describe('Sent as `Authorization: Bearer`; it is in no answer and in no log'),
  gateway: z.string().min(1).optional().describe('`NAMESPACE/NAME` or `NAME`; without it the one that does most'),
});

/** One match of one rule of one route: its positions count from 0, `host` is its virtual host: exact, `*.SUFFIX` or `*`. */
const matchOfRoute = {
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  rule: count,
  ruleName: z.string().nullable().describe('Null: it has no name.'),
  match: count,
  host: z.string(),
};

const outcome = z.enum(['forward', 'redirect', 'respond', 'denied', 'no_route', 'no_host', 'misdirected', 'refused']);
const { requestHeaders, responseHeaders, ...otherFilters } = filterEffectSchemas;

export const routeTest = named('RouteTest', 'What happens to one request at the proxies of a Gateway, and why.', {
  snapshotVersion: z.string(),
  gateway: object({ namespace: z.string(), name: z.string() }).describe(
    'The Gateway whose listener takes it; where none does and several Gateways share the proxies, these: `class:GATEWAYCLASS` of their namespace.',
  ),
  port: count,
  outcome,
  status: count.nullable().describe('What the proxy answers by itself; null: a backend answers. 0: no HTTP answer.'),
  reason: z.string(),
  location: z.string().nullable(),
  listener: z.string().nullable().describe('The listener that the request belongs to, as lists of listeners name it.'),
  request: named('SeenRequest', 'A request as routes see it.', { host: z.string(), path: z.string() })
    .nullable()
    .describe('As routes see it; null when it did not get that far.'),
  route: object(matchOfRoute).nullable(),
  backends: z
    .array(
      object({
        namespace: z.string().nullable(),
        service: z.string().nullable(),
        port: count.nullable(),
        share: z.number(),
        endpoints: count.nullable(),
        picker: object({
          service: z.string(),
          failureMode: z.enum(['FailOpen', 'FailClose']).describe('Without it: any endpoint, or 503.'),
          pool: z.string().describe('`NAMESPACE/NAME` of the InferencePool.'),
          lately: latePicks,
        })
          .nullable()
          .describe('What chooses among the endpoints of an InferencePool, and what happens without it; null: none.'),
        status: count.nullable(),
        failing: named('FailingBackend', 'What fails of requests to a backend now.', {
          message: z.string(),
          flag: z.string().nullable(),
          since: time,
          requests: count,
          errors: count,
        }).nullable(),
      }),
    )
    .describe(
      '`share`: of all requests of the rule, 0 to 1; of an AIService the most that it has of those for one model. `endpoints`: null when they are found by DNS, or the reference is invalid. `status`: what the proxy answers for this share by itself; null: the backend answers. `failing`: what requests of the last minutes met; null: nothing that is known.',
    ),
  forwarded: object({ path: z.string(), host: z.string().nullable() })
    .nullable()
    .describe("What the backend sees instead of the client's path and host."),
  filters: object({
    requestHeaders,
    responseHeaders,
    requestTimeoutMs: count.optional(),
    backendRequestTimeoutMs: count.optional(),
    retries: object({ attempts: count, codes: z.array(count) }).optional(),
    ...otherFilters,
  }).nullable(),
  access: judgedAccess.nullable().describe('Null: the request is rejected before policies are asked.'),
  policies: z
    .array(heldGroup)
    .describe('What TrafficPolicies and ExtensionPolicies do with the request, group by group.'),
  limits: z
    .array(requestLimit)
    .describe('What the request counts against if it matches, in the order in which it meets it.'),
  hosts: z.array(z.string()).describe('Virtual hosts that were looked at, in order.'),
  candidates: z
    .array(object({ ...matchOfRoute, outcome: z.enum(['chosen', 'mismatch', 'later']), reason: z.string().nullable() }))
    .describe('The reason is null of the one that was chosen.'),
  candidateCount: count.describe('More than are listed in `candidates`, when there are many.'),
  hints: z.array(z.string()).describe('What to look at next.'),
  alsoAt: z.array(
    object({ gateway: object({ namespace: z.string(), name: z.string() }), outcome, status: count.nullable() }),
  ),
});

export type RouteTestRecord = Shown<typeof routeTest>;
/** Of one Gateway alone. */
export type RouteTestResult = Omit<RouteTestRecord, 'alsoAt'>;
export type CandidateRecord = RouteTestRecord['candidates'][number];
export type MatchRecord = NonNullable<RouteTestRecord['route']>;
export type RouteTestBackend = RouteTestRecord['backends'][number];
