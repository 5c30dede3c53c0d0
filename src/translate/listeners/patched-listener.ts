import * as ir from '../../ir/index.ts';
import { type EnvoyResource, type Origin, type Provenance, patchOrigin } from '../resource/index.ts';
import { listenerOnTrial } from './listener-on-trial.ts';

/**
 * The provenance of a port with a patch. Whatever a proxy says of it, the patch is at fault first: without it the port is what it is for all others, and if
 * that is rejected too, what is at fault is found there. Whether the port is free has nothing to do with it (`whole`).
 *
 * @param resource the port with the patch, and its provenance by itself; undefined: it has one chain
 */
export function patchedProvenance(
  { patch, ...unpatched }: ir.Listener,
  resource: EnvoyResource,
  translate: (listener: ir.Listener) => EnvoyResource,
): Provenance | undefined {
  const { provenance: own } = resource;
  if (!patch) return own;
  const whole = (): Origin => ({
    kind: 'listener',
    key: unpatched.key,
    digest: ir.digestOf({ ...unpatched, patch }),
  });
  return {
    origins: () => [patchOrigin(patch), ...(own?.origins() ?? [whole()])],
    whole,
    namedIn: () => [patch.id],
    trials: () => [
      {
        origin: patchOrigin(patch),
        version: resource.version,
        content: () => listenerOnTrial(resource),
        control: () => listenerOnTrial(translate(unpatched)),
      },
    ],
    without: (name, keys) => {
      if (!keys.has(patch.id)) return own?.without?.(name, keys);
      const plain = translate(unpatched);
      const provenance = { ...(plain.provenance ?? { origins: () => [whole()] }), whole };
      const others = new Set([...keys].filter((key) => key !== patch.id));
      return others.size === 0 ? { ...plain, provenance } : plain.provenance?.without?.(name, others);
    },
  };
}
