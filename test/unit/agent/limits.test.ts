import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import { LimitJudge, UnknownLimit } from '../../../src/agent/limits/limit-judge.ts';
import { StepReader } from '../../../src/agent/limits/limit-steps.ts';
import { type LimitDescriptor, readQuestion, writeAnswer } from '../../../src/agent/limits/rls-messages.ts';
import type { Verdict } from '../../../src/agent/limits/verdict.ts';
import { parseSharedBucket, type SharedBucket, sharedBucketText } from '../../../src/contracts/index.ts';
import {
  RateLimitResponse_Code as Code,
  RateLimitRequestSchema,
  RateLimitResponseSchema,
} from '../../../src/envoy/index.ts';

const bucket: SharedBucket = {
  id: 'n/p/b',
  windows: [
    { requests: 10, perMs: 1000, burst: 20 },
    { requests: 5, perMs: 2_592_000_000, burst: 4_294_967_295 },
  ],
  shadow: false,
  headers: undefined,
  closes: false,
};
const answering = (answer: Verdict['answer'], asked: string[] = []) => ({
  ask: ({ id }: SharedBucket, key: string): Verdict => {
    asked.push(`${id} ${key}`);
    return { answer, left: 0, waitMs: 1500, alone: false };
  },
  charge() {},
});
const stepsOf = (...descriptors: readonly LimitDescriptor[]) =>
  descriptors.map((each) => new StepReader().stepOf(each));
const descriptorOf = (more: Partial<SharedBucket>, ...rest: readonly string[]) => ({
  entries: [
    { key: 'bucket', value: sharedBucketText({ ...bucket, ...more }) },
    ...rest.map((value) => ({ key: 'k0', value })),
  ],
  cost: 1,
});

test('a bucket is read as it was written, and what is no bucket is none', (t) => {
  const others: readonly Partial<SharedBucket>[] = [
    {},
    { shadow: true },
    { headers: 'xRateLimit', closes: true },
    { headers: 'rateLimit' },
    { remembers: true, closes: true },
    { charges: 4_294_967_295 },
  ];
  for (const more of others)
    t.deepEqual(parseSharedBucket(sharedBucketText({ ...bucket, ...more })), { ...bucket, ...more });
  for (const text of [
    '',
    'a',
    '|1/1/1|',
    'a|1/1|',
    'a|0/1/1|',
    'a|1/1/1|s|x',
    'a|1/1/-1|',
    `a|${'1/1/1,'.repeat(4)}1/1/1|`,
  ])
    t.is(parseSharedBucket(text), undefined, text);
});

test('messages are those of Envoy', (t) => {
  const request = create(RateLimitRequestSchema, {
    domain: 'gatewright.limits',
    descriptors: [
      {
        entries: [
          { key: 'bucket', value: 'ü' },
          { key: 'k0', value: '' },
        ],
      },
      { entries: [], hitsAddend: 0n },
      { entries: [], hitsAddend: 7n },
      { entries: [], hitsAddend: 2n ** 64n - 1n },
    ],
    hitsAddend: 3,
  });
  t.deepEqual(readQuestion(toBinary(RateLimitRequestSchema, request)), {
    domain: 'gatewright.limits',
    descriptors: [
      {
        entries: [
          { key: 'bucket', value: 'ü' },
          { key: 'k0', value: '' },
        ],
        cost: 1,
      },
      { entries: [], cost: 0 },
      { entries: [], cost: 7 },
      { entries: [], cost: 4_294_967_295 },
    ],
  });
  const answer = writeAnswer({
    isOver: true,
    requestHeaders: [['a', 'b']],
    responseHeaders: [['c', 'ü']],
    body: 'x',
    metadata: { 'n/p/b': 'key' },
  });
  t.like(fromBinary(RateLimitResponseSchema, answer), {
    overallCode: Code.OVER_LIMIT,
    requestHeadersToAdd: [{ key: 'a', value: 'b' }],
    responseHeadersToAdd: [{ key: 'c', value: 'ü' }],
    dynamicMetadata: { 'n/p/b': 'key' },
  });
  t.is(
    fromBinary(RateLimitResponseSchema, writeAnswer({ isOver: false, requestHeaders: [], responseHeaders: [] }))
      .overallCode,
    Code.OK,
  );
});

test('the first empty bucket rejects, none behind it is asked, and what requests differ by stays in the proxy', async (t) => {
  const asked: string[] = [];
  const judge = new LimitJudge(answering('over', asked));
  const answer = await judge.judge(
    stepsOf(descriptorOf({ shadow: true }, 'ann'), descriptorOf({ id: 'n/p/c' }, 'ann'), descriptorOf({})),
  );
  t.is(asked.length, 2);
  t.false(asked.join().includes('ann'));
  t.deepEqual(
    [answer.isOver, answer.responseHeaders],
    [
      true,
      [
        ['x-gw-limit', 'n/p/c'],
        ['retry-after', '2'],
      ],
    ],
  );
  t.deepEqual(
    [...judge.counts.list()],
    [
      [{ bucket: 'n/p/b', outcome: 'shadowed' }, 1],
      [{ bucket: 'n/p/c', outcome: 'rejected' }, 1],
    ],
  );
});

