import type { ListenAddress } from '../config/index.ts';
import type { DataPlaneSpec } from '../gateway-api/index.ts';

/** A port that the Gateway's Service has: one for each port and protocol of its listeners. */
export interface ProxyPort {
  readonly port: number;
  readonly protocol: 'TCP' | 'UDP';
}

/** An entry of `spec.addresses`. Source: GatewaySpecAddress. */
export interface RequestedAddress {
  readonly type?: string;
  readonly value?: string;
  readonly routability?: string;
}

/** How Services ask the platform's load balancers for addresses; the configuration's `infrastructure.loadBalancer`. */
export interface LoadBalancerSettings {
  readonly addressAnnotations: readonly string[];
  /** Undefined: there are no private ones. */
  readonly privateAnnotations?: Readonly<Record<string, string>> | undefined;
  readonly publicAnnotations: Readonly<Record<string, string>>;
}

/** What the proxies of one Gateway, or those that the Gateways of a class share, depend on. */
export interface GatewayProxies {
  /** Where they run, and the Gateway's name; `class:NAME` for those of a class: together the key of the proxies. */
  readonly namespace: string;
  readonly name: string;
  /** Of the Gateway, or of the class. */
  readonly uid: string;
  readonly ports: readonly ProxyPort[];
  /** `spec.infrastructure`: set on every object made for the Gateway, pods included. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** `spec.addresses`, or those of the Gateway that asks for all that share the proxies. */
  readonly addresses: readonly RequestedAddress[];
  /**
   * How the proxies are to be run, where that differs from what all have in common. Undefined when it cannot be known:
   * then nothing is made, and what there is stays as it is.
   */
  readonly parameters: DataPlaneSpec | undefined;
}

/** Who may reach proxies beside their users; NetworkPolicyPeers. */
export interface ProxyAccess {
  /** Where the pods of the control plane are, which ask agents for reports. */
  readonly controlPlaneNamespace: string;
  /** Who else may reach the agent's port, where metrics are. */
  readonly metricsFrom: readonly object[];
}

/** What the proxies of all Gateways have in common, unless their parameters say otherwise. */
export interface InfrastructureSettings {
  /** GatewayClass.spec.controllerName of the Gateways. What another controller made is left alone. */
  readonly controllerName: string;
  /** Where all proxies run; undefined: each Gateway's in its own namespace. */
  readonly namespace?: string | undefined;
  /** The namespaces that may have proxies at all; undefined: any. */
  readonly namespaces?: readonly string[] | undefined;
  /** Holds the agent and Envoy. */
  readonly image: string;
  /** Where Envoy is taken from instead, if anywhere. */
  readonly envoyImage?: string | undefined;
  /** The control plane's xDS server as pods reach it. */
  readonly xdsAddress: ListenAddress;
  /** How proxies know the control plane and prove who they are; undefined: xDS is plain text. */
  readonly trust?: XdsTrust | undefined;
  /** Where names of users may lead; what is left out is as by default. */
  readonly egress?: {
    readonly allowedAddresses: readonly string[];
    readonly clusterDomain: string;
    /** Names of the control plane's Services. */
    readonly controlPlaneHosts: readonly string[];
  };
  readonly serviceType: 'LoadBalancer' | 'ClusterIP' | 'NodePort';
  /** Default: by `spec.loadBalancerIP`, and none are private. */
  readonly loadBalancer?: LoadBalancerSettings | undefined;
  readonly replicas: number;
  /** The addresses on which proxies listen, and that their Services have; undefined: IPv4, and as the cluster makes Services. */
  readonly ipFamily?: DataPlaneSpec['ipFamily'];
  /** Who may reach proxies; undefined: no policy is made. */
  readonly networkPolicy?: ProxyAccess | undefined;
  /** CPU that a proxy asks for; Kubernetes' notation. Default `10m`, so that many Gateways fit on a small node. */
  readonly cpuRequest?: string;
  /** Memory that a proxy asks for. Default `64Mi`. */
  readonly memoryRequest?: string;
  /** How long requests under way may take when a proxy is stopped. Default 10. */
  readonly drainSeconds?: number;
  /** Secret of the proxies' namespace with the key for sticky sessions. Its content is for the proxies alone to read. */
  readonly sessionSecret?: string;
}

/** What each Gateway's proxies are given for their connection to the control plane. */
export interface XdsTrust {
  /** What its certificate is checked against, as of now. PEM. */
  readonly bundle: () => string;
  /** Whom the token of the ServiceAccount is made for. */
  readonly audience: string;
}
