import fc from 'fast-check';
import type { DataPlaneSpec } from '../../../../src/gateway-api/index.ts';
import { dataPlane } from '../../../support/objects.ts';
import { generation, names, namespaces } from './parts/names.ts';
import { shares } from './shares.ts';

export const objects = shares({
  anywhere: {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        generation,
        spec: fc.constantFrom<DataPlaneSpec[]>(
          {},
          { accessLog: { enabled: true } },
          { accessLog: { enabled: true, when: [{ cel: '(' }] } },
          { bootstrap: { node: {} } },
          { geoip: { databases: { location: '/geo/city.mmdb' }, headers: { country: 'X-Country' } } },
        ),
      })
      .map(({ name, spec, ...meta }) => dataPlane(name, spec, meta)),
    weight: 2,
  },
  fleets: {
    arbitrary: fc.constantFrom(
      dataPlane('pool', { shared: {} }),
      dataPlane('pool', { shared: {}, accessLog: { enabled: true } }),
      dataPlane('pool', { shared: { namespace: 'edge' } }),
      dataPlane('pool'),
    ),
    weight: 1,
  },
});
