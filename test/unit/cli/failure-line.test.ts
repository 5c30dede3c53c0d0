import test from 'ava';
import { failureLine } from '../../../src/cli/logs/logs.ts';

test('what a stranger sent cannot act on a terminal', (t) => {
  const failure = {
    at: '2026-01-02T03:04:05Z',
    method: 'GET',
    host: 'a.test\u001b[2J',
    path: '/\u202egnp.exe\n\u009b1A',
    status: 0,
    flags: ['DC'],
    details: '',
    transportFailure: null,
    backend: null,
    endpoint: null,
    attempts: 1,
    durationMs: 7,
  };
  t.is(
    failureLine(failure as never),
    '2026-01-02T03:04:05Z GET a.test\\u{1b}[2J/\\u{202e}gnp.exe\\u{a}\\u{9b}1A: no answer after 7ms: DC',
  );
});
