import { Metadata } from '@grpc/grpc-js';
import test from 'ava';
import { Reports, type ReportsOptions } from '../../../src/agent/traffic/reports.ts';
import { Backoff } from '../../../src/std/index.ts';

interface Sent {
  readonly sequence: number;
  readonly again: boolean;
}

test('a report that got no answer is sent again as it was, and says so; the next one does not', async (t) => {
  const sent: Sent[] = [];
  const answers = [new Error('no connection'), new Error('reset'), null, null];
  const done = Promise.withResolvers<void>();
  const client = {
    metadata: async () => new Metadata(),
    get: () => ({
      makeUnaryRequest(...args: unknown[]) {
        sent.push(JSON.parse(String(args[3])) as Sent);
        (args[6] as (error: Error | null) => void)(answers.shift() ?? null);
        if (answers.length === 0) done.resolve();
        return { cancel: () => undefined };
      },
    }),
  };
  const reports = new Reports({
    client,
    nodeId: 'n1',
    cluster: 'default/edge',
    failures: { drain: () => [] },
    logger: { warn: () => undefined, debug: () => undefined },
    clock: { now: () => new Date(0), delay: async () => undefined },
    backoff: new Backoff({ baseMs: 1, maxMs: 1 }),
  } as unknown as ReportsOptions);
  reports.counted({ from: 0, to: 1, rows: [], picks: [] }, true);
  reports.counted({ from: 1, to: 2, rows: [], picks: [] }, true);
  await done.promise;
  await reports.stop();
  t.deepEqual(
    sent.map(({ sequence, again }) => [sequence, again]),
    [
      [1, false],
      [1, true],
      [1, true],
      [2, false],
    ],
  );
});
