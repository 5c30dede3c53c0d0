import { status } from '@grpc/grpc-js';
import test from 'ava';
import { streamEnd } from '../../../src/agent/relay/stream-end.ts';

const words = test.macro((t, details: string, expected: RegExp) => {
  const { reason, rejected, superseded } = streamEnd(
    status.UNAVAILABLE,
    `No connection established. Last error: ${details}.`,
  );
  t.regex(reason, expected);
  t.true(reason.includes(details), 'with what the library says');
  t.false(rejected || superseded);
});
test('an expired certificate', words, 'Error: certificate has expired', /^UNAVAILABLE: .* certificate has expired: /);
test('a self-signed certificate', words, 'Error: self-signed certificate', /of an unknown CA/);
test('an unknown root', words, 'Error: self-signed certificate in certificate chain', /of an unknown CA/);
test('an unknown issuer', words, 'Error: unable to get local issuer certificate', /of an unknown CA/);
test('an unknown leaf', words, 'Error: unable to verify the first certificate', /of an unknown CA/);
test('another name', words, "Hostname/IP does not match certificate's altnames: Host: a", /name mismatch/);
test('no TLS', words, 'Error: 80:error:0A00010B:SSL routines::wrong version number', /no TLS is spoken there/);
test('anything else', words, 'connect ECONNREFUSED 127.0.0.1:1', /^UNAVAILABLE: No connection established/);

test('a rejection is distinguished from a broken stream', (t) => {
  t.like(streamEnd(status.UNAUTHENTICATED, 'no token'), { reason: 'UNAUTHENTICATED: no token', rejected: true });
  t.like(streamEnd(status.PERMISSION_DENIED, 'not yours'), { reason: 'PERMISSION_DENIED: not yours', rejected: true });
  t.like(streamEnd(status.OK, ''), { reason: 'closed by the control plane' });
  t.like(streamEnd(status.ABORTED, 'superseded by a newer stream'), { superseded: true, rejected: false });
});
