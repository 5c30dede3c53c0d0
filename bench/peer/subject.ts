import type { ProcessFigures } from '../support/processes.ts';
import type { RouteProbe } from '../support/route-probe.ts';

/** What is measured: a control plane with one proxy, as processes of this machine, in front of one Gateway of its own class. */
export interface Subject {
  readonly name: string;
  readonly version: string;
  /** Name of its Gateway, in the namespace `default`. */
  readonly gateway: string;
  /** As whom it asks the API server. */
  readonly user: string;
  /** Where its control plane serves xDS. */
  readonly xdsPort: number;
  readonly probe: RouteProbe;
  /** Starts all of it, from nothing. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Throws when the control plane is not the one that was started: what it was measured by would be worth nothing. */
  processes(): Promise<{ readonly controlPlane: ProcessFigures; readonly proxy: readonly ProcessFigures[] }>;
}
