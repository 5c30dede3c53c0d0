import fc from 'fast-check';
import { listener } from '../../../../support/objects.ts';
import { hostnames, maybe, names, namespaces } from './names.ts';
import { authorityRef } from './references.ts';

/** What a selector that fits one of `teams` is allowed by. */
export const allowedFrom = (from: string) => ({
  namespaces: { from, ...(from === 'Selector' && { selector: { matchLabels: { team: 'a' } } }) },
});

export const listeners = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom('one', 'two', 'three', 'four'),
      port: fc.constantFrom(80, 443),
      protocol: fc.constantFrom('HTTP', 'HTTPS', 'HTTP', 'HTTPS', 'TLS', 'TLS', 'TCP', 'UDP', 'SCTP'),
      mode: fc.constantFrom('Terminate', 'Passthrough'),
      hostname: maybe(hostnames),
      secret: names,
      secretNamespace: maybe(namespaces),
      from: fc.constantFrom('All', 'Same', 'Selector'),
    }),
    { minLength: 1, maxLength: 4, selector: ({ name }) => name },
  )
  .map((specs) =>
    specs.map(({ secret: name, secretNamespace, from, mode, ...spec }) =>
      listener({
        ...spec,
        ...(spec.protocol === 'HTTPS' && { tls: { certificateRefs: [{ name, namespace: secretNamespace }] } }),
        ...(spec.protocol === 'TLS' && { tls: { mode, certificateRefs: [{ name, namespace: secretNamespace }] } }),
        allowedRoutes: allowedFrom(from),
      } as never),
    ),
  );

export const gatewayTls = fc.record({
  backend: maybe(fc.record({ clientCertificateRef: fc.record({ name: names, namespace: maybe(namespaces) }) })),
  frontend: maybe(
    fc.record({
      default: fc.record({
        validation: fc.record({
          mode: fc.constantFrom('AllowValidOnly', 'AllowInsecureFallback'),
          caCertificateRefs: fc.array(
            fc.tuple(authorityRef, maybe(namespaces)).map(([ref, namespace]) => ({ ...ref, namespace })),
            {
              minLength: 1,
              maxLength: 2,
            },
          ),
        }),
      }),
    }),
  ),
});

/** Objects that meet in nearly every run: listeners that do not conflict, and routes of connections for them. */
export const streamListeners = fc.subarray(
  [
    { name: 'exact', port: 443, protocol: 'TLS', hostname: 'a.example.com', tls: { mode: 'Passthrough' } },
    {
      name: 'wide',
      port: 443,
      protocol: 'TLS',
      hostname: '*.example.com',
      tls: { mode: 'Terminate', certificateRefs: [{ name: 'a' }] },
    },
    { name: 'any', port: 443, protocol: 'TLS', tls: { mode: 'Passthrough' } },
    { name: 'web', port: 443, protocol: 'HTTPS', hostname: 'b.example.com', tls: { certificateRefs: [{ name: 'a' }] } },
    { name: 'tcp', port: 80, protocol: 'TCP' },
    { name: 'udp', port: 80, protocol: 'UDP' },
  ] as const,
  { minLength: 1 },
);

/** A Gateway whose ports are shared with ListenerSets, and routes that name either. */
export const sharedListener = fc
  .record({
    name: fc.constantFrom('one', 'two', 'three'),
    port: fc.constantFrom(80, 443, 443),
    hostname: maybe(hostnames),
    protocol: fc.constantFrom('web', 'web', 'web', 'TCP'),
    secret: fc.record({ name: names, namespace: maybe(namespaces) }),
    from: fc.constantFrom('All', 'All', 'Same', 'Selector'),
  })
  .map(({ port, protocol, secret: ref, from, hostname, ...spec }) => ({
    ...spec,
    port,
    protocol: protocol === 'TCP' ? protocol : port === 80 ? 'HTTP' : 'HTTPS',
    ...(protocol !== 'TCP' && hostname !== undefined && { hostname }),
    ...(protocol !== 'TCP' && port === 443 && { tls: { certificateRefs: [ref] } }),
    allowedRoutes: allowedFrom(from),
  }));

export const sharedListeners = fc.uniqueArray(sharedListener, {
  minLength: 1,
  maxLength: 3,
  selector: ({ name }) => name,
});

export const allowedListeners = fc.constantFrom('All', 'All', 'All', 'Same', 'Selector', 'None').map(allowedFrom);
