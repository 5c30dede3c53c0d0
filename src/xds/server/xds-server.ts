import { Server } from '@grpc/grpc-js';
import { MetricSet } from '../../telemetry/index.ts';
import type { EnvoyResource, Origin } from '../../translate/index.ts';
import { limits } from '../limits.ts';
import { adsService } from '../methods/index.ts';
import { type XdsMetrics, xdsMetrics } from '../metrics.ts';
import type { NodeListener } from '../nodes/node-event.ts';
import { NodeRegistry } from '../nodes/node-registry.ts';
import type { NodeRef, NodesView, NodeView } from '../nodes/node-view.ts';
import type { Variant } from '../session/channel.ts';
import { isForEarlier } from '../session/earlier.ts';
import { Patches } from '../session/patches.ts';
import type { Publication } from '../session/publication.ts';
import type { TypeSize } from '../session/resource-group.ts';
import { sentFor } from '../session/sent-for.ts';
import { AdsStream } from './ads-stream.ts';
import { AgentServices } from './agent-services.ts';
import { ClientLog } from './client-log.ts';
import { NodeListeners } from './node-listeners.ts';
import { OpenStreams } from './open-streams.ts';
import { rejectOtherServices } from './other-services.ts';
import { ResourceGroups } from './resource-groups.ts';
import { shutDown } from './shut-down.ts';
import type { AdsCall, HostedStream, StreamHost } from './stream-host.ts';
import { type Trier, triersOf } from './triers.ts';
import { TurnedAway } from './turned-away.ts';
import type { CertificateSource } from './xds-listener.ts';
import { XdsPorts } from './xds-ports.ts';
import { grpcOptions, streamLimits, type XdsServerOptions } from './xds-server-options.ts';

/**
 * Serves Envoy resources to proxies and agents: ADS, both variants. Takes publications, sends each node the changes of its own
 * gateway in an order that loses no request, and knows what each node has applied.
 *
 * A node belongs to the gateway that its `node.cluster` names. One stream per gateway and node id is active; a newer one supersedes.
 */
export class XdsServer {
  /** What agents report beside xDS. */
  readonly agentServices: AgentServices;
  readonly #options: XdsServerOptions;
  readonly #server: Server;
  readonly #registry: NodeRegistry;
  readonly #groups = new ResourceGroups();
  readonly #streams: OpenStreams;
  readonly #listeners: NodeListeners;
  readonly #host: StreamHost;
  readonly #clientLog: ClientLog;
  readonly #turnedAway: TurnedAway;
  readonly #ports: XdsPorts;
  #port = 0;
  #watchdog: NodeJS.Timeout | undefined;

