import test from 'ava';
import { parseDurationMs } from '../../../src/std/index.ts';

const duration = test.macro({
  exec: (t, text: string, ms: number | undefined) => t.is(parseDurationMs(text), ms),
  title: (_, text) => `duration ${JSON.stringify(text)}`,
});
test(duration, '10s', 10_000);
test(duration, '1h30m', 5_400_000);
test(duration, '250ms', 250);
test(duration, '1m1s1ms', 61_001);
test(duration, '0s', 0);
test(duration, '', undefined);
test(duration, '10', undefined);
test(duration, '1.5s', undefined);
test(duration, '-1s', undefined);
test(duration, '1s ', undefined);
test(duration, '100000s', undefined);
test(duration, '1s1s1s1s1s', undefined);
