import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import type { networkInterfaces } from 'node:os';
import type { DecodedPacket } from 'dns-packet';
import { parseNamedServer } from '../../contracts/index.ts';
import { AddressRules, isClusterName, plainName, privateRanges } from '../../egress/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { Clock } from '../clock.ts';
import { framed, messagesIn, type NameQuestion, type ServerAddress } from './ask-server.ts';
import { answerTo, failureTo, readQuestion } from './messages.ts';
import { NameServerPool } from './name-server-pool.ts';
import { OwnAddresses } from './own-addresses.ts';
import { RejectedNames } from './rejected-names.ts';
import { type Resolution, resolveName } from './resolve-name.ts';
import { FollowedFile, parseHosts, parseResolvConf } from './system-names.ts';

export interface DnsGuardOptions {
  /** Addresses and ranges that names may lead to all the same. */
  readonly allowedAddresses?: readonly string[];
  /** In small letters. */
  readonly clusterDomain: string;
  /** Names and addresses of the control plane, which no name may lead to. */
  readonly controlPlaneHosts: readonly string[];
  /** Name servers to ask, in place of those of the system. */
  readonly servers?: readonly ServerAddress[] | undefined;
  readonly resolvConf?: string;
  readonly hosts?: string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Lists the interfaces of this machine. */
  readonly interfaces?: typeof networkInterfaces;
}

const loopback = '127.0.0.1';
const dnsPort = 53;
/** So many questions are worked on at a time; more are answered SERVFAIL, and asked again by Envoy. */
const maxUnderWay = 1000;
const maxConnections = 64;
const connectionIdleMs = 10_000;
/** How often the control plane's names are resolved again. */
const controlPlaneEveryMs = 30_000;
/** After a failure sooner. */
const retryMs = 1000;

/**
 * Envoy's name server. It resolves as the system would and leaves out every address that names of users may not lead to, at every
 * resolution: a name that changes later gains nothing. When it cannot ask, it says so, and Envoy keeps the addresses that it has; clusters whose endpoints are
 * addresses do not come here. docs/adr/0010-egress.md says what was weighed.
 */
export class DnsGuard {
  readonly rejections: RejectedNames;
  readonly #options: DnsGuardOptions;
  readonly #own: OwnAddresses;
  readonly #rules: AddressRules;
  readonly #publicRules: AddressRules;
  readonly #pool = new NameServerPool();
  readonly #resolvConf: FollowedFile<ReturnType<typeof parseResolvConf>>;
  readonly #hosts: FollowedFile<ReturnType<typeof parseHosts>>;
  readonly #connections = new Set<Socket>();
  #udp: UdpSocket | undefined;
  #tcp: Server | undefined;
  #port = 0;
  #underWay = 0;
  #knowsControlPlane = false;
  #look: Promise<boolean> | undefined;
  #asked = 0;
  #failed = 0;

  constructor(options: DnsGuardOptions) {
    const { allowedAddresses: allowed = [], clock, logger } = options;
    const now = () => clock.now().getTime();
    this.#options = options;
    this.#own = new OwnAddresses({ now, ...(options.interfaces && { list: options.interfaces }) });
    const own = () => this.#own.get();
    this.#rules = new AddressRules({ allowed, own });
    this.#publicRules = new AddressRules({ allowed, own, further: privateRanges });
    this.#resolvConf = new FollowedFile(options.resolvConf ?? '/etc/resolv.conf', parseResolvConf, now);
    this.#hosts = new FollowedFile(options.hosts ?? '/etc/hosts', parseHosts, now);
    this.rejections = new RejectedNames({ logger, now: () => clock.now() });
  }

