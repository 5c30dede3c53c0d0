import test from 'ava';
import { failureLine } from '../../../src/cli/logs/logs.ts';

const failure = {
  at: '2026-01-02T03:04:05Z',
  method: 'GET',
  host: 'a.test',
  path: '/',
  status: 0,
  flags: ['DC'],
  details: '',
  transportFailure: null,
  backend: null,
  endpoint: null,
  clientAddress: null,
  attempts: 1,
  durationMs: 7,
};

test('what a stranger sent cannot act on a terminal', (t) => {
  const hostile = { ...failure, host: 'a.test\u001b[2J', path: '/\u202egnp.exe\n\u009b1A' };
  t.is(
    failureLine(hostile as never),
    '2026-01-02T03:04:05Z GET a.test\\u{1b}[2J/\\u{202e}gnp.exe\\u{a}\\u{9b}1A: no answer after 7ms: DC',
  );
});

test('the client is named where the control plane shows it', (t) => {
  t.is(failureLine(failure as never), '2026-01-02T03:04:05Z GET a.test/: no answer after 7ms: DC');
  t.is(
    failureLine({ ...failure, clientAddress: '192.0.2.7' } as never),
    '2026-01-02T03:04:05Z GET a.test/ from 192.0.2.7: no answer after 7ms: DC',
  );
});
