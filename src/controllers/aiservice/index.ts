import type { KindModule } from '../../graph/engine/index.ts';
import { aiServiceEdges, markChangedAiService } from './edges.ts';
import { aiServiceProvider } from './provider.ts';
import { aiServiceConditions } from './status.ts';

export const aiServiceModule: KindModule<'AIService'> = {
  about: {
    category: 'ai',
    description: 'A provider of models that routes forward to',
    writable: true,
    inTrials: 'named',
  },
  relevant: 'spec',
  edges: aiServiceEdges,
  marks: markChangedAiService,
  status: {
    shape: 'conditions',
    of: (object, _key, { store }) => ({ conditions: aiServiceConditions(object, store) }),
  },
  provider: aiServiceProvider,
};
