import type { CreateAddons } from '../../admin/index.ts';
import type { KubeClient } from '../../kube/index.ts';
import type { UsageKeeper } from '../../xds/index.ts';
import type { Connected } from './connect.ts';

/** What a control plane can do without. It is handed in, and this room imports none of it. */
export interface AddOns {
  /** What of it the admin API serves. */
  readonly admin: CreateAddons;
  /** Keeps what AI traffic used, and decides what it may use. */
  readonly usage?: UsageKeeper | undefined;
  /** Why the server does not answer that keeps it; undefined: it does, or there is none. */
  readonly usageStoreTrouble?: (() => string | undefined) | undefined;
  /** Ports are open, and other replicas are being looked for. */
  start(): void;
  /** Everything else has ended. */
  stop(): Promise<void>;
}

/** Where add-ons of a control plane keep what they keep, and what they may reach. */
export interface AddOnsPlace {
  /** Where settings are kept that the admin API makes: a Secret, or a directory. */
  readonly settings:
    | { readonly client: KubeClient; readonly namespace: string; readonly secret: string }
    | { readonly directory: string };
  /** The file that keeps what AI traffic used; undefined: it is forgotten with the process. */
  readonly usageFile?: string | undefined;
  /** Whether servers of this machine may be configured. */
  readonly allowLoopback: boolean;
}

export type BuildAddOns = (connected: Connected, place: AddOnsPlace) => AddOns;
/** Imports the add-ons when a control plane starts; undefined: it has none. */
export type LoadAddOns = () => Promise<BuildAddOns | undefined>;

export const noAddOns: BuildAddOns = () => ({ admin: () => [], start() {}, stop: async () => {} });
