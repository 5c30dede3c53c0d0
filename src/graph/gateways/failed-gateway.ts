import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import { mishapFault, type Store } from '../engine/index.ts';
import type { LoneGateway, ResolvedParameters } from '../model/index.ts';
import { noPolicies } from './listener-settings.ts';
import { resolveParameters } from './parameters.ts';

interface FailedGateway {
  readonly object: ObjectByKind['Gateway'];
  readonly gatewayClass: ObjectByKind['GatewayClass'];
  readonly sharedFleet: string | undefined;
}

/** A Gateway that could not be resolved because of an error of ours: its proxies stay as they are to be run, and no listener of it is served. */
export function failedGateway({ object, gatewayClass, sharedFleet }: FailedGateway, store: Store): LoneGateway {
  const key = keyOf(object);
  const parameters = (): ResolvedParameters => {
    try {
      return resolveParameters(object, { gatewayClass, shared: sharedFleet !== undefined }, store);
    } catch {
      return { dataPlanes: [] };
    }
  };
  return withoutListeners({ key, object, fleet: sharedFleet ?? key, parameters: parameters() });
}

/** The same of one that has broken what it shares with others. */
export const withoutListeners = ({
  key,
  object,
  fleet,
  parameters,
}: Pick<LoneGateway, 'key' | 'object' | 'fleet' | 'parameters'>): LoneGateway => ({
  key,
  object,
  fleet,
  parameters: { ...parameters, fault: mishapFault },
  listeners: [],
  sets: new Map(),
  policies: noPolicies,
  guards: new Map(),
  limits: new Map(),
  notes: new Map(),
  cors: new Map(),
  traffic: new Map(),
});
