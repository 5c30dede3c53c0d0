import type { Logger } from '../../telemetry/index.ts';
import type { ListGate } from './list-gate.ts';
import type { SocketOptions } from './listener-sockets.ts';
import type { ModuleKeeper } from './module-relay.ts';
import type { AppliedSnapshot } from './snapshot-marker.ts';
import type { TrialKeeper } from './trial-keeper.ts';

export interface RelayOptions {
  readonly logger: Logger;
  readonly now: () => Date;
  /** Called when Envoy has taken another snapshot whole. */
  readonly onApplied?: (snapshot: AppliedSnapshot) => void;
  /** Called when Envoy has been sent clusters while it waited for none. */
  readonly onClusters?: () => void;
  /** Called when Envoy has rejected something. */
  readonly onRejected?: () => void;
  /** `takeChanges` is called from time to time; without that, changes are not noted. False by default. */
  readonly noteChanges?: boolean;
  /** What listeners get in place of what they say of their sockets. */
  readonly sockets?: SocketOptions;
  /** Without it, the control plane is asked for no modules. */
  readonly modules?: ModuleKeeper;
  /** Without it, Envoy is sent changes of lists at any time. */
  readonly listGate?: ListGate;
  /** Without it, nothing is tried. */
  readonly trials?: TrialKeeper;
}
