import test from 'ava';
import { errorPages } from '../../../../src/controllers/trafficpolicy/groups/error-pages.ts';
import { configMap } from '../../../support/objects.ts';

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
    errorPages.valueOf(pages, found).map(({ body }) => body.length),
    [65_536, 0],
  );
  t.deepEqual(errorPages.faultsOf?.(pages, found, 'shop'), [
    {
      reason: 'InvalidConfigMap',
      message: 'ConfigMap shop/small makes the pages larger than 65536 bytes; answers stay as they are',
    },
  ]);
  const inline = [{ classes: ['5xx' as const], body: { contentType: 'text/html', inline: 'z'.repeat(65_537) } }];
  t.deepEqual(errorPages.valueOf(inline, found), []);
  t.regex(errorPages.faultsOf?.(inline, found, 'shop')[0]?.message ?? '', /^an inline text makes the pages larger/);
});

test('no key of a ConfigMap is what every object has', (t) => {
  for (const key of ['constructor', '__proto__', 'toString']) {
    t.deepEqual(errorPages.valueOf([page('small', key)], found), []);
    t.regex(errorPages.faultsOf?.([page('small', key)], found, 'shop')[0]?.message ?? '', /has no /);
  }
});