  /** Where Envoy asks. The same for as long as the agent runs, for Envoy's bootstrap has it. */
  get address(): ServerAddress {
    return { address: loopback, port: this.#port };
  }

  /** Questions so far. */
  get asked(): number {
    return this.#asked;
  }

  /** Questions that no name server could answer. */
  get failed(): number {
    return this.#failed;
  }

  /** Opens both sockets, also again when one has gone. Rejects when there is no port for both. */
  async listen(): Promise<void> {
    for (let tries = 0; !this.#udp || !this.#tcp; tries++) {
      try {
        this.#tcp ??= await this.#openTcp(this.#port);
        this.#udp = await this.#openUdp(portOf(this.#tcp));
        this.#port = portOf(this.#tcp);
      } catch (error) {
        // Another program may have the port that is free for TCP.
        if (this.#port !== 0 || tries >= 10) throw error;
        this.#tcp?.close();
        this.#tcp = undefined;
      }
    }
  }

  /** Keeps the control plane's addresses as they are now. Resolves when the signal is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const known = await this.#lookOnce();
      this.#look = undefined;
      await this.#options.clock.delay(known ? controlPlaneEveryMs : retryMs, signal).catch(() => undefined);
    }
  }

  /** One look at a time. */
  #lookOnce(): Promise<boolean> {
    this.#look ??= this.#learnControlPlane();
    return this.#look;
  }

  /** Resolves the control plane's names. Whether all could be asked for; else the former addresses stand. */
  async #learnControlPlane(): Promise<boolean> {
    const questions = this.#options.controlPlaneHosts.flatMap((name) =>
      (['A', 'AAAA'] as const).map((type) => ({ name, type })),
    );
    // Nothing is allowed or forbidden here: it is about what to forbid.
    const found = await Promise.all(questions.map((each) => this.#resolve(each, everything).catch(() => undefined)));
    const known = found.every((each) => each !== undefined);
    const addresses = found.flatMap((each) => each?.addresses.map(({ address }) => address) ?? []);
    if (known) this.#own.setControlPlane(addresses);
    this.#knowsControlPlane ||= known;
    return known;
  }

  close(): void {
    for (const socket of this.#connections) socket.destroy();
    this.#udp?.close();
    this.#tcp?.close();
    this.#udp = undefined;
    this.#tcp = undefined;
  }

  /** What Envoy is answered: the guard's one way in. Rejects when no name server can answer. */
  async resolve(question: NameQuestion): Promise<Resolution> {
    if (!this.#knowsControlPlane) await this.#lookOnce();
    if (!this.#knowsControlPlane) throw new Error('it is not known yet where the control plane is');
    const asked = plainName(question.name);
    const named = parseNamedServer(asked);
    const name = named?.host ?? asked;
    const found = named
      ? await this.#resolveNamed({ ...question, name }, named.reachesPrivate)
      : await this.#resolve(question, this.#rules);
    const resolution = question.type === 'A' && this.#own.lacksIpv4() ? withinReach(found) : found;
    if (resolution.rejected.length > 0) this.rejections.add(name, resolution.rejected);
    else if (resolution.addresses.length > 0) this.rejections.clear(name);
    return resolution;
  }

  /** What a client named. The cluster's own names are for references of routes, where a ReferenceGrant decides. */
  #resolveNamed(question: NameQuestion, reachesPrivate: boolean): Promise<Resolution> | Resolution {
    if (!isClusterName(question.name, this.#options.clusterDomain))
      return this.#resolve(question, reachesPrivate ? this.#rules : this.#publicRules);
    return { exists: true, addresses: [], rejected: [`${question.name} is a name of the cluster`] };
  }

  async #resolve(question: NameQuestion, rules: Pick<AddressRules, 'faultOf'>): Promise<Resolution> {
    const [settings, hosts] = await Promise.all([this.#resolvConf.read(), this.#hosts.read()]);
    const servers = this.#options.servers ?? settings.servers.map((address) => ({ address, port: dnsPort }));
    const ask = (asked: NameQuestion): Promise<DecodedPacket> => this.#pool.ask(servers, asked);
    return resolveName(question, { rules, clusterDomain: this.#options.clusterDomain, settings, hosts, ask });
  }

  async #answer(message: Buffer, maxBytes?: number): Promise<Buffer | undefined> {
    const wire = readQuestion(message);
    if (!wire) return undefined;
    this.#asked += 1;
    if (wire.fault) return failureTo(wire, wire.fault);
    if (this.#underWay >= maxUnderWay) return failureTo(wire, 'SERVFAIL');
    this.#underWay += 1;
    try {
      return answerTo(wire, await this.resolve(wire.question), maxBytes && Math.min(maxBytes, wire.maxBytes));
    } catch (error) {
      this.#failed += 1;
      this.#options.logger.debug({ name: wire.question.name, err: error }, 'a name cannot be resolved');
      return failureTo(wire, 'SERVFAIL');
    } finally {
      this.#underWay -= 1;
    }
  }

  #openUdp(port: number): Promise<UdpSocket> {
    return new Promise((resolve, reject) => {
      const socket = createSocket('udp4');
      socket.once('error', reject);
      socket.bind(port, loopback, () => {
        socket.off('error', reject);
        socket.on('error', (error) => {
          this.#options.logger.error({ err: error }, 'the socket for names is gone, and will be opened again');
          socket.close();
          this.#udp = undefined;
        });
        resolve(socket);
      });
      socket.on('message', (message, from) => void this.#answerUdp(socket, message, from));
    });
  }

  async #answerUdp(socket: UdpSocket, message: Buffer, from: { readonly port: number; readonly address: string }) {
    const answer = await this.#answer(message, maxUdpAnswer);
    if (answer && this.#udp === socket) socket.send(answer, from.port, from.address, () => undefined);
  }

  #openTcp(port: number): Promise<Server> {
    return new Promise((resolve, reject) => {
      const server = createServer((socket) => this.#serveTcp(socket));
      server.maxConnections = maxConnections;
      server.once('error', reject);
      server.listen(port, loopback, () => {
        server.off('error', reject);
        server.on('close', () => {
          if (this.#tcp === server) this.#tcp = undefined;
        });
        server.on('error', () => server.close());
        resolve(server);
      });
    });
  }

  #serveTcp(socket: Socket): void {
    let rest = Buffer.alloc(0);
    this.#connections.add(socket);
    socket.on('close', () => this.#connections.delete(socket));
    socket.on('error', () => undefined);
    socket.setTimeout(connectionIdleMs, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      const found = messagesIn(Buffer.concat([rest, chunk]));
      rest = Buffer.from(found.rest);
      for (const message of found.messages) {
        void this.#answer(message).then((answer) => {
          if (answer) socket.write(framed(answer));
          else socket.destroy();
        });
      }
    });
  }
}

/** Without a way to IPv4: its addresses would be tried first, and those of IPv6 never. Loopback is there always. */
const withinReach = (resolution: Resolution): Resolution => ({
  ...resolution,
  addresses: resolution.addresses.filter(({ address }) => address.startsWith('127.')),
});

/** What loopback carries, and what c-ares reads. */
const maxUdpAnswer = 4096;

const everything = new AddressRules({ allowed: ['0.0.0.0/0', '::/0'] });

const portOf = (server: Server): number => (server.address() as { readonly port: number }).port;
