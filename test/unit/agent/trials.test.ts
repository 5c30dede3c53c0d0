import { BinaryWriter } from '@bufbuild/protobuf/wire';
import test from 'ava';
import { pino } from 'pino';
import type { DeltaRequest } from '../../../src/agent/relay/delta-messages.ts';
import { Trials } from '../../../src/agent/trials/index.ts';
import { untriedReason } from '../../../src/contracts/index.ts';
import { typeUrls } from '../../../src/envoy/wire/index.ts';

const answer = (nonce: string, bytes: Uint8Array) => ({
  typeUrl: typeUrls.trial,
  nonce,
  systemVersion: '',
  resources: [{ name: 'c', version: '1', bytes }],
  removed: [],
});

test('what cannot be read is answered as not tried, and so is what comes after it', async (t) => {
  const trials = new Trials({
    logger: pino({ level: 'silent' }),
    clock: { now: () => new Date(), delay: async () => undefined },
  });
  trials.open(() => ({ path: '/nothing', folder: '/nothing', bootstrap: '{}' }));
  const sent: DeltaRequest[] = [];
  trials.ask((request) => sent.push(request));
  // A message in a message that ends too early.
  const broken = new BinaryWriter()
    .tag(2, 2)
    .bytes(Uint8Array.of(18, 100, 1))
    .finish();
  await trials.answered(answer('1', broken));
  await trials.answered(answer('2', new Uint8Array()));
  const words = sent.slice(1).map(({ nonce, error }) => [nonce, untriedReason(error?.message ?? '')]);
  t.deepEqual(words, [
    ['1', 'the agent cannot try this'],
    ['2', 'the agent cannot try this'],
  ]);
});