  constructor(options: XdsServerOptions) {
    const { clock = () => new Date(), keepNodesMs = 600_000, elsewhere = () => undefined } = options;
    this.#options = options;
    this.#streams = new OpenStreams(options.onTaken);
    this.#clientLog = new ClientLog({ logger: options.logger });
    this.#registry = new NodeRegistry({
      keepMs: keepNodesMs,
      clock,
      elsewhere,
      maxLost: limits.lostNodes,
      isFleet: (cluster) => this.#groups.get(cluster)?.published === true,
    });
    const { logger, metrics = xdsMetrics(new MetricSet()) } = options;
    this.#listeners = new NodeListeners(metrics, logger);
    this.#turnedAway = new TurnedAway({
      logger,
      metrics,
      clientLog: this.#clientLog,
      nearest: (cluster) => options.nearest?.(cluster, this.#groups.keysNear(cluster)),
    });
    this.#host = this.#makeHost(clock, metrics);
    metrics.readSizes(() => this.sizes());
    this.#server = new Server(grpcOptions(options, limits.streamsPerConnection));
    this.#server.addService(adsService, {
      StreamAggregatedResources: (call: AdsCall) => this.#open(call, 'sotw'),
      DeltaAggregatedResources: (call: AdsCall) => this.#open(call, 'delta'),
    });
    this.#ports = new XdsPorts({
      server: this.#server,
      unusedMs: this.#host.limits.firstRequestMs,
      onLost: (peer, reason) => this.#turnedAway.lost(peer, reason),
    });
    const { certificateOf, authenticator } = this.#host;
    const onCall = (peer: string) => this.#ports.markUsed(peer);
    this.agentServices = new AgentServices(this.#server, {
      log: this.#clientLog,
      authenticator,
      certificateOf,
      onCall,
    });
    rejectOtherServices(this.#server, (path, peer) => {
      this.#ports.markUsed(peer);
      this.#turnedAway.notServed(path, peer);
    });
  }

  /** All data planes of this replica, connected or recently gone. */
  get nodes(): NodesView {
    return this.#registry;
  }

  /** Where it listens, as `listen` gave it; 0 before. */
  get port(): number {
    return this.#port;
  }

  /** All resources that nodes of a gateway are sent, as of the newest publication; without those for listeners of earlier releases. */
  resourcesOf(gateway: string): Iterable<EnvoyResource> {
    return (
      this.#groups
        .get(gateway)
        ?.all()
        .filter((resource) => !isForEarlier(resource))
        .flatMap(sentFor) ?? []
    );
  }

  /** What was published, over all gateways, by type. */
  sizes(): TypeSize[] {
    return this.#groups.sizes();
  }

  /** Whether a node has not answered yet what was published for its gateway. */
  get isPushing(): boolean {
    return this.#streams.anyBehind;
  }

  /** Calls the listener for everything that happens to a node, synchronously. Returns how to stop it. */
  onNode(listener: NodeListener): () => void {
    return this.#listeners.add(listener);
  }

  /** The node has connected to another replica, later than to this one: ends its stream here and forgets it. */
  giveUp(node: NodeRef, replica: string): void {
    const owner = this.#registry.ownerOf(node);
    if (owner !== undefined) {
      const what = 'draining superseded stream: the node has a newer one on another replica';
      this.#options.logger.warn({ node_id: node.nodeId, cluster: node.cluster, replica }, what);
      owner.supersede(`replica ${replica}`);
    }
    const forgotten = this.#registry.forget(node);
    if (forgotten !== undefined) this.#listeners.emit({ kind: 'forgotten', node: forgotten });
  }

  /** These pods run the proxies of the fleet, and are called as its nodes are; undefined: that is not known. A node that was one is lost no longer than its pod exists. */
  setPods(cluster: string, names: ReadonlySet<string> | undefined): void {
    this.#forgotten(this.#registry.setPods(cluster, names));
  }

  /** Whether a node that is not connected, here or elsewhere, will not be back. */
  isGone(node: NodeView): boolean {
    return this.#registry.isGone(node);
  }

  /** All proxies of the gateway reject this: one that comes is sent it behind all the rest. */
  suspect(gateway: string, origin: Origin): void {
    this.#groups.of(gateway).suspect(origin);
  }

  /** One of them takes it. */
  clear(gateway: string, origin: Origin): void {
    const group = this.#groups.of(gateway);
    group.clear(origin);
    this.#groups.dispose(group);
  }

  /** The proxies of a gateway that are connected here, for trials of what they are not sent. */
  triersOf(gateway: string): Trier[] {
    return triersOf(this.#registry, gateway);
  }

  /** Sends the node once more what it rejected. False when its stream does not end here. */
  offerAgain(node: NodeRef): boolean {
    const owner = this.#registry.ownerOf(node);
    owner?.offerAgain();
    return owner !== undefined;
  }

  /**
   * Takes a build's changes; sending begins with `push`, or after the caller is done. The publication must be consistent: whatever a
   * resource refers to is in it or was published before.
   */
  publish(publication: Publication): void {
    const touched = this.#groups.publish(publication);
    this.#streams.published(touched);
    for (const group of touched) {
      if (!group.published) this.#forgotten(this.#registry.fleetGone(group.key));
      this.#groups.dispose(group);
    }
    this.#host.metrics.published();
  }

  /** Begins to send what was published. Nodes may have applied it when this returns. */
  push(): void {
    this.#streams.push();
  }

  /**
   * Listens, on one or more addresses one after the other. `:18080` is every address of the machine, `127.0.0.1:0` a free
   * port, `unix:/path` a socket. Gives the port (0 for a socket); throws when it cannot be bound. With certificates it is
   * TLS that is spoken there (not on a socket).
   */
  async listen(address: string, certificates?: CertificateSource): Promise<number> {
    this.#port = await this.#ports.listen(address, certificates);
    this.#watchdog ??= setInterval(() => this.#watch(), this.#watchEveryMs).unref();
    return this.#port;
  }

  /** Ends all streams with UNAVAILABLE, so that clients go elsewhere or try again, and stops listening. */
  async close(): Promise<void> {
    if (this.#streams.isClosed) return;
    this.#ports.close();
    clearInterval(this.#watchdog);
    this.#streams.close();
    await shutDown(this.#server);
  }

  #makeHost(clock: () => Date, metrics: XdsMetrics): StreamHost {
    const { logger, authenticator } = this.#options;
    return {
      logger,
      metrics,
      registry: this.#registry,
      clock,
      authenticator,
      certificateOf: (peer) => this.#ports.certificateOf(peer),
      neverServed: (end) => this.#turnedAway.neverServed(end),
      clientLog: this.#clientLog,
      limits: streamLimits(this.#options),
      patches: new Patches(),
      faultOfWaiting: (group) => this.#groups.faultOfWaiting(group),
      identified: (stream) => this.#streams.identified(stream),
      unknownGateway: (identity, peer) => {
        if (this.#groups.hasPublication) this.#turnedAway.unknownGateway(identity, peer);
      },
      groupOf: (key) => this.#groups.of(key),
      newest: (group) => this.#groups.newest(group),
      emit: (event) => this.#listeners.emit(event),
      inTurn: (stream) => this.#streams.inTurn(stream),
      caughtUp: (stream) => this.#streams.caughtUp(stream),
      ended: (stream) => this.#ended(stream),
    };
  }

  #open(call: AdsCall, variant: Variant): void {
    this.#ports.markUsed(call.getPeer());
    this.#streams.open(new AdsStream(call, variant, this.#host));
  }

  #ended(stream: HostedStream): void {
    this.#streams.ended(stream);
    if (stream.group !== undefined) this.#groups.dispose(stream.group);
  }

  get #watchEveryMs(): number {
    const { firstRequestMs, ackTimeoutMs, sendTimeoutMs, bindRetryMs } = this.#host.limits;
    return Math.max(10, Math.min(5_000, firstRequestMs / 4, ackTimeoutMs / 4, sendTimeoutMs / 4, bindRetryMs));
  }

  #watch(): void {
    const now = performance.now();
    this.#streams.tick(now);
    this.#ports.tick(now);
    this.#clientLog.tick(now);
    this.#forgotten(this.#registry.prune());
  }

  #forgotten(nodes: readonly NodeView[]): void {
    for (const node of nodes) this.#listeners.emit({ kind: 'forgotten', node });
  }
}
