import test from 'ava';
import { askServer } from '../../../../src/agent/dns/ask-server.ts';

test('a name server to which no way leads is one that does not answer', async (t) => {
  // The kernel lets no socket connect to it, as to an address of IPv6 on a machine without it.
  const server = { address: '255.255.255.255', port: 53 };
  const error = await t.throwsAsync(
    askServer(server, { name: 'example.com', type: 'A' }, new AbortController().signal),
  );
  t.regex(error?.message ?? '', /connect E(ACCES|NETUNREACH)/);
});
