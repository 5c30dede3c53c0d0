import type { KindModule } from '../../graph/engine/index.ts';
import { gatewayEdges } from '../../graph/gateways/index.ts';

export const gatewayModule: KindModule<'Gateway'> = {
  about: {
    category: 'gateway',
    description: 'Listeners, and the proxies that open them',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: gatewayEdges,
  marks({ key }, { dirty }) {
    dirty.gateways.add(key);
  },
  status: { shape: 'stage' },
};
