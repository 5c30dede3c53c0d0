import fc from 'fast-check';
import { ownObject } from '../../../support/objects.ts';
import { identity, maybe, names } from './parts/names.ts';
import { shares } from './shares.ts';

export const objects = shares({
  sets: {
    arbitrary: fc
      .record({
        ...identity,
        target: fc.constantFrom('Gateway edge', 'ListenerSet a', 'ListenerSet b'),
        sectionName: maybe(fc.constantFrom('one', 'two', 'none')),
        receiver: maybe(names),
        log: maybe(names),
        crlRef: maybe(fc.record({ kind: fc.constantFrom('Secret', 'ConfigMap'), name: names })),
        pinned: maybe(fc.constantFrom('a'.repeat(64), 'b'.repeat(64))),
        proxyProtocol: maybe(fc.constantFrom('Required', 'Optional')),
        trustedCIDRs: maybe(fc.constantFrom(['10.0.0.0/8'], ['10.0.0.1/8'])),
        http3: fc.boolean(),
        underscores: fc.constantFrom('Drop', 'Allow'),
        // The last one cannot be met.
        written: maybe(fc.constantFrom('a', '%REQ(x-b)%', '%')),
        tcpIdle: maybe(fc.constantFrom('1s', '2s')),
      })
      .map(({ name, target, sectionName, receiver, log, crlRef, proxyProtocol, trustedCIDRs, http3, ...more }) => {
        const { underscores, written, tcpIdle, pinned, ...meta } = more;
        const clientPins = pinned !== undefined && { clientPins: { certificateHashes: [pinned] } };
        const certificateHeader = clientPins ? 'Append' : 'Forward';
        const edit = written !== undefined && { request: { set: [{ name: 'x-a', value: written }] } };
        const [kind, of] = target.split(' ');
        const spec = {
          targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name: of, ...(sectionName && { sectionName }) }],
          headers: { underscores, clientCertificate: underscores === 'Drop' ? certificateHeader : 'None', ...edit },
          ...(tcpIdle !== undefined && { timeouts: { tcpIdle } }),
          http3: { enabled: http3 },
          ...((proxyProtocol ?? trustedCIDRs) && { clientIP: { proxyProtocol, trustedCIDRs } }),
          ...((crlRef ?? clientPins) && { tls: { ...(crlRef && { crlRef }), ...clientPins } }),
          ...(receiver && { tracing: { [http3 ? 'otlp' : 'zipkin']: { backendRef: { name: receiver, port: 80 } } } }),
          ...(log && { accessLog: { enabled: true, grpc: { backendRef: { name: log, port: 80 } } } }),
        };
        return ownObject('ListenerPolicy', name, spec, meta);
      }),
    weight: 5,
  },
  fleets: {
    arbitrary: fc
      .record({
        ...identity,
        target: names,
        bufferBytes: fc.constantFrom(4096, 8192),
      })
      .map(({ name, target, bufferBytes, ...meta }) => {
        const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: target }];
        return ownObject(
          'ListenerPolicy',
          name,
          { targetRefs, limits: { bufferBytes }, http3: { enabled: true, maxConcurrentStreams: bufferBytes } },
          meta,
        );
      }),
    weight: 2,
  },
});
