import { X509Certificate } from 'node:crypto';
import test from 'ava';
import type { KubernetesObject, ObjectKey } from '../../src/gateway-api/index.ts';
import { IngressNginxModel } from '../../src/ingress/index.ts';
import { certificateFor } from '../../src/ingress/model/certificate-for.ts';
import { send } from '../support/http.ts';
import { controller, worldOf } from '../support/ingress-world.ts';
import { thorough } from '../support/repetitions.ts';
import { ingressOf, secretOf, shownTo, startServedCertificates } from '../support/served-certificates.ts';
import { askTls } from '../support/tls-ask.ts';
import { until, untilFits } from '../support/until.ts';

/** Which certificate clients of served Ingresses see, and whose paths they get, by handshakes with a real Envoy and by the model of ingress-nginx. */

thorough(test)(
  'hosts show the certificate that ingress-nginx shows, and are answered by their own Ingress',
  async (t) => {
    const secrets = await Promise.all([
      secretOf('shop/wild', '*.w.test'),
      secretOf('shop/exact', 'e.test'),
      secretOf('shop/two', 'f.test', 'g.test', 'r.test'),
      secretOf('shop/other', 'o.test'),
      secretOf('shop/names', 'h.test', 'alias.test'),
      secretOf('shop/both', 'k.test', 'www.k.test'),
      secretOf('infra/default', 'default.test'),
    ]);
    const broken = {
      ...secrets[0],
      metadata: { name: 'broken', namespace: 'shop' },
      data: { 'tls.crt': 'eA==', 'tls.key': 'eA==' },
    } as KubernetesObject;
    const ingresses = [
      ingressOf('covered', 'a.w.test', [{ hosts: ['*.w.test'], secretName: 'wild' }]),
      ingressOf('whole', '*.w.test', [{ hosts: ['x.w.test'], secretName: 'wild' }]),
      ingressOf('several', 'g.test', [
        { hosts: ['z.test'], secretName: 'other' },
        { hosts: ['y.test'], secretName: 'two' },
      ]),
      ingressOf('without-rules', 'e.test', [{ hosts: ['nowhere.test'], secretName: 'exact' }]),
      ingressOf('without-hosts', 'f.test', [{ secretName: 'two' }]),
      ingressOf('missing', 'm.test', [{ hosts: ['m.test'], secretName: 'absent' }]),
      ingressOf('wrong', 'n.test', [{ hosts: ['n.test'], secretName: 'other' }]),
      ingressOf('broken', 'p.test', [{ hosts: ['p.test'], secretName: 'broken' }]),
      ingressOf('standard', 'd.test', [{ hosts: ['d.test'] }]),
      ingressOf('none', 'q.test', undefined),
      ingressOf('bare', 'b.w.test', undefined),
      ingressOf('away', 'c.w.test', undefined, { namespace: 'away' }),
      ingressOf('deep', 'c.d.w.test', undefined, { namespace: 'away' }),
      ingressOf('wide-away', '*.v.w.test', undefined, { namespace: 'away' }),
      ingressOf('named', 'h.test', [{ hosts: ['h.test'], secretName: 'names' }], {
        annotations: { 'server-alias': 'alias.test, alias.else' },
      }),
      ingressOf('www', 'k.test', [{ hosts: ['k.test'], secretName: 'both' }], {
        annotations: { 'from-to-www-redirect': 'true' },
      }),
      ingressOf('older', 'r.test', [{ hosts: ['r.test'] }], { paths: ['/older'], created: '2025-01-01T00:00:00Z' }),
      ingressOf('younger', 'r.test', [{ hosts: ['r.test'], secretName: 'two' }]),
    ];
    const served = await startServedCertificates(t, [{ secret: 'default' }], [...secrets, broken], ingresses);
    const { httpsPort, ask, run } = served;
    const model = modelOf(served, [...secrets, broken], ingresses);
    const names = [
      'a.w.test',
      'q.w.test',
      'g.test',
      'e.test',
      'f.test',
      'm.test',
      'n.test',
      'p.test',
      'd.test',
      'q.test',
    ];
    const more = ['c.w.test', 'h.test', 'alias.test', 'alias.else', 'k.test', 'www.k.test', 'r.test', 'nowhere.test'];
    const deep = ['c.d.w.test', 'z.v.w.test'];
    for (const name of [...names, ...more, ...deep]) t.is(await shownTo(httpsPort, name), model(name), name);
    t.is(model('q.w.test'), '*.w.test');
    t.is(model('r.test'), 'default.test', 'the first Ingress of the host with a section decides');
    // Beside a wildcard of its own namespace, a host gets a certificate that clients accept.
    t.is(model('b.w.test'), 'default.test');
    t.is(await shownTo(httpsPort, 'b.w.test'), '*.w.test');
    const inShop = [...names, 'b.w.test', 'h.test', 'alias.test', 'alias.else', 'k.test', 'r.test'];
    for (const name of inShop) t.is(await ask(name), '200 shop', name);
    for (const name of ['c.w.test', 'c.d.w.test', 'z.v.w.test']) t.is(await ask(name), '200 away', name);
    t.is((await askTls(httpsPort, { host: 'www.k.test' })).status, 308);
    t.is((await askTls(httpsPort, { host: 'nowhere.test' })).status, 404);

    const instead = 'so clients see the certificate of listener https-0 of Gateway infra/edge';
    for (const text of [
      `m.test: Secret shop/absent does not exist, ${instead}`,
      `n.test: Secret shop/other has a certificate for other names, ${instead}`,
      `p.test: Secret shop/broken has no certificate and key in PEM, ${instead}`,
    ])
      await until('the log to say so', () => run.log.some((line) => JSON.stringify(line).includes(text)));
    const said = run.log.flatMap(({ code, name }) => (code === 'ingress_degraded' ? [name] : []));
    t.deepEqual([...new Set(said)].sort(), ['broken', 'missing', 'wrong']);

    // What is missing may come, and what others are below may go.
    run.write('absent.yaml', await secretOf('shop/absent', 'm.test'));
    await untilFits(
      'the certificate that came',
      () => shownTo(httpsPort, 'm.test'),
      (name) => name === 'm.test',
    );
    // Envoy takes its listeners before their routes.
    const isServed = (host: string, certificate: string, answer: string) =>
      untilFits(
        `${host} to be served with ${certificate}`,
        async () => [await shownTo(httpsPort, host), await ask(host)],
        (seen) => seen.join() === `${certificate},${answer}`,
      );
    run.remove('whole.yaml');
    await isServed('b.w.test', 'default.test', '200 shop');
    await isServed('c.w.test', 'default.test', '200 away');
    run.write('whole.yaml', ingresses[1] as KubernetesObject);
    await isServed('b.w.test', '*.w.test', '200 shop');
    await isServed('c.w.test', 'default.test', '200 away');
    t.pass();
  },
);

