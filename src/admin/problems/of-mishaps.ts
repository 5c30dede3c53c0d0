import { parseObjectKey } from '../../gateway-api/index.ts';
import type { AdminSources } from '../sources.ts';
import type { Finding } from './problem.ts';

/** Objects that an exception keeps from being resolved. What it says is in the log alone, for it may name what is secret. */
export function* ofMishaps({ graph }: Pick<AdminSources, 'graph'>): Generator<Finding> {
  for (const { kind, key } of graph.mishaps())
    yield {
      code: 'object_unresolved',
      object: { kind, ...parseObjectKey(key) },
      message: `an exception keeps ${kind} ${key} from being resolved; the log of the control plane has it`,
    };
}
