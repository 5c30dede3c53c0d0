import test from 'ava';
import { ingressOf, secretOf, shownTo, startServedCertificates } from '../support/served-certificates.ts';

/** A tenant (`away`) with Ingresses, Services and Secrets in one namespace, at a Gateway that serves hosts of another one (`shop`) over HTTPS. */

const created = '2025-01-01T00:00:00Z';

test("a tenant's wildcard gets no request for a host of another namespace, and shows no certificate for it", async (t) => {
  const secrets = await Promise.all([
    secretOf('infra/default', 'default.test'),
    secretOf('away/wild', '*.w.test', '*.d.w.test', '*.test'),
  ]);
  const sections = [{ hosts: ['*.w.test', '*.d.w.test', '*.test'], secretName: 'wild' }];
  const { httpsPort, ask } = await startServedCertificates(t, [{ secret: 'default' }], secrets, [
    ingressOf('victim', 'a.w.test', undefined),
    ingressOf('victim-deep', 'b.d.w.test', undefined),
    ingressOf('victim-missing', 'c.w.test', [{ hosts: ['c.w.test'], secretName: 'wild' }]),
    ...['*.w.test', '*.d.w.test', '*.test'].map((host, at) =>
      ingressOf(`evil-${at}`, host, sections, { namespace: 'away', created }),
    ),
  ]);
  t.is(await shownTo(httpsPort, 'own.w.test'), '*.w.test', "the tenant's wildcard is served");
  t.is(await ask('own.w.test'), '200 away');
  for (const host of ['a.w.test', 'b.d.w.test', 'c.w.test']) {
    t.is(await shownTo(httpsPort, host), 'default.test', host);
    t.is(await ask(host), '200 shop', host);
  }
});

test('a tenant gets no certificate of another namespace for a host below its wildcard', async (t) => {
  const secrets = await Promise.all([secretOf('infra/default', 'default.test'), secretOf('shop/wild', '*.w.test')]);
  const { httpsPort, ask } = await startServedCertificates(t, [{ secret: 'default' }], secrets, [
    ingressOf('wild', '*.w.test', [{ hosts: ['*.w.test'], secretName: 'wild' }]),
    ingressOf('bare', 'login.w.test', undefined, { namespace: 'away' }),
    ingressOf('named', 'pay.w.test', [{ hosts: ['pay.w.test'], secretName: 'wild' }], { namespace: 'away' }),
    ingressOf('path', 'mail.w.test', [{ secretName: 'shop/wild' }], { namespace: 'away' }),
  ]);
  t.is(await shownTo(httpsPort, 'shop.w.test'), '*.w.test');
  t.is(await ask('shop.w.test'), '200 shop');
  for (const host of ['login.w.test', 'pay.w.test', 'mail.w.test']) {
    t.is(await shownTo(httpsPort, host), 'default.test', host);
    t.is(await ask(host), '200 away', host);
  }
});
