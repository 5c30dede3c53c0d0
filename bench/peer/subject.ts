import type { ChannelCredentials } from '@grpc/grpc-js';
import type { TypeUrl } from '../../src/envoy/index.ts';
import type { ProcessFigures } from '../support/processes.ts';
import type { RouteProbe } from '../support/route-probe.ts';
import type { Figure } from './rows.ts';

/** What is measured: a control plane with one proxy, as processes of this machine, in front of one Gateway of its own class. */
export interface Subject {
  readonly name: string;
  readonly version: string;
  /** Name of its Gateway, in the namespace `default`, and of its class. */
  readonly gateway: string;
  /** As whom it asks the API server. */
  readonly user: string;
  /** Where its control plane serves xDS; none where it is the proxy too. */
  readonly xdsPort: number | undefined;
  readonly probe: RouteProbe;
  /** Starts all of it, from nothing. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends the control plane at once, in no order, and starts it again. The proxy stays. */
  crash(): Promise<void>;
  /** How its proxies ask its control plane by delta xDS; left out where they do not. */
  streams?(): Promise<Streams>;
  /**
   * `proxy` is empty where the control plane is the proxy too. Throws when the control plane is not the one that was started: what it was
   * measured by would be worth nothing.
   */
  processes(): Promise<{ readonly controlPlane: ProcessFigures; readonly proxy: readonly ProcessFigures[] }>;
}

export interface Streams {
  readonly credentials: ChannelCredentials;
  /** What they ask for first, all there is of it; routes and endpoints they ask for by the names they find there. */
  readonly asked: readonly TypeUrl[];
}

/** Bytes of xDS as a figure: a text where a subject has no xDS. */
export const xdsBytes = ({ xdsPort }: Pick<Subject, 'xdsPort'>, bytes: number): Figure =>
  xdsPort === undefined ? 'no xDS' : bytes;

/** CPU of the control plane as a figure: a text where it is the proxy too, and answers thousands of requests meanwhile. */
export const apartFromProxy = ({ xdsPort }: Pick<Subject, 'xdsPort'>, cpu: number): Figure =>
  xdsPort === undefined ? 'not apart from its answers' : cpu;

/** Of the Envoy among a proxy’s processes; a text where the control plane is the proxy. */
export const envoyMemoryMb = (proxy: readonly ProcessFigures[]): Figure | undefined =>
  proxy.length === 0 ? 'in the control plane’s' : envoyOf(proxy)?.rssMb;

export const envoyOf = (proxy: readonly ProcessFigures[]): ProcessFigures | undefined =>
  proxy.find(({ what }) => what.startsWith('envoy'));
