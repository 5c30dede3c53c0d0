import fc from 'fast-check';
import { xObject } from '../../../support/objects.ts';
import { generation, maybe, names, namespaces } from './parts/names.ts';
import { authorityRef, bundleRef, stickiness } from './parts/references.ts';
import { shares } from './shares.ts';

export const objects = shares({
  experimental: {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        generation,
        number: fc.constantFrom(80, 81),
        hostname: maybe(fc.constant('out.example.com')),
        protocol: maybe(fc.constantFrom('TCP', 'H2C', 'HTTP11')),
        secret: maybe(names),
        authority: fc.oneof(authorityRef, bundleRef),
        secure: fc.boolean(),
        sticky: maybe(stickiness),
      })
      .map(({ name, number, hostname, protocol, secret: own, authority, secure, sticky, ...meta }) => {
        const validation = { hostname: 'x.test', caCertificateRefs: [authority] };
        const mode = own ? 'ClientAndServer' : 'ServerOnly';
        const spec = {
          port: { number },
          protocol,
          ...(hostname
            ? { type: 'ExternalHostname', externalHostname: { hostname } }
            : { type: 'EndpointSelector', endpointSelector: { matchLabels: { app: 'a' } } }),
          ...(secure && { tls: { mode, validation, ...(own && { clientCertificateRef: { name: own } }) } }),
          ...(sticky && { sessionPersistence: sticky }),
        };
        return xObject('XBackend', name, spec, meta);
      }),
    weight: 4,
  },
});
