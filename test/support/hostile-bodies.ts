const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: Math.floor(count) }, (_, index) => make(index));
const map = (count: number, value: unknown): Record<string, unknown> =>
  Object.fromEntries(many(count, (index) => [`abcd${index}`, value]));

const gatewayApi = 'gateway.networking.k8s.io/v1';
const route = (spec: object, metadata: object = {}) => ({
  apiVersion: gatewayApi,
  kind: 'HTTPRoute',
  metadata: { name: 'hostile', ...metadata },
  spec,
});
const gateway = (spec: object) => ({
  apiVersion: gatewayApi,
  kind: 'Gateway',
  metadata: { name: 'hostile' },
  spec: { gatewayClassName: 'gatewright', ...spec },
});

/** Objects of about `size` characters, or of as many as their kind allows, that cost a careless judge more than they weigh. */
export const hostileBodies: Readonly<Record<string, (size: number) => unknown>> = {
  'unknown fields': (size) => route(map(size / 14, 1)),
  'unknown fields in items': (size) => route({ rules: many(size / 16, () => ({ matchez: 1 })) }),
  'items of a wrong type': (size) => route({ rules: many(size / 3, () => 1) }),
  'items of which none fits': (size) =>
    route({ rules: [{ backendRefs: many(size / 25, () => ({ name: 'a', port: 'x' })) }] }),
  'more rules than are allowed': (size) =>
    route({ rules: many(size / 45, (at) => ({ matches: [{ path: { value: `/${at}` } }] })) }),
  'as many long matches as are allowed': (size) =>
    route({
      parentRefs: [{ name: 'edge' }],
      hostnames: many(16, (at) => `h${at}.test`),
      rules: many(2, (rule) => ({
        matches: many(64, (at) => ({ path: { value: `/${rule}/${at}/${'x'.repeat(Math.min(900, size / 200))}` } })),
      })),
    }),
  'as many header matches as are allowed': () =>
    route({
      parentRefs: [{ name: 'edge' }],
      rules: many(16, (rule) => ({
        matches: many(8, (at) => ({
          path: { value: `/${rule}/${at}` },
          headers: many(16, (header) => ({ name: `h${header}`, value: 'v'.repeat(100) })),
          queryParams: many(16, (header) => ({ name: `h${header}`, value: 'v'.repeat(100) })),
        })),
      })),
    }),
  'as many regular expressions as are allowed': (size) =>
    route({
      parentRefs: [{ name: 'edge' }],
      rules: many(2, (rule) => ({
        matches: many(64, (at) => ({
          path: { type: 'RegularExpression', value: `/${rule}/${at}(${'a?'.repeat(Math.min(400, size / 300))})*x` },
        })),
      })),
    }),
  'a path of 1 MiB': (size) => route({ rules: [{ matches: [{ path: { value: `/${'%'.repeat(size)}` } }] }] }),
  'a hostname of 1 MiB': (size) => route({ hostnames: [`${'a.'.repeat(size / 2)}!`] }),
  'a name of 1 MiB': (size) => route({}, { name: `a${'-'.repeat(size)}` }),
  'a kind of 1 MiB': (size) => ({ apiVersion: gatewayApi, kind: 'H'.repeat(size), metadata: { name: 'a' } }),
  'a group of 1 MiB': (size) => ({
    apiVersion: `${'a.'.repeat(size / 2)}/v1`,
    kind: 'HTTPRoute',
    metadata: { name: 'a' },
  }),
  'labels of 1 MiB': (size) => route({}, { labels: map(size / 15, 'x') }),
  'an annotation of 1 MiB': (size) => route({}, { annotations: { a: 'x'.repeat(size) } }),
  'owners of 1 MiB': (size) => route({}, { ownerReferences: many(size / 10, () => ({ a: 1 })) }),
  'as many listeners and certificates as are allowed': () =>
    gateway({
      listeners: many(64, (at) => ({
        name: `l${at}`,
        port: 9443,
        protocol: 'HTTPS',
        hostname: `h${at}.test`,
        tls: { certificateRefs: many(64, (certificate) => ({ name: `c${certificate}` })) },
      })),
    }),
  'more listeners than are allowed': (size) =>
    gateway({ listeners: many(size / 70, (at) => ({ name: `l${at}`, port: 80, protocol: 'HTTP' })) }),
  'nested lists': (size) => `{"a":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`,
  'empty lists': (size) => ({ a: many(size / 3, () => []) }),
  'keys alone': (size) => map(size / 14, null),
  'a number of 1 MiB': (size) => `{"apiVersion": ${'1'.repeat(size)}}`,
  'escapes alone': (size) => `{"apiVersion": "${'\\u0041'.repeat(size / 6)}"}`,
};
