import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import test from 'ava';
import { readAuthority } from '../../../../src/cluster/identity/authority.ts';
import { authoritiesOf, secretData } from '../../../../src/cluster/identity/authority-secret.ts';
import { bundleOf, isDue, livingOf, signerOf } from '../../../../src/cluster/identity/authority-set.ts';
import { createAuthority, issueServing } from '../../../../src/cluster/identity/issue-certificates.ts';

const dayMs = 86_400_000;
const start = new Date('2026-03-01T00:00:00Z');
const after = (days: number) => new Date(start.getTime() + days * dayMs);
const timing = { lifetimeMs: 100 * dayMs, renewBeforeMs: 30 * dayMs, spreadMs: dayMs };
const authorityOf = (days: number) => createAuthority(after(days), timing.lifetimeMs);

test('a serving certificate is for its names and addresses, of its authority, and for servers only', async (t) => {
  const authority = await authorityOf(0);
  const hosts = ['gatewright.gatewright-system.svc', '10.0.0.7', '::1'];
  const { certificate, key } = await issueServing(authority, { hosts, now: start, lifetimeMs: dayMs });
  const [leaf, issuer] = [new X509Certificate(certificate), new X509Certificate(authority.certificate)];
  t.is(leaf.checkHost('gatewright.gatewright-system.svc'), 'gatewright.gatewright-system.svc');
  t.is(leaf.checkIP('10.0.0.7'), '10.0.0.7');
  t.is(leaf.checkIP('::1'), '::1');
  t.is(leaf.checkHost('other.svc'), undefined);
  t.true(leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey));
  t.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  t.false(leaf.ca);
  t.is(leaf.validToDate.getTime(), after(1).getTime());
  t.notThrows(() => createSecureContext({ cert: certificate, key }));
});

test('a certificate never outlives its authority', async (t) => {
  const authority = await authorityOf(0);
  const { notAfter } = await issueServing(authority, { hosts: ['a.test'], now: after(99.5), lifetimeMs: dayMs });
  t.is(notAfter.getTime(), authority.notAfter.getTime());
});

test('what is kept is read back, and what is not an authority is rejected', async (t) => {
  const [one, other] = [await authorityOf(0), await authorityOf(1)];
  t.deepEqual(readAuthority(one.certificate, one.key), one);
  t.throws(() => readAuthority(one.certificate, other.key), { message: /does not belong/ });
  const { certificate, key } = await issueServing(one, { hosts: ['a.test'], now: start, lifetimeMs: dayMs });
  t.throws(() => readAuthority(certificate, key), { message: /not that of an authority/ });
});

test('a Secret holds any number of authorities, and a bundle for people', async (t) => {
  const authorities = [await authorityOf(0), await authorityOf(1)];
  const data = secretData(authorities);
  const bundle = Buffer.from(data['ca.crt'] ?? '', 'base64').toString();
  t.is(bundle, bundleOf(authorities));
  t.false('tls.key' in data, 'or a listener could name it');
  const read = authoritiesOf({ data } as never);
  t.deepEqual(new Set(read), new Set(authorities));
});

test('a Secret that is empty has no authorities; one of something else is rejected with what it holds', (t) => {
  t.deepEqual(authoritiesOf({} as never), []);
  t.throws(() => authoritiesOf({ data: { 'tls.crt': '', 'tls.key': '' } } as never), { message: /tls\.crt, tls\.key/ });
  t.throws(() => authoritiesOf({ data: { 'a.ca.crt': '' } } as never), { message: /without its key/ });
  t.throws(() => authoritiesOf({ data: { 'a.ca.crt': '', 'a.ca.key': '' } } as never), { message: /cannot be used/ });
});

test('another authority is due when there is none, and before the newest ends', async (t) => {
  const first = await authorityOf(0);
  t.true(isDue([], start, timing));
  t.false(isDue([first], after(69), timing));
  t.true(isDue([first], after(71), timing));
  t.false(isDue([first, await authorityOf(71)], after(71), timing));
});

test('a new authority is in the bundle before it signs, and the old one for as long as it lasts', async (t) => {
  const [first, second] = [await authorityOf(0), await authorityOf(71)];
  const living = livingOf([second, first], after(71));
  t.is(signerOf([first], start, timing), first, 'the only one signs at once');
  t.is(signerOf(living, after(71.5), timing), first);
  t.is(signerOf(living, after(72), timing), second);
  t.is(bundleOf(living), `${first.certificate.trim()}\n${second.certificate.trim()}\n`);
  t.deepEqual(livingOf(living, after(101)), [second]);
});
