import type * as ir from '../../ir/index.ts';
import { innerCluster } from '../inner/index.ts';
import { clusterName, type EnvoyResource, poolListenerName, poolStepsName } from '../resource/index.ts';
import { frontListener } from './front-listener.ts';
import { pickListener } from './pick-listener.ts';
import { plainListener, unavailableListener } from './plain-listener.ts';

/** What a pool comes to beside the clusters of its model servers and its picker: its own cluster, and what that leads to. */
export function poolResources({ key, pool, protocol }: ir.Backend): EnvoyResource[] {
  if (!pool) return [];
  const http2 = protocol === 'h2c';
  const steps = stepsOf(key, pool);
  const names = steps.map(({ name }) => name);
  if (steps.length === 1) return [{ ...innerCluster(clusterName(key), names, { http2 }), continues: true }, ...steps];
  const front = poolListenerName(key, pool, 'front');
  return [
    { ...innerCluster(clusterName(key), [front], { http2 }), continues: true },
    innerCluster(poolStepsName(key), names, { http2 }),
    frontListener({ name: front, key, retries: steps.length - 1 }),
    ...steps,
  ];
}

/** Tried one after the other, as long as no model server was asked. */
function stepsOf(key: string, pool: ir.Pool): EnvoyResource[] {
  const { picker, servers } = pool;
  const name = (step: string) => poolListenerName(key, pool, step);
  if (!picker) return [unavailableListener({ name: name('unavailable'), key })];
  const modes = picker.mode === 'auto' ? (['fullDuplexRequest', 'buffered'] as const) : ([picker.mode] as const);
  const picks = modes.map((mode) => pickListener({ name: name(mode), key, servers, picker, mode }));
  return picker.failOpen ? [...picks, plainListener({ name: name('any'), key, servers })] : picks;
}
