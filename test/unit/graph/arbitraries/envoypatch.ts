import fc from 'fast-check';
import { ownObject } from '../../../support/objects.ts';
import { accessTarget } from './accesspolicy.ts';
import { identity } from './parts/names.ts';
import { backendTarget } from './parts/references.ts';
import { shares } from './shares.ts';

export const objects = shares({
  /** Routes and Gateways, whose listeners some share. */
  access: {
    arbitrary: fc
      .record({
        ...identity,
        namespace: fc.constant('default'),
        target: accessTarget,
        part: fc.constantFrom(
          { routeAction: { timeout: '2s' } },
          { routeAction: { cluster: 'other' } },
          { connectionManager: { via: 'a' } },
          { connectionManager: { via: 'a' }, listener: { tcp_backlog_size: 64 } },
        ),
      })
      .map(({ name, target, part, ...meta }) => {
        const targetRefs = [{ group: 'gateway.networking.k8s.io', ...target }];
        return ownObject('EnvoyPatch', name, { targetRefs, ...part }, meta);
      }),
    weight: 1,
  },
  experimental: {
    arbitrary: fc
      .record({
        ...identity,
        target: backendTarget,
        cluster: fc.constantFrom({ connect_timeout: '2s' }, { connect_timeout: null }, { name: 'other' }, undefined),
        headers: fc.constantFrom(50, 60),
      })
      .map(({ name, target, cluster, headers, ...meta }) => {
        const httpProtocolOptions = { common_http_protocol_options: { max_headers_count: headers } };
        const spec = { targetRefs: [target], ...(cluster && { cluster }), httpProtocolOptions };
        return ownObject('EnvoyPatch', name, spec, meta);
      }),
    weight: 2,
  },
});
