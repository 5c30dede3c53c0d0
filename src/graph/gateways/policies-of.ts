import type { KindName } from '../../gateway-api/index.ts';
import type { AnyKindModule, KindModules, TrafficSettings } from '../engine/index.ts';

/** A kind of policies that are for listeners, or for routes. */
export interface PoliciesAtListeners {
  readonly kind: KindName;
  readonly settings: Pick<TrafficSettings, 'edge' | 'targetOf'>;
}

export const attachedKinds = (modules: KindModules): PoliciesAtListeners[] =>
  (Object.keys(modules) as KindName[]).flatMap((kind) => {
    const settings = modules[kind].attached;
    return settings ? [{ kind, settings }] : [];
  });

/** What at most one kind of policies has: what several would say of one Gateway is not merged. */
type SoleSettings = 'listeners' | 'gateways' | 'limits';

export interface PoliciesOf<S extends SoleSettings> {
  readonly kind: KindName;
  readonly settings: NonNullable<AnyKindModule[S]>;
}

/** Throws for several. */
export function policiesOf<S extends SoleSettings>(
  modules: KindModules,
  name: S,
  what: string,
): PoliciesOf<S> | undefined {
  const found = (Object.keys(modules) as KindName[]).flatMap((kind) => {
    const settings = modules[kind][name];
    return settings ? [{ kind, settings } as PoliciesOf<S>] : [];
  });
  if (found.length > 1) throw new Error(`${found.map(({ kind }) => kind).join(' and ')} all have ${what}`);
  return found[0];
}
