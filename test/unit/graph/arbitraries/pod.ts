import fc from 'fast-check';
import { pod } from '../../../support/objects.ts';
import { names, namespaces } from './parts/names.ts';
import { shares } from './shares.ts';

const arbitrary = fc
  .record({
    name: names,
    namespace: namespaces,
    app: fc.constantFrom('a', 'b'),
    ready: fc.constantFrom('True', 'False'),
  })
  .map(({ name, namespace: where, app, ready }) => pod(name, { app }, `10.1.0.${name.charCodeAt(0)}`, ready, where));

export const objects = shares({ experimental: { arbitrary, weight: 3 }, models: { arbitrary, weight: 2 } });
