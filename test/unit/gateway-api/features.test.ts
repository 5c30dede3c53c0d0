import test from 'ava';
import { supportedFeatures } from '../../../src/gateway-api/index.ts';

test('features are reported in the order, number and uniqueness that GatewayClass.status asks for', (t) => {
  t.deepEqual(supportedFeatures, [...new Set(supportedFeatures)].sort());
  t.true(supportedFeatures.length <= 64);
});
