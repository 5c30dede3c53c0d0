import test from 'ava';
import { aiSpan } from '../../../../src/addons/ai/spans/ai-span.ts';
import { readTraceparent } from '../../../../src/spans/index.ts';
import { attempt } from '../../../support/ai-records.ts';

test('a traceparent is taken by the rules of W3C, or not at all', (t) => {
  const [trace, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  t.deepEqual(readTraceparent(`00-${trace}-${parent}-01`), { traceId: trace, parentId: parent, isSampled: true });
  t.is(readTraceparent(`00-${trace}-${parent}-02`)?.isSampled, false);
  t.is(readTraceparent(`01-${trace}-${parent}-03-more`)?.isSampled, true);
  for (const header of [
    undefined,
    '',
    `ff-${trace}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${parent}-01`,
    `00-${trace}-${parent}-01x`,
  ])
    t.is(readTraceparent(header), null, header);
});

test('a share of what comes without a trace is recorded, all tries of a request alike', (t) => {
  const kept = Array.from({ length: 2000 }, (_, n) => aiSpan(attempt({ id: `request ${n}` }), undefined, 25));
  const share = kept.filter(Boolean).length;
  t.true(share > 400 && share < 600, `${share} of 2000`);
  for (const [n, span] of kept.entries()) {
    const again = aiSpan(attempt({ id: `request ${n}`, service: 'a/other' }), undefined, 25);
    t.is(again === undefined, span === undefined);
    if (again && span) {
      t.deepEqual(again.traceId, span.traceId);
      t.notDeepEqual(again.spanId, span.spanId);
    }
  }
  t.is(aiSpan(attempt(), undefined, 0), undefined);
});

test('a span made again is the same', (t) => {
  const [one, two] = [aiSpan(attempt(), undefined, 100), aiSpan(attempt(), undefined, 100)];
  t.deepEqual(one, two);
  t.is(one?.startTimeUnixNano, 1_700_000_000_000_250_000n);
  t.is((one?.endTimeUnixNano ?? 0n) - (one?.startTimeUnixNano ?? 0n), 90_000_000n);
  t.is(one?.name, 'chat m', 'responses are a chat to OpenTelemetry');
});
