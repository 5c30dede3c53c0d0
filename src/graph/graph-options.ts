import type { HostRules } from '../egress/index.ts';
import type { KindModules, Mishap, Scope, TranslatorLimits, UserCode } from './engine/index.ts';
import type { Binder } from './model/index.ts';

export interface GraphOptions {
  /** `spec.controllerName` of the GatewayClasses that are ours. */
  readonly controllerName: string;
  /** Where proxies bind a port of a Gateway. */
  readonly bind: Binder;
  /** All proxies run on one machine, where a port of an address is opened once: Gateways that want the same one are in each other's way. */
  readonly onOneMachine?: boolean;
  /** All that is known of single kinds. */
  readonly kinds: KindModules;
  /** None when left out. */
  readonly limits?: TranslatorLimits;
  /** What is read, and where proxies run: for what is said of the rest. */
  readonly scope?: Scope;
  /** Where hosts that users write may lead; by default to no address that only its own machine, link or cloud should reach. */
  readonly hosts?: HostRules;
  /** Code of users that proxies run. Default: none. */
  readonly userCode?: UserCode;
  /** Where proxies run that several Gateways share, unless their DataPlane says it. Default `gatewright-system`. */
  readonly sharedNamespace?: string;
  /**
   * For how long after the new ones serve, in milliseconds, Gateways that move to other proxies keep the former ones as
   * well. Undefined where the two cannot be side by side, for ports of one machine are bound once: then they go first.
   */
  readonly oldFleetGraceMs?: number;
  /** Called for each exception while an object is resolved, which costs that object alone. */
  readonly onMishap?: (mishap: Mishap) => void;
  /** Called for an input that came during a build and failed afterwards, too late to throw at its sender. */
  readonly onInputFault?: (error: unknown) => void;
}
