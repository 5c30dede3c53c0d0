import type * as ir from '../../ir/index.ts';
import { innerCluster } from '../inner/index.ts';
import {
  aiListenerName,
  aiRouteListenerName,
  aiStepsName,
  clusterName,
  type EnvoyResource,
} from '../resource/index.ts';
import { routeListener } from './route-listener.ts';
import { credentialSecret, serviceListener } from './service-listener.ts';

/** What an AI backend comes to beside its cluster, which is the provider's own; of a route's rule that too. */
export function aiResources({ key, ai }: ir.Backend): EnvoyResource[] {
  if (!ai) return [];
  if (ai.kind === 'service')
    return [serviceListener(key, ai), ...(ai.credential ? [credentialSecret(key, ai.credential)] : [])];
  const front = innerCluster(clusterName(key), [aiRouteListenerName(key, ai)]);
  return [{ ...front, continues: true }, ...stepClusters(key, ai), routeListener(key, ai)];
}

/** One for each sequence of services, whatever number of models has it. */
function stepClusters(key: string, { choices }: ir.AiRoute): EnvoyResource[] {
  const shares = choices.flatMap((choice) => choice.shares);
  const sequences = new Map(shares.map(({ steps }) => [aiStepsName(key, steps), steps] as const));
  return [...sequences].map(([name, steps]) =>
    innerCluster(
      name,
      steps.map(({ backend }) => aiListenerName(backend)),
    ),
  );
}
