import type * as ir from '../../ir/index.ts';
import { type InnerListener, innerCluster } from '../inner/index.ts';
import { clusterName, type EnvoyResource, poolListenerName, poolStepsName } from '../resource/index.ts';
import { frontListener } from './front-listener.ts';
import { pickListener } from './pick-listener.ts';
import { pickLogs } from './pick-log.ts';
import { plainListener, unavailableListener } from './plain-listener.ts';

/** What a pool comes to beside the clusters of its model servers and its picker: its own cluster, and what that leads to. */
export function poolResources({ key, pool, protocol }: ir.Backend): EnvoyResource[] {
  if (!pool) return [];
  const http2 = protocol === 'h2c';
  const [only, ...others] = stepsOf(pool);
  if (others.length === 0) {
    const step = stepListener(only, { key, pool, accessLog: pickLogs(key) });
    return [{ ...innerCluster(clusterName(key), [step.name], { http2 }), continues: true }, step];
  }
  const steps = [only, ...others].map((step) => stepListener(step, { key, pool }));
  const names = steps.map(({ name }) => name);
  const front = poolListenerName(key, pool, 'front');
  return [
    { ...innerCluster(clusterName(key), [front], { http2 }), continues: true },
    innerCluster(poolStepsName(key), names, { http2 }),
    frontListener({ name: front, key, retries: others.length, accessLog: pickLogs(key) }),
    ...steps,
  ];
}

type Step = Exclude<ir.PickerMode, 'auto'> | 'any' | 'unavailable';

/** Tried one after the other, as long as no model server was asked. */
function stepsOf({ picker }: ir.Pool): readonly [Step, ...Step[]] {
  if (!picker) return ['unavailable'];
  const last = picker.failOpen ? (['any'] as const) : [];
  return picker.mode === 'auto' ? ['fullDuplexRequest', 'buffered', ...last] : [picker.mode, ...last];
}

interface StepOptions {
  readonly key: string;
  readonly pool: ir.Pool;
  readonly accessLog?: InnerListener['accessLog'];
}

function stepListener(
  step: Step,
  { key, pool: { servers, picker }, pool, accessLog = [] }: StepOptions,
): EnvoyResource {
  const name = poolListenerName(key, pool, step);
  if (!picker || step === 'unavailable') return unavailableListener({ name, key, accessLog });
  if (step === 'any') return plainListener({ name, key, servers });
  return pickListener({ name, key, servers, picker, mode: step, accessLog });
}
