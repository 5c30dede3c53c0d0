import test from 'ava';
import { readDiscovery } from '../../../src/keys/discovery.ts';
import { FetchFault } from '../../../src/keys/fetch-fault.ts';

const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

for (const [what, issuer] of Object.entries({ 'an object': '{"toString":1}', 'nested deep': deep, 'a number': '1' }))
  test(`a discovery document whose issuer is ${what} names none`, (t) => {
    const read = () => readDiscovery(`{"issuer":${issuer},"jwks_uri":"https://a.test/keys"}`, 'https://a.test');
    t.throws(read, { instanceOf: FetchFault, message: 'the discovery document names no issuer' });
  });
