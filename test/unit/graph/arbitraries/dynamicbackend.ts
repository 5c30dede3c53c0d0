import fc from 'fast-check';
import { ownObject } from '../../../support/objects.ts';
import { generation, maybe, names, namespaces } from './parts/names.ts';
import { shares } from './shares.ts';

const hosts = fc.subarray(['api.test', '*.outside.test', '*', 'web.other.svc'], { minLength: 1 });

export const objects = shares({
  experimental: {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        generation,
        hosts,
        ports: maybe(fc.constantFrom([443], [8443, 443])),
        plain: maybe(fc.constant(true)),
        authority: maybe(names),
        isPrivate: maybe(fc.constant('Allowed')),
      })
      .map(({ name, hosts: named, ports, plain, authority, isPrivate: privateAddresses, ...meta }) =>
        ownObject(
          'DynamicBackend',
          name,
          {
            hosts: named,
            ...(ports && { ports }),
            ...(plain && { tls: { mode: 'None' } }),
            ...(!plain && authority && { tls: { caCertificateRefs: [{ name: authority }] } }),
            ...(privateAddresses && { privateAddresses }),
          },
          meta,
        ),
      ),
    weight: 3,
  },
});
