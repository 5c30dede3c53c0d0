import { count, named, reference } from '../resource/leaves.ts';
import { type BackendRecord, backend } from './record.ts';

/** So many of its routes are named. */
const mostNamed = 20;

export const lightBackend = backend
  .extend({
    referencedBy: named('References', 'Routes that forward to it.', {
      count: count.describe('How many there are.'),
      first: reference.array().describe('The first 20.'),
    }),
  })
  .meta({ id: 'LightBackend', description: 'A backend with a count of its routes in the place of their list.' });

export const lightBackendRecord = ({ referencedBy, ...record }: BackendRecord) => ({
  ...record,
  referencedBy: { count: referencedBy.length, first: referencedBy.slice(0, mostNamed) },
});