test('of a request that came through the key is kept, and what its response cost is taken from that', async (t) => {
  const charged: unknown[] = [];
  const leases = { ...answering('passed'), charge: (...all: readonly unknown[]) => charged.push(all.slice(1)) };
  const judge = new LimitJudge(leases as never);
  const { metadata } = await judge.judge(
    stepsOf(descriptorOf({ remembers: true }, 'ann'), descriptorOf({ id: 'n/p/c' }, 'ann')),
  );
  t.deepEqual(Object.keys(metadata ?? {}), ['n/p/b']);
  const key = metadata?.['n/p/b'] ?? '';
  t.regex(key, /^[\w-]{22}$/);
  for (const cost of [7, 1000])
    t.false((await judge.judge(stepsOf({ ...descriptorOf({ charges: 20 }, key), cost }))).isOver);
  t.deepEqual(charged, [
    [key, 7],
    [key, 20],
  ]);
  t.is((await new LimitJudge(answering('over')).judge(stepsOf(descriptorOf({ remembers: true })))).metadata, undefined);
});

test('of the same bucket at two targets of its policy each has a key of its own, which is kept by target', async (t) => {
  const at = (target: string) => {
    const { entries, cost } = descriptorOf({ remembers: true }, 'ann');
    const [bucketEntry, ...rest] = entries;
    return { entries: [...(bucketEntry ? [bucketEntry] : []), { key: 'target', value: target }, ...rest], cost };
  };
  const { metadata = {} } = await new LimitJudge(answering('passed')).judge(
    stepsOf(at('HTTPRoute/n/a'), at('HTTPRoute/n/b')),
  );
  t.deepEqual(Object.keys(metadata), ['n/p/b HTTPRoute/n/a', 'n/p/b HTTPRoute/n/b']);
  t.is(new Set(Object.values(metadata)).size, 2);
});

test('what is not known rejects, but not on trial, and so does what is no bucket', async (t) => {
  const judge = new LimitJudge(answering('unknown'));
  const rejects = (descriptor: LimitDescriptor) =>
    t.throws(() => judge.judge(stepsOf(descriptor)), { instanceOf: UnknownLimit });
  rejects(descriptorOf({ closes: true }));
  t.false((await judge.judge(stepsOf(descriptorOf({ closes: true, shadow: true })))).isOver);
  rejects({ entries: [{ key: 'bucket', value: 'odd' }], cost: 1 });
  rejects({ entries: [], cost: 1 });
});

test('buckets behind one that has to wait are asked after it, and the first error is that of the question', async (t) => {
  const asked: string[] = [];
  const verdicts: ((answer: Verdict['answer']) => void)[] = [];
  const ask = ({ id }: SharedBucket): Promise<Verdict> => {
    asked.push(id);
    return new Promise((resolve) => verdicts.push((answer) => resolve({ answer, left: 0, waitMs: 0, alone: false })));
  };
  const judge = new LimitJudge({ ask, charge() {} });
  const steps = stepsOf(descriptorOf({}), descriptorOf({ id: 'n/p/c', closes: true }), descriptorOf({ id: 'n/p/d' }));
  const answer = judge.judge(steps);
  t.deepEqual(asked, ['n/p/b']);
  verdicts[0]?.('passed');
  await Promise.resolve();
  t.deepEqual(asked, ['n/p/b', 'n/p/c']);
  verdicts[1]?.('unknown');
  await t.throwsAsync(async () => await answer, { instanceOf: UnknownLimit });
  t.deepEqual(asked, ['n/p/b', 'n/p/c']);
  t.is(judge.counts.fromLease, 0);
});

const questionOf = (...values: readonly string[]): Uint8Array =>
  toBinary(
    RateLimitRequestSchema,
    create(RateLimitRequestSchema, {
      domain: 'gatewright.limits',
      descriptors: values.map((value) => ({ entries: descriptorOf({}, value).entries })),
    }),
  );

test('a question that comes again is not read again, and others are', (t) => {
  const reader = new StepReader();
  const first = reader.stepsIn(questionOf('ann'));
  t.deepEqual(first, new StepReader().stepsIn(questionOf('ann')));
  t.is(reader.stepsIn(questionOf('ann')), first);
  const keys = (...values: readonly string[]) => reader.stepsIn(questionOf(...values))?.map(({ key }) => key);
  t.deepEqual(keys('bob', 'ann')?.[1], first?.[0]?.key);
  t.notDeepEqual(keys('bob'), keys('ann'));
  // Texts of as many bytes as a message has, whatever its letters take.
  t.notDeepEqual(keys('\u00fc'), keys('\u00c3\u00bc'));
  const other = create(RateLimitRequestSchema, { domain: 'other' });
  for (let round = 0; round < 2; round += 1) t.is(reader.stepsIn(toBinary(RateLimitRequestSchema, other)), undefined);
});

test('few questions are kept, and none that is long', (t) => {
  const reader = new StepReader();
  const first = reader.stepsIn(questionOf('ann'));
  for (let at = 0; at < 600; at += 1) reader.stepsIn(questionOf(`user-${at}`));
  const again = reader.stepsIn(questionOf('ann'));
  t.not(again, first);
  t.deepEqual(again, first);
  const long = 'x'.repeat(600);
  t.not(reader.stepsIn(questionOf(long)), reader.stepsIn(questionOf(long)));
  t.is(reader.stepsIn(questionOf('ann')), again);
});
