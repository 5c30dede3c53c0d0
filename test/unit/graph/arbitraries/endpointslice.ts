import fc from 'fast-check';
import { endpointSlice, importLabel, serviceLabel } from '../../../support/objects.ts';
import { names, namespaces } from './parts/names.ts';
import { shares } from './shares.ts';

export const objects = shares({
  anywhere: {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        addresses: fc.subarray(['10.0.0.1', '10.0.0.2', '10.0.0.3']),
        portName: fc.constantFrom('p80', 'p81'),
        suffix: fc.constantFrom('1', '2'),
      })
      .map(({ name, addresses, ...rest }) => endpointSlice(name, addresses, rest)),
    weight: 4,
  },
  experimental: {
    arbitrary: fc
      .record({ name: names, addresses: fc.subarray(['10.0.0.1', '10.0.0.2']), imported: fc.boolean() })
      .map(({ name, addresses, imported }) =>
        endpointSlice(name, addresses, { labels: { [imported ? importLabel : serviceLabel]: name } }),
      ),
    weight: 2,
  },
});
