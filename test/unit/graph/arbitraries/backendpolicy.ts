import fc from 'fast-check';
import { ownObject } from '../../../support/objects.ts';
import { identity, maybe, names, namespaces } from './parts/names.ts';
import { backendTarget } from './parts/references.ts';
import { shares } from './shares.ts';

const failovers = fc.array(
  fc
    .record({ name: names, namespace: maybe(namespaces), port: maybe(fc.constantFrom(80, 81)), imported: fc.boolean() })
    .map(({ imported, ...ref }) => ({
      ...ref,
      ...(imported && { group: 'multicluster.x-k8s.io', kind: 'ServiceImport' }),
    })),
  { minLength: 1, maxLength: 2 },
);

export const objects = shares({
  experimental: {
    arbitrary: fc
      .record({
        ...identity,
        target: backendTarget,
        connect: fc.constantFrom('1s', '2s'),
        grpc: fc.boolean(),
        checkPort: maybe(fc.constantFrom(81, 82)),
        tableSize: fc.constantFrom(11, 12),
        retry: fc.constantFrom('SafeMethods', 'NotProcessed', 'Never', undefined),
        request: fc.constantFrom('3s', undefined),
        addressing: fc.constantFrom('Service', 'Endpoints', undefined),
        failover: maybe(failovers),
      })
      .map(({ name, target, connect, grpc, checkPort, tableSize, retry, request, addressing, failover, ...meta }) => {
        const spec = {
          targetRefs: [target],
          timeouts: { connect, ...(request && { request }) },
          ...(retry && { retry: { mode: retry } }),
          loadBalancer: { type: 'ConsistentHash', consistentHash: { type: 'SourceIP', tableSize } },
          ...(addressing && { addressing, dns: { family: 'All' } }),
          ...(failover && { failover: { backendRefs: failover } }),
          ...((grpc || checkPort) && {
            healthCheck: { active: { ...(grpc ? { grpc: {} } : { tcp: {} }), ...(checkPort && { port: checkPort }) } },
          }),
        };
        return ownObject('BackendPolicy', name, spec, meta);
      }),
    weight: 3,
  },
});
