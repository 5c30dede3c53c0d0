import { Server } from '@grpc/grpc-js';
import { MetricSet } from '../../telemetry/index.ts';
import type { EnvoyResource, Origin } from '../../translate/index.ts';
import { limits } from '../limits.ts';
import { adsService } from '../methods/index.ts';
import { xdsMetrics } from '../metrics.ts';
import type { NodeEvent, NodeListener } from '../nodes/node-event.ts';
import type { NodeIdentity } from '../nodes/node-identity.ts';
import { NodeRegistry } from '../nodes/node-registry.ts';
import type { NodeRef, NodesView } from '../nodes/node-view.ts';
import { RejectionLog } from '../rejections/rejection-log.ts';
import type { Variant } from '../session/channel.ts';
import type { Publication, SnapshotManifest } from '../session/publication.ts';
import type { ResourceGroup, SnapshotVersion, TypeSize } from '../session/resource-group.ts';
import { AdsStream } from './ads-stream.ts';
import { ClientLog, hostOf } from './client-log.ts';
import { rejectOtherServices } from './other-services.ts';
import { PumpQueue } from './pump-queue.ts';
import { ResourceGroups } from './resource-groups.ts';
import type { AdsCall, HostedStream, StreamHost } from './stream-host.ts';
import { serveTraffic, type TrafficKeeper } from './traffic-service.ts';
import { serveUsage, type UsageKeeper } from './usage-services.ts';
import type { CertificateSource } from './xds-listener.ts';
import { XdsPorts } from './xds-ports.ts';
import { grpcOptions, streamLimits, type XdsServerOptions } from './xds-server-options.ts';

const drainMs = 1_000;

/**
 * Serves Envoy resources to proxies and agents: ADS, both variants. Takes publications, sends each node the changes of its own
 * gateway in an order that loses no request, and knows what each node has applied.
 *
 * A node belongs to the gateway that its `node.cluster` names. One stream per gateway and node id is active; a newer one supersedes.
 */
