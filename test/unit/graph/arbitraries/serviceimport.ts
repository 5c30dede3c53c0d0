import fc from 'fast-check';
import { serviceImport } from '../../../support/objects.ts';
import { names } from './parts/names.ts';
import { shares } from './shares.ts';

export const objects = shares({
  experimental: {
    arbitrary: fc
      .record({ name: names, ports: fc.subarray([80, 81]) })
      .map(({ name, ports }) => serviceImport(name, ports)),
    weight: 2,
  },
});
