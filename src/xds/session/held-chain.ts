import type { ChainDemand, ChainList, EnvoyResource } from '../../translate/index.ts';

/** A filter chain that a client has. */
export interface HeldChain {
  readonly version: string;
  /** Undefined: only its version is known. */
  readonly resource?: EnvoyResource;
  /** Undefined: it has the chain from an earlier stream, and which slots these are is not known. */
  readonly slots: ReadonlySet<string> | undefined;
  /** Those of the slots that have some. */
  readonly lists: ReadonlyMap<string, ChainList>;
  /** By slot, the resource that has its lists, where the chain does not. */
  readonly listsAt: ReadonlyMap<string, string>;
  /** By digest. */
  readonly demands: ReadonlyMap<string, ChainDemand>;
}

const noLists: ReadonlyMap<string, ChainList> = new Map();
const nowhere: ReadonlyMap<string, string> = new Map();

/** A chain of which nothing is known but that a client has it. */
export const unknownChain: HeldChain = {
  version: '',
  slots: undefined,
  lists: noLists,
  listsAt: nowhere,
  demands: new Map(),
};

/** What a client has that took this; undefined: it is no filter chain. */
export function heldChain(resource: EnvoyResource): HeldChain | undefined {
  const { version, slots } = resource;
  return (
    slots && {
      version,
      resource,
      slots: slots.names,
      lists: slots.lists,
      listsAt: slots.listsAt ?? nowhere,
      demands: slots.demands,
    }
  );
}

/** What a client has that says so by a version. `chain` is what it is to have, and `find` gives what chains demanded before. */
export function heldByVersion(
  version: string,
  chain: EnvoyResource | undefined,
  find: (digest: string) => ChainDemand | undefined,
): HeldChain {
  const { steady, ahead } = chain?.slots ?? {};
  const same = [chain, steady?.(), ahead?.()].find((each) => each?.version === version);
  return (
    (same && heldChain(same)) ?? {
      ...unknownChain,
      version,
      demands: chain?.slots?.demandsIn(version, find) ?? new Map(),
    }
  );
}