export class XdsServer {
  readonly #options: XdsServerOptions;
  readonly #server: Server;
  readonly #registry: NodeRegistry;
  readonly #groups = new ResourceGroups();
  readonly #streams = new Set<HostedStream>();
  /** Those that have not taken all of what was published for their gateway. */
  readonly #behind = new Set<HostedStream>();
  readonly #queue = new PumpQueue();
  readonly #listeners = new Set<NodeListener>();
  readonly #host: StreamHost;
  readonly #rejections = new RejectionLog();
  readonly #clientLog: ClientLog;
  /** Streams that have not said who they are, the oldest first. */
  readonly #unidentified = new Set<HostedStream>();
  readonly #ports: XdsPorts;
  #epoch = 0;
  #port = 0;
  #marker: SnapshotManifest | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: XdsServerOptions) {
    const { clock = () => new Date(), keepNodesMs = 600_000, elsewhere = () => undefined } = options;
    this.#options = options;
    this.#clientLog = new ClientLog({ logger: options.logger });
    this.#registry = new NodeRegistry({
      keepMs: keepNodesMs,
      clock,
      elsewhere,
      maxDeparted: limits.departedNodes,
      isFleet: (cluster) => this.#groups.get(cluster)?.published === true,
    });
    this.#host = this.#makeHost(clock);
    this.#host.metrics.readSizes(() => this.sizes());
    this.#server = new Server(grpcOptions(options, limits.streamsPerConnection));
    this.#server.addService(adsService, {
      StreamAggregatedResources: (call: AdsCall) => this.#open(call, 'sotw'),
      DeltaAggregatedResources: (call: AdsCall) => this.#open(call, 'delta'),
    });
    this.#ports = new XdsPorts({
      server: this.#server,
      unusedMs: this.#host.limits.firstRequestMs,
      onLost: (peer, reason) => this.#lost(peer, reason),
    });
    rejectOtherServices(this.#server, (path, peer) => this.#notServed(path, peer));
  }

  /** Passes usage to the keeper, which decides what proxies may use. Before `listen`; without it proxies are answered that nothing is kept. */
  serveUsage(keeper: UsageKeeper): void {
    const { certificateOf, authenticator } = this.#host;
    const onCall = (peer: string) => this.#ports.markUsed(peer);
    serveUsage(this.#server, { keeper, log: this.#clientLog, authenticator, certificateOf, onCall });
  }

  /** Passes what agents report of traffic to the keeper. Before `listen`; without it agents are answered that there is no such service. */
  serveTraffic(keeper: TrafficKeeper): void {
    const { certificateOf, authenticator } = this.#host;
    const onCall = (peer: string) => this.#ports.markUsed(peer);
    serveTraffic(this.#server, { keeper, log: this.#clientLog, authenticator, certificateOf, onCall });
  }

  /** All data planes of this replica, connected or recently gone. */
  get nodes(): NodesView {
    return this.#registry;
  }

  /** Where it listens, as `listen` gave it; 0 before. */
  get port(): number {
    return this.#port;
  }

  /** All resources that nodes of a gateway are sent, as of the newest publication. */
  resourcesOf(gateway: string): Iterable<EnvoyResource> {
    return this.#groups.get(gateway)?.all() ?? [];
  }

  /** What was published, over all gateways, by type. */
  sizes(): TypeSize[] {
    return this.#groups.sizes();
  }

  /** Whether a node has not answered yet what was published for its gateway. */
  get isPushing(): boolean {
    return this.#behind.size > 0;
  }

  /** Calls the listener for everything that happens to a node, synchronously. Returns how to stop it. */
  onNode(listener: NodeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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
    if (forgotten !== undefined) this.#emit({ kind: 'forgotten', node: forgotten });
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

  /** Sends the node once more what it rejected. False when its stream does not end here. */
  offerAgain(node: NodeRef): boolean {
    const owner = this.#registry.ownerOf(node);
    owner?.offerAgain();
    return owner !== undefined;
  }

  /**
   * Takes a build's changes; sending begins after the caller is done. The publication must be consistent: whatever a
   * resource refers to is in it or was published before.
   */
  publish({ marker, changes, digests }: Publication): void {
    this.#epoch += 1;
    this.#marker = marker;
    const touched = new Set<ResourceGroup>();
    for (const change of changes) {
      const group = this.#groups.of(change.gateway);
      group.apply(change, this.#epoch, digests.get(change.gateway));
      touched.add(group);
    }
    for (const stream of this.#streams) {
      if (stream.group === undefined || !touched.has(stream.group)) {
        this.#queue.idle(stream);
        continue;
      }
      this.#behind.add(stream);
      this.#queue.urgent(stream);
    }
    for (const group of touched) this.#groups.dispose(group);
    this.#host.metrics.published();
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
    if (this.#closed) return;
    this.#closed = true;
    this.#ports.close();
    clearInterval(this.#watchdog);
    this.#queue.stop();
    for (const stream of [...this.#streams]) stream.end('shutdown', 'the control plane is shutting down');
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#server.forceShutdown();
        resolve();
      }, drainMs);
      this.#server.tryShutdown(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #makeHost(clock: () => Date): StreamHost {
    const { logger, authenticator, metrics = xdsMetrics(new MetricSet()) } = this.#options;
    return {
      logger,
      metrics,
      registry: this.#registry,
      clock,
      authenticator,
      certificateOf: (peer) => this.#ports.certificateOf(peer),
      admitLine: (line) => this.#rejections.admit(line, performance.now()),
      clientLog: this.#clientLog,
      limits: streamLimits(this.#options),
      faultOfWaiting: (group) => this.#faultOfWaiting(group),
      identified: (stream) => this.#unidentified.delete(stream),
      unknownGateway: (identity, peer) => this.#warnOfUnknown(identity, peer),
      groupOf: (key) => this.#groups.of(key),
      newest: (group) => this.#newest(group),
      emit: (event) => this.#emit(event),
      inTurn: (stream) => this.#queue.inTurn(stream),
      caughtUp: (stream) => this.#behind.delete(stream),
      ended: (stream) => this.#ended(stream),
    };
  }

  #open(call: AdsCall, variant: Variant): void {
    this.#ports.markUsed(call.getPeer());
    const stream: HostedStream = new AdsStream(call, variant, this.#host);
    this.#streams.add(stream);
    this.#unidentified.add(stream);
    stream.start();
    const [oldest] = this.#unidentified;
    if (this.#unidentified.size > limits.unidentifiedStreams) oldest?.giveWay();
    if (this.#closed) stream.end('shutdown', 'the control plane is shutting down');
  }

  #ended(stream: HostedStream): void {
    this.#streams.delete(stream);
    this.#behind.delete(stream);
    this.#unidentified.delete(stream);
    this.#queue.remove(stream);
    if (stream.group !== undefined) this.#groups.dispose(stream.group);
  }

  #newest(group: ResourceGroup): SnapshotVersion {
    if (this.#marker === undefined) throw new Error('nothing was published yet');
    return group.snapshotVersion(this.#epoch, this.#marker);
  }

  #emit(event: NodeEvent): void {
    const { metrics } = this.#host;
    if (event.kind === 'forgotten') metrics.nodeForgotten(event.node);
    else metrics.nodeReady(event.node, event.node.ready);
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#options.logger.error({ err: error, event: event.kind }, 'a listener for node events failed');
      }
    }
  }

  get #watchEveryMs(): number {
    const { firstRequestMs, ackTimeoutMs, sendTimeoutMs, bindRetryMs } = this.#host.limits;
    return Math.max(10, Math.min(5_000, firstRequestMs / 4, ackTimeoutMs / 4, sendTimeoutMs / 4, bindRetryMs));
  }

  #watch(): void {
    const now = performance.now();
    for (const stream of [...this.#streams]) stream.tick(now);
    this.#ports.tick(now);
    this.#clientLog.tick(now);
    for (const node of this.#registry.prune()) this.#emit({ kind: 'forgotten', node });
  }

  // At the start, before anything was published, every Gateway is unknown.
  #faultOfWaiting(group: ResourceGroup): string | undefined {
    if (this.#marker === undefined || group.published) return undefined;
    const hasRoom = this.#groups.waiting < limits.waitingStreams;
    return hasRoom ? undefined : 'too many nodes wait for Gateways that are not there';
  }

  #warnOfUnknown({ nodeId, cluster }: NodeIdentity, peer: string): void {
    if (this.#marker === undefined) return;
    const facts = () => ({ node_id: nodeId, cluster, peer, ...this.#nearestTo(cluster) });
    this.#clientLog.write('warn', peer, facts, 'node.cluster names no Gateway that is served: the node waits for it');
  }

  #nearestTo(cluster: string): { readonly did_you_mean?: string } {
    const nearest = this.#options.nearest?.(cluster, this.#groups.keysNear(cluster));
    return nearest === undefined ? {} : { did_you_mean: nearest };
  }

  #notServed(method: string, peer: string): void {
    this.#ports.markUsed(peer);
    const held = this.#rejections.admit(`${hostOf(peer)} ${method}`, performance.now());
    if (held === undefined) return;
    const facts = { peer, method, ...(held > 0 && { held_back: held }) };
    this.#options.logger.warn(facts, 'a method was asked for that is not served: all resources come over ADS');
  }

  /** A connection that never became a stream. */
  #lost(peer: string, reason: string): void {
    const { logger } = this.#options;
    this.#host.metrics.connectionRefused();
    const held = this.#rejections.admit(`${hostOf(peer)} ${reason}`, performance.now());
    if (held !== undefined)
      logger.warn({ peer, reason: 'unauthenticated', details: reason, held_back: held }, 'xDS connection lost');
  }
}
