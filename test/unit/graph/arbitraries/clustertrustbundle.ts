import { clusterTrustBundle } from '../../../support/objects.ts';
import { good, names } from './parts/names.ts';
import { shares } from './shares.ts';

export const objects = shares({
  experimental: { arbitrary: names.map((name) => clusterTrustBundle(name, good.certificate)), weight: 1 },
});