/** The common name that ingress-nginx shows for a name. */
function modelOf(
  { services }: Awaited<ReturnType<typeof startServedCertificates>>,
  secrets: readonly KubernetesObject[],
  ingresses: readonly KubernetesObject[],
) {
  const ofNginx = ingresses.map((each) => ({ ...each, spec: { ...(each.spec as object), ingressClassName: 'nginx' } }));
  const world = worldOf(
    ...controller({}, ['--default-ssl-certificate=infra/default']),
    ...services,
    ...secrets,
    ...ofNginx,
  );
  const { servers } = new IngressNginxModel(world);
  return (name: string): string => {
    const key: ObjectKey = certificateFor(servers, name, world) ?? ('infra/default' as ObjectKey);
    const { data } = world.secrets.get(key) as unknown as { readonly data: Readonly<Record<string, string>> };
    const pem = Buffer.from(data['tls.crt'] ?? '', 'base64').toString();
    return String(/CN=([^\n]+)/.exec(new X509Certificate(pem).subject)?.[1]);
  };
}

thorough(test)("hosts without a certificate are served by the Gateway's own listeners for wildcards", async (t) => {
  const secrets = await Promise.all([secretOf('infra/apps', '*.apps.test'), secretOf('shop/own', 'own.apps.test')]);
  const { httpsPort, httpPort, ask } = await startServedCertificates(
    t,
    [{ hostname: '*.apps.test', secret: 'apps' }],
    secrets,
    [
      ingressOf('web', 'web.apps.test', undefined),
      ingressOf('sent', 'sent.apps.test', [{ hosts: ['sent.apps.test'] }]),
      ingressOf('own', 'own.apps.test', [{ hosts: ['own.apps.test'], secretName: 'own' }]),
      ingressOf('else', 'else.test', undefined),
    ],
  );
  const names = ['web.apps.test', 'sent.apps.test', 'own.apps.test', 'else.test'];
  t.deepEqual(await Promise.all(names.map((name) => shownTo(httpsPort, name))), [
    '*.apps.test',
    '*.apps.test',
    'own.apps.test',
    undefined,
  ]);
  for (const name of names.slice(0, 3)) t.is(await ask(name), '200 shop', name);
  const plain = await Promise.all(names.map(async (host) => (await send(httpPort, { host })).status));
  t.deepEqual(plain, [200, 308, 308, 200], 'a section tls sends clients to HTTPS');
});

test('without a certificate to show instead, a host whose Secret is missing stays closed until it comes', async (t) => {
  const served = await startServedCertificates(
    t,
    [],
    [],
    [
      ingressOf('missing', 'm.test', [{ hosts: ['m.test'], secretName: 'absent' }]),
      ingressOf('plain', 'p.test', undefined),
    ],
  );
  const { run, httpPort } = served;
  const statusOf = async (host: string) => (await send(httpPort, { host })).status;
  t.deepEqual([await statusOf('m.test'), await statusOf('p.test')], [308, 200], 'no answer over HTTP in its place');
  const text = 'm.test: Secret shop/absent does not exist, so there is no HTTPS that clients accept';
  await until('the log to say so', () => run.log.some((line) => JSON.stringify(line).includes(text)));
});
