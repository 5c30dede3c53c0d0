import test from 'ava';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { testCertificates } from '../support/certificates.ts';
import { endings } from '../support/endings.ts';
import { ingress } from '../support/ingress-world.ts';
import { charts } from '../support/migrate/charts.ts';
import { Corpus } from '../support/migrate/corpus.ts';
import { randomClusters } from '../support/migrate/random-clusters.ts';
import { servedService } from '../support/native-ingresses.ts';

/** Clusters that are converted by the CLI and served by a real Envoy answer as ingress-nginx does, but for what is explained or in the report. */

const ends = endings(test);
let corpus: Corpus;
test.before(async () => {
  corpus = await Corpus.start(ends);
});

test.serial('charts with the annotations that they recommend answer alike', async (t) => {
  t.true(charts.size >= 25);
  const { unexplained, asked } = await corpus.compare({ objects: [...charts.values()].flat() });
  t.deepEqual(unexplained, []);
  t.true(asked > 700, String(asked));
});

test.serial('what one Ingress says of hosts, certificates and canaries of others is answered alike', async (t) => {
  const tls = (host: string) => ({ tls: [{ hosts: [host], secretName: 'certificate' }] });
  const inOther = (object: object): object => ({ ...object, metadata: { ...metadataOf(object), namespace: 'other' } });
  const objects = [
    // A wildcard's certificate is that of hosts below it, which clients are then sent to as well.
    // It has no other name with www.
    ingress('wild', { 'from-to-www-redirect': 'true' }, { host: '*.w.test', more: tls('*.w.test') }),
    ingress('below', {}, { host: 'x.w.test', paths: ['/x'], service: 'api' }),
    // Redirects of an Ingress go before the one to HTTPS and before addresses, and are for all paths of a host.
    ingress(
      'moved',
      { 'permanent-redirect': 'https://new.example.com/x', 'denylist-source-range': '127.0.0.1' },
      { host: 'm.test', paths: ['/old'], more: tls('m.test') },
    ),
    ingress(
      'home',
      { 'app-root': '/home', 'denylist-source-range': '127.0.0.1' },
      { host: 'h.test', more: tls('h.test') },
    ),
    ingress('exact-root', {}, { host: 'h.test', type: 'Exact', service: 'api' }),
    ingress('forced', { 'force-ssl-redirect': 'true' }, { host: 'f.test' }),
    // A path with a slash at its end beside one without, which lead to different Services.
    ingress('exact', {}, { host: 't.test', paths: ['/x/'], type: 'Exact', service: 'api' }),
    ingress('prefix', {}, { host: 't.test', paths: ['/x'], service: 'web' }),
    // A canary of another namespace, and one whose Service is no canary's alone.
    ingress('main', {}, { host: 'c.test', service: 'web' }),
    inOther(ingress('away', { canary: 'true', 'canary-by-header': 'x-beta' }, { host: 'c.test', service: 'beta' })),
    ingress('a-canary', { canary: 'true' }, { host: 'c.test', paths: ['/api'], service: 'api' }),
    // What no Ingress of a host has is not for all other hosts.
    ingress('rest', {}, { host: '', service: 'web' }),
    ...['web', 'api'].map((name) => servedService(name)),
    servedService('beta', 'other'),
  ] as KubernetesObject[];
  const { unexplained, report } = await corpus.compare({ objects });
  t.deepEqual(unexplained, []);
  t.regex(report, /shop\/a-canary: needs a decision\n[^#]*\*\*needs a decision\*\* canary: its Service is that of/);
  t.regex(report, /HTTPS of f\.test: force-ssl-redirect sends clients there/);
});

test.serial('errors of nginx itself have the pages that they had', async (t) => {
  const pages = { 'custom-http-errors': '403,404,413,503', 'default-backend': 'beta' };
  const objects = [
    ingress('own', pages, { host: 'o.test' }),
    ingress('closed', { ...pages, 'whitelist-source-range': '10.0.0.0/8' }, { host: 'o.test', paths: ['/closed'] }),
    ingress('silent', pages, { host: 's.test', service: 'api' }),
    ingress('small', { ...pages, 'proxy-body-size': '1k' }, { host: 'o.test', paths: ['/small'] }),
    ...['web', 'api', 'beta'].map((name) => servedService(name)),
  ] as KubernetesObject[];
  const { unexplained, report } = await corpus.compare({ objects, silent: new Set(['shop/api']) });
  t.deepEqual(unexplained, []);
  t.regex(report, /4 of 4 Ingresses are converted/);
  const seen = async (host: string, target: string) =>
    (await corpus.askBoth(host, target))[1].replace(/^.*\/|:80$/g, '');
  t.is(await seen('s.test', '/'), 'beta');
  t.is(await seen('o.test', '/closed'), 'beta');
});

test.serial(
  'backends are verified and shown certificates as nginx does it, and servers asked with more headers',
  async (t) => {
    const [{ certificate, key }] = testCertificates;
    const secret = (name: string, stringData: Readonly<Record<string, string>>) => ({
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'shop' } },
      stringData,
    });
    const by = (name: string, hostname: string) => ({
      'backend-protocol': 'HTTPS',
      'proxy-ssl-secret': name,
      'proxy-ssl-verify': 'on',
      'proxy-ssl-name': hostname,
    });
    const objects = [
      ingress('good', by('own', 'a.example.com'), { host: 'good.test', service: 'web' }),
      ingress(
        'rpc',
        { ...by('shop/own', 'a.example.com'), 'backend-protocol': 'GRPCS' },
        { host: 'rpc.test', service: 'api' },
      ),
      ingress('h2c', { 'backend-protocol': 'GRPC' }, { host: 'h2c.test', service: 'beta' }),
      ingress(
        'asked',
        { 'auth-url': 'http://beta.shop.svc.cluster.local/check', 'auth-snippet': 'proxy_set_header X-App shop;' },
        { host: 'asked.test', service: 'beta' },
      ),
      secret('own', { 'ca.crt': certificate, 'tls.crt': certificate, 'tls.key': key }),
      secret('strange', { 'ca.crt': testCertificates[1].certificate }),
      ...['web', 'api', 'beta'].map((name) => servedService(name)),
    ] as KubernetesObject[];
    const settings = { 'annotations-risk-level': 'Critical', 'allow-snippet-annotations': 'true' };
    const { unexplained, report } = await corpus.compare({ objects, settings });
    t.deepEqual(unexplained, []);
    t.regex(report, /4 of 4 Ingresses are converted/);
    t.notRegex(report, /needs a decision\*\* (?:proxy-ssl|backend-protocol|auth-snippet)/);
    for (const [name, hostname] of [
      ['own', 'b.example.com'],
      ['strange', 'a.example.com'],
    ] as const) {
      const wrong = ingress('wrong', by(name, hostname), { host: 'wrong.test', service: 'web' }) as KubernetesObject;
      await corpus.compare({ objects: [wrong, ...objects.filter(({ kind }) => kind !== 'Ingress')] });
      const [, seen] = await corpus.askBoth('wrong.test', '/');
      t.is(seen, '', `${name} ${hostname}`);
    }
  },
);

