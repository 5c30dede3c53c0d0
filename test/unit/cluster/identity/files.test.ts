import { rmSync } from 'node:fs';
import test from 'ava';
import { readBundle, readServing } from '../../../../src/cluster/identity/certificate-files.ts';
import { Followed } from '../../../../src/cluster/identity/followed.ts';
import { IdentityError } from '../../../../src/cluster/identity/identity-error.ts';
import { claimsOf, serviceAccountOf } from '../../../../src/cluster/identity/service-account-token.ts';
import { servingHosts } from '../../../../src/cluster/identity/serving-hosts.ts';
import { filesFor, serving, testAuthority } from '../../../support/xds-tls.ts';

test('files that cannot be used are rejected by key, path and what to do', async (t) => {
  const write = filesFor(t);
  const authority = await testAuthority();
  const [one, other] = [await serving(authority), await serving(authority)];
  const certFile = write('tls.crt', one.certificate);
  const keyFile = write('tls.key', one.key);
  t.like(readServing({ certFile, keyFile }), { certificate: one.certificate, key: one.key });
  const rejected = (read: () => unknown, message: RegExp) => t.throws(read, { instanceOf: IdentityError, message });
  rejected(
    () => readServing({ certFile: '/nowhere', keyFile }),
    /xds\.tls\.certFile: \/nowhere cannot be read \(ENOENT\)/,
  );
  rejected(() => readServing({ certFile, keyFile: write('other.key', other.key) }), /keyFile: .* belongs to the cert/);
  rejected(() => readServing({ certFile, keyFile: write('no.key', 'hello') }), /keyFile/);
  rejected(() => readServing({ certFile, keyFile, clientCAFile: write('no.crt', 'hello') }), /clientCAFile: .*PEM/);
  rejected(() => readBundle('caFile', write('empty.crt', '')), /caFile: .*PEM/);
});

test('a pair that is half written changes nothing until the other half is there', async (t) => {
  const write = filesFor(t);
  const authority = await testAuthority();
  const [one, other] = [await serving(authority), await serving(authority)];
  const paths = { certFile: write('tls.crt', one.certificate), keyFile: write('tls.key', one.key) };
  const failures: string[] = [];
  const followed = new Followed({ read: () => readServing(paths), onFailure: ({ message }) => failures.push(message) });
  const reported: string[] = [];
  followed.follow(({ certificate }) => reported.push(certificate));
  followed.look();
  write('tls.crt', other.certificate);
  followed.look();
  followed.look();
  t.is(followed.current.certificate, one.certificate);
  t.is(failures.length, 1, 'said once');
  write('tls.key', other.key);
  followed.look();
  t.deepEqual(reported, [other.certificate]);
  rmSync(paths.keyFile);
  followed.look();
  t.is(followed.current.certificate, other.certificate);
});

test('a token says what it is for before it is checked', (t) => {
  const token = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  t.deepEqual(claimsOf(token({ aud: 'a', exp: 10 })), { audiences: ['a'], expiresAt: new Date(10_000) });
  t.deepEqual(claimsOf(token({ aud: ['a', 'b'] })), { audiences: ['a', 'b'], expiresAt: undefined });
  for (const text of ['', 'abc', 'a.b.c', `a.${Buffer.from('7').toString('base64url')}.c`])
    t.is(claimsOf(text), undefined, text);
  t.deepEqual(serviceAccountOf('system:serviceaccount:shop:a'), { namespace: 'shop', name: 'a' });
  for (const user of ['admin', 'system:serviceaccount:shop', 'x:system:serviceaccount:a:b'])
    t.is(serviceAccountOf(user), undefined);
});

test('a Service is served under each of its names, and what is no Service under its own', (t) => {
  const hosts = servingHosts('gatewright.gatewright-system.svc');
  for (const host of [
    'gatewright',
    'gatewright.gatewright-system',
    'gatewright.gatewright-system.svc',
    'gatewright.gatewright-system.svc.cluster.local',
    'localhost',
    '127.0.0.1',
  ])
    t.true(hosts.includes(host), host);
  t.true(servingHosts('xds.example.com').includes('xds.example.com'));
  t.false(servingHosts('xds.example.com').includes('xds'));
});
