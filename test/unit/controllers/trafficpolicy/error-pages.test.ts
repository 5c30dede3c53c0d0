import test from 'ava';
import { errorPages } from '../../../../src/controllers/trafficpolicy/groups/error-pages.ts';
import { configMap } from '../../../support/objects.ts';

const none = () => ({ fault: { reason: 'BackendNotFound', message: 'Service shop/pages does not exist' } });

const page = (name: string, key?: string) => ({
  codes: [404],
  body: { contentType: 'text/html', configMapRef: { name, ...(key !== undefined && { key }) } },
});

const found = new Map(
  [
    configMap('large', { 'error.html': 'x'.repeat(65_536) }),
    configMap('small', { 'error.html': 'y', 'error.json': '' }),
  ].map((object) => [object.metadata.name, object]),
);

test('pages that make a policy larger than it may be are left out, and say so; others stay', (t) => {
  const pages = [page('large'), page('small'), page('small', 'error.json')];
  t.deepEqual(
    errorPages.valueOf(pages, found, none).map((each) => 'body' in each && each.body.length),
    [65_536, 0],
  );
  t.deepEqual(errorPages.faultsOf?.(pages, found, 'shop', none), [
    {
      reason: 'InvalidConfigMap',
      message: 'ConfigMap shop/small makes the pages larger than 65536 bytes; answers stay as they are',
    },
  ]);
  const inline = [{ classes: ['5xx' as const], body: { contentType: 'text/html', inline: 'z'.repeat(65_537) } }];
  t.deepEqual(errorPages.valueOf(inline, found, none), []);
  t.regex(
    errorPages.faultsOf?.(inline, found, 'shop', none)[0]?.message ?? '',
    /^an inline text makes the pages larger/,
  );
});

test('no key of a ConfigMap is what every object has', (t) => {
  for (const key of ['constructor', '__proto__', 'toString']) {
    t.deepEqual(errorPages.valueOf([page('small', key)], found, none), []);
    t.regex(errorPages.faultsOf?.([page('small', key)], found, 'shop', none)[0]?.message ?? '', /has no /);
  }
});

test('a page of a service is asked for as the policy says, and where there is none the error stays', (t) => {
  const service = { backendRef: { name: 'pages', port: 80 }, headers: [{ name: 'X-App', value: 'shop' }] };
  const pages = [
    { classes: ['5xx' as const], service },
    { codes: [404], service: { ...service, path: '/a?b=c', status: 'Service' as const, timeout: '20ms' } },
  ];
  const server = { backend: 'shop/pages/80', headers: [{ name: 'x-app', value: 'shop' }] };
  t.deepEqual(
    errorPages.valueOf(pages as never, found, () => ({ key: 'shop/pages/80' }) as never),
    [
      { codes: [], classes: ['5xx'], server: { ...server, path: '/', timeoutMs: 5_000 } },
      { codes: [404], classes: [], server: { ...server, path: '/a?b=c', givesStatus: true, timeoutMs: 20 } },
    ],
  );
  t.deepEqual(errorPages.valueOf(pages as never, found, none), []);
  t.deepEqual(errorPages.faultsOf?.(pages as never, found, 'shop', none)[0], {
    reason: 'BackendNotFound',
    message: 'errorPages: Service shop/pages does not exist; answers stay as they are',
  });
});
