import { type KindModule, versionsOf } from '../../graph/engine/index.ts';
import { dataPlaneOf, gatewayClassEdges } from '../../graph/gateways/index.ts';

export const gatewayClassModule: KindModule<'GatewayClass'> = {
  about: {
    category: 'gateway',
    description: 'Says that Gateways which name it are served here',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: gatewayClassEdges,
  marks(change, { dirty }) {
    dirty.classes.add(change.key);
    for (const { spec } of versionsOf(change)) {
      const dataPlane = dataPlaneOf(spec.parametersRef);
      if (dataPlane !== undefined) dirty.markStatus('DataPlane', dataPlane);
    }
  },
  status: { shape: 'stage' },
};