test.serial('what no Ingress has is answered by the default backend of the controller', async (t) => {
  const objects = [
    ingress('web', {}, { host: 'a.test', paths: ['/x'], service: 'web' }),
    ingress('secure', {}, { host: 's.test', more: { tls: [{ hosts: ['s.test'], secretName: 'certificate' }] } }),
    ...['web', 'beta'].map((name) => servedService(name)),
  ] as KubernetesObject[];
  const { unexplained } = await corpus.compare({ objects, flags: ['--default-backend-service=shop/beta'] });
  t.deepEqual(unexplained, []);
  for (const [host, target, service] of [
    ['unknown.test', '/y', 'beta'],
    ['a.test', '/y', 'beta'],
    ['a.test', '/x', 'web'],
  ] as const) {
    const both = await corpus.askBoth(host, target);
    t.deepEqual(
      both.map((each) => each.replace(/^.*\/|:80$/g, '')),
      [service, service],
      `${host}${target}`,
    );
  }
});

test.serial('TLS that is passed through, and expressions of equal length, go where they went', async (t) => {
  const passed = { 'ssl-passthrough': 'true', 'backend-protocol': 'HTTPS' };
  const tls = { tls: [{ hosts: ['p.test'], secretName: 'certificate' }] };
  const objects = [
    ingress('passed', passed, { host: 'p.test', paths: ['/', '/api'], service: 'api', more: tls }),
    ingress('ended', {}, { host: 'e.test', more: { tls: [{ hosts: ['e.test'], secretName: 'certificate' }] } }),
    // Both take `/ab` and `/bb`: the greater text is tried first, whatever its Ingress is called.
    ingress('a', { 'use-regex': 'true' }, { host: 'r.test', paths: ['/[ab]b'], service: 'web' }),
    ingress('b', {}, { host: 'r.test', paths: ['/(a|b)'], service: 'api' }),
    ingress('c', {}, { host: 'r.test', paths: ['/.b[a-z]'], service: 'beta' }),
    // nginx goes by the length of the path that is written, with its anchors.
    ingress('d', {}, { host: 'r.test', paths: ['^/[a-c]{2}$'], service: 'web', type: 'ImplementationSpecific' }),
    ...['web', 'api', 'beta'].map((name) => servedService(name)),
  ] as KubernetesObject[];
  const { unexplained, report } = await corpus.compare({ objects, flags: ['--enable-ssl-passthrough'] });
  t.deepEqual(unexplained, []);
  t.regex(report, /6 of 6 Ingresses are converted/);
  for (const target of ['/ab', '/bb', '/aba', '/bbx', '/ac', '/AB']) {
    const [expected, seen] = await corpus.askBoth('r.test', target);
    t.is(seen, expected, target);
  }
});

