import { X509Certificate } from 'node:crypto';
import test from 'ava';
import type { Authority } from '../../../../src/cluster/identity/authority.ts';
import { isDue, livingOf } from '../../../../src/cluster/identity/authority-set.ts';
import { createAuthority } from '../../../../src/cluster/identity/issue-certificates.ts';
import { IssuedCertificates } from '../../../../src/cluster/identity/issued-certificates.ts';
import { thorough } from '../../../support/repetitions.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const timing = { lifetimeMs: 100 * dayMs, renewBeforeMs: 30 * dayMs, spreadMs: dayMs };

/** Authorities as a cluster would keep them, by a clock that is moved by hand. */
async function world() {
  let now = new Date('2026-03-01T00:00:00Z');
  let kept: readonly Authority[] = [];
  const failures: unknown[] = [];
  let fault: Error | undefined;
  const certificates = await IssuedCertificates.open({
    async load() {
      if (fault) throw fault;
      kept = livingOf(kept, now);
      if (isDue(kept, now, timing)) kept = [...kept, await createAuthority(now, timing.lifetimeMs)];
      return kept;
    },
    timing,
    hosts: ['localhost'],
    now: () => now,
    onFailure: (error) => failures.push(error),
  });
  const reported: string[] = [];
  certificates.follow(({ certificate }) => reported.push(certificate));
  return {
    certificates,
    reported,
    failures,
    fail: (error: Error | undefined) => {
      fault = error;
    },
    async pass(ms: number) {
      now = new Date(now.getTime() + ms);
      await certificates.look();
      return now;
    },
  };
}

const isOf = (certificate: string, bundle: string): boolean => {
  const leaf = new X509Certificate(certificate);
  const authorities = bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  return authorities.some((pem) => {
    const authority = new X509Certificate(pem);
    return leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
  });
};

test('a certificate is issued again after a third of its time, and not before', async (t) => {
  const { certificates, reported, pass } = await world();
  const first = certificates.current.certificate;
  await pass(7 * hourMs);
  t.is(certificates.current.certificate, first);
  await pass(2 * hourMs);
  t.not(certificates.current.certificate, first);
  t.deepEqual(reported, [certificates.current.certificate]);
});

test('a certificate from after now is issued again: the clock was set back', async (t) => {
  const { certificates, pass } = await world();
  await pass(9 * hourMs);
  const ahead = certificates.current.certificate;
  const now = await pass(-2 * hourMs);
  t.not(certificates.current.certificate, ahead);
  t.true(new X509Certificate(certificates.current.certificate).validFromDate <= now);
});

thorough(test)('over the years no certificate is outside of a bundle that clients had a day to read', async (t) => {
  const { certificates, pass } = await world();
  let yesterday = certificates.bundle;
  const bundles = new Set([yesterday]);
  for (let day = 0; day < 250; day += 1) {
    const now = await pass(dayMs);
    const { certificate } = certificates.current;
    t.true(isOf(certificate, yesterday), `on day ${day}`);
    t.true(new X509Certificate(certificate).validToDate > now);
    yesterday = certificates.bundle;
    bundles.add(yesterday);
  }
  t.true(bundles.size > 5, 'authorities came and went');
});

test('while authorities cannot be read, certificates of those that were read are issued on', async (t) => {
  const { certificates, failures, fail, pass } = await world();
  const { bundle } = certificates;
  const first = certificates.current.certificate;
  fail(new Error('away'));
  await pass(9 * hourMs);
  t.not(certificates.current.certificate, first);
  t.is(certificates.bundle, bundle);
  t.is(failures.length, 1);
});

test('followers of the bundle are notified when another authority is in it', async (t) => {
  const { certificates, pass } = await world();
  const bundles: string[] = [];
  certificates.followBundle((bundle) => bundles.push(bundle));
  await pass(69 * dayMs);
  t.deepEqual(bundles, []);
  await pass(2 * dayMs);
  t.deepEqual(bundles, [certificates.bundle]);
  t.is(certificates.bundle.match(/BEGIN/g)?.length, 2);
});
