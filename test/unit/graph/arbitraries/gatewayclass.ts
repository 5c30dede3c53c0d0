import fc from 'fast-check';
import { controllerName, dataPlaneRef, gatewayClass } from '../../../support/objects.ts';
import { shares } from './shares.ts';

const ourClass = fc.constantFrom(gatewayClass(), gatewayClass('gatewright', 'other.example/controller'));

export const objects = shares({
  anywhere: {
    arbitrary: fc.constantFrom(
      gatewayClass(),
      gatewayClass('gatewright', 'other.example/controller'),
      gatewayClass('gatewright', controllerName, { generation: 2 }),
      gatewayClass('gatewright', controllerName, { generation: 3, parametersRef: dataPlaneRef('a', 'default') }),
    ),
    weight: 1,
  },
  streams: { arbitrary: ourClass, weight: 1 },
  experimental: { arbitrary: ourClass, weight: 1 },
  models: { arbitrary: fc.constant(gatewayClass()), weight: 1 },
  sets: { arbitrary: ourClass, weight: 1 },
  fleets: {
    arbitrary: fc.constantFrom(
      ...[1, 2, 3].map(() =>
        gatewayClass('gatewright', controllerName, { parametersRef: dataPlaneRef('pool', 'default') }),
      ),
      gatewayClass(),
      gatewayClass('gatewright', 'other.example/controller'),
    ),
    weight: 2,
  },
});
