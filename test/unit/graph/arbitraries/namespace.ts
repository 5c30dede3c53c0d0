import fc from 'fast-check';
import { namespace } from '../../../support/objects.ts';
import { namespaces } from './parts/names.ts';
import { shares } from './shares.ts';

const teams = fc
  .record({ name: namespaces, labels: fc.constantFrom({}, { team: 'a' }) })
  .map(({ name, labels }) => namespace(name, labels as Record<string, string>));

export const objects = shares({
  anywhere: {
    arbitrary: teams,
    weight: 1,
  },
  sets: {
    arbitrary: teams,
    weight: 1,
  },
});
