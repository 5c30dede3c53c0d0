import type { Condition, GatewayStatus } from '../../gateway-api/index.ts';
import type { ObjectReference } from './object-reference.ts';

/** One listener of one Gateway as the graph resolved it. */
export interface ListenerView {
  /** `NAMESPACE.GATEWAY.LISTENER`, or `NAMESPACE.GATEWAY.SETNAMESPACE.LISTENERSET.LISTENER` */
  readonly name: string;
  readonly gateway: { readonly namespace: string; readonly name: string };
  /** ir.Gateway.key of the proxies that serve it. */
  readonly fleet: string;
  /** What declares it. */
  readonly source: 'Gateway' | 'ListenerSet';
  readonly section: string;
  readonly port: number;
  readonly protocol: string;
  readonly hostname?: string;
  readonly addresses: GatewayStatus['addresses'];
  readonly tls?: {
    readonly mode: string;
    readonly certificates: readonly ObjectReference[];
    /** How clients are checked, if at all: FrontendTLSValidation.mode. */
    readonly frontendValidation?: 'AllowValidOnly' | 'AllowInsecureFallback';
  };
  readonly attachedRoutes: number;
  readonly routes: readonly ObjectReference[];
  readonly conditions: readonly Condition[];
}
