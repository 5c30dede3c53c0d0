import * as z from 'zod';
import * as ir from '../../ir/index.ts';
import { level } from '../access/leaves.ts';
import { placeShape, policyObject } from '../policy-places/record.ts';
import { count, flag, named } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

const limitKeyPart = named('LimitKeyPart', 'What requests differ by that have buckets of their own.', {
  kind: z.enum(['clientIP', 'header', 'cookie', 'query', 'method', 'path', 'host', 'route', 'identity']),
  name: z.string().optional().describe('Of a header, a cookie or a query parameter.'),
  v4Prefix: count.optional().describe('Of clientIP: bits of an IPv4 address that count.'),
  v6Prefix: count.optional().describe('Of clientIP: bits of an IPv6 address that count.'),
  entry: z.string().optional().describe('How the entry of a ratelimit service is called.'),
});

const limitWindow = named('LimitWindow', 'How many requests a bucket lets through.', {
  requests: count,
  perMs: count.describe('Milliseconds.'),
  burst: count.describe('How many it lets through at once.'),
});

const limitCost = named('LimitCost', 'How much of a bucket a request takes, if not as much as one request.', {
  kind: z.enum(['fixed', 'header']),
  requests: count.optional().describe('Of fixed: as much as so many requests.'),
  name: z.string().optional().describe('Of header: which header of the request says it.'),
  otherwise: count.optional().describe('Of header: what requests without a number in it take.'),
  most: count.optional().describe('Of header: what greater numbers count as.'),
});

const limitResponseCost = named('LimitResponseCost', 'How much of a bucket a response takes.', {
  name: z.string().describe('Which header of the response says it.'),
  most: count.describe('What greater numbers count as.'),
});

const limitService = named('LimitServiceAsked', 'A ratelimit service that counts.', {
  backend: z.string().nullable().describe('null: the reference leads nowhere.'),
  domain: z.string().describe('The domain that it is asked about.'),
  timeoutMs: count.describe('Milliseconds.'),
  failOpen: flag.describe('True: requests come through while it does not answer. Else they are answered 503.'),
  descriptor: z.array(z.object({ key: z.string(), value: z.string() })).describe('What its descriptors begin with.'),
});

const bucketShape = {
  bucket: z.string().describe('Its name in the policy.'),
  level: level.describe('Where the policy is attached.'),
  policy: policyObject,
  phase: z.enum(ir.limitPhases).describe('`beforeAuth`: also requests that access policies deny count.'),
  match: z.unknown().describe('Which requests count, as the policy has it; null: every request.'),
  key: z.array(limitKeyPart).describe('Empty: all requests have one bucket together.'),
  limits: z.array(limitWindow).describe('All of them hold. Empty: the bucket is left out, or a service knows them.'),
  concurrent: count.nullable().describe('How many requests may be under way at once; null: it counts those of a time.'),
  cost: limitCost.nullable().describe('null: each request takes one.'),
  responseCost: limitResponseCost
    .nullable()
    .describe('What it takes besides when its response has ended; null: nothing.'),
  counting: z
    .enum(['proxy', 'shared', 'service'])
    .nullable()
    .describe(
      '`proxy`: each proxy counts by itself; `shared`: all proxies of a Gateway together; `service`: a ratelimit service; null: the bucket is left out.',
    ),
  service: limitService.nullable().describe('null: none is asked.'),
  shadow: flag.describe('True: it rejects nothing.'),
  status: count.nullable().describe('Of requests that it rejects; null: the bucket is left out.'),
};

export const requestLimit = named('RequestLimit', 'A bucket that requests of a place count against.', bucketShape);
export type RequestLimit = Shown<typeof requestLimit>;

export const rateLimitPolicyEntry = named(
  'RateLimitPolicyEntry',
  'One bucket of one RateLimitPolicy, at one place where requests meet it.',
  {
    ...placeShape,
    order: count.describe('Requests meet the buckets of a place in this order. Numbers may be left out.'),
    ...bucketShape,
    state: z.enum(['inForce', 'shadow', 'leftOut']).describe('`leftOut`: for what `message` says.'),
    message: z
      .string()
      .nullable()
      .describe('What is wrong with the bucket, or why it does not count here; null: nothing.'),
  },
);

export type RateLimitPolicyEntry = Shown<typeof rateLimitPolicyEntry>;
