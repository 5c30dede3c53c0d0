import type { ExecutionContext } from 'ava';
import { refs, startWorld } from './graph-proxy.ts';
import { send } from './http.ts';
import { gateway, httpRoute, ownObject } from './objects.ts';
import { untilFits } from './until.ts';
import type { AnyObject } from './world.ts';

/** A BackendPolicy of the Service `web`. */
export const policy = (spec: object, name = 'web') =>
  ownObject('BackendPolicy', name, { targetRefs: [{ group: '', kind: 'Service', name: 'web' }], ...spec });

/** A gateway whose requests go to one Service under a policy. */
export async function startRuled(t: ExecutionContext, spec: object, objects: readonly AnyObject[]) {
  const world = await startWorld(
    t,
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    policy(spec),
    ...objects,
    httpRoute('web', { hostnames: ['web.test'], rules: refs({ web: 1 }) as never }),
  );
  const port = await world.envoy.port('http/80');
  const ask = (headers: Readonly<Record<string, string>> = {}) => send(port, { host: 'web.test', headers });
  const served = () => untilFits('a 200', ask, ({ status }) => status === 200);
  return { ...world, port, ask, served };
}