test.serial(
  'HTTP goes to HTTPS but for challenges, and for what a proxy before the Gateway took by HTTPS',
  async (t) => {
    const tls = { tls: [{ hosts: ['a.test'], secretName: 'certificate' }] };
    const challenge = '/.well-known/acme-challenge';
    const objects = [
      ingress('web', {}, { host: 'a.test', service: 'web', more: tls }),
      ingress('challenge', {}, { host: 'a.test', paths: ['/api', challenge], service: 'api', more: tls }),
      ingress('forced', { 'force-ssl-redirect': 'true' }, { host: 'f.test', service: 'beta' }),
      ...['web', 'api', 'beta'].map((name) => servedService(name)),
    ] as KubernetesObject[];
    const settings = { 'use-forwarded-headers': 'true', 'proxy-real-ip-cidr': '127.0.0.0/8' };
    const { unexplained } = await corpus.compare({ objects, settings });
    t.deepEqual(unexplained, []);
    const said = (scheme: string) => [['x-forwarded-proto', scheme]] as const;
    const requests = [
      ['a.test', '/', said('http'), ''],
      ['a.test', '/', said('https'), 'web'],
      ['a.test', '/api', [], ''],
      ['a.test', '/api', said('https'), 'api'],
      ['a.test', `${challenge}/token`, [], 'api'],
      ['a.test', `${challenge}/token`, said('https'), 'api'],
      ['f.test', '/', [], ''],
      ['f.test', '/', said('https'), 'beta'],
    ] as const;
    for (const [host, target, headers, service] of requests) {
      const both = await corpus.askBoth(host, target, headers);
      t.deepEqual(
        both.map((each) => each.replace(/^.*\/|:80$/g, '')),
        [service, service],
        `${host}${target} ${String(headers)}`,
      );
    }
  },
);

const metadataOf = (object: object): object => (object as KubernetesObject).metadata;

test.serial('clusters made at random answer alike', async (t) => {
  t.timeout(600_000);
  for (const [at, cluster] of randomClusters(seed, 40).entries()) {
    const { unexplained } = await corpus.compare(cluster);
    t.deepEqual(unexplained, [], `cluster ${at}`);
  }
});

const seed = 20_261_126;
