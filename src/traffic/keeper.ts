import {
  addSums,
  type FailureReport,
  failureFlags,
  judged,
  noSums,
  type PickRow,
  type TrafficReport,
  type TrafficRow,
} from '../contracts/index.ts';
import type { GraphView } from '../graph/index.ts';
import { parseBackendKey } from '../ir/index.ts';
import type { NodeClaim, TrafficKeeper } from '../xds/index.ts';
import { type EndpointTrouble, EndpointTroubles } from './endpoint-troubles.ts';
import { type Failure, FailureRing } from './failure-ring.ts';
import { Ledger } from './ledger.ts';
import { clientsShown, isOff, Ownership } from './ownership.ts';
import { readReport } from './read-report.ts';
import { RouteCounts } from './route-counts.ts';
import { sumsOfRow } from './sums.ts';
import { type Trouble, Troubles } from './troubles.ts';

export interface TrafficOptions {
  readonly graph: GraphView;
  readonly now?: () => number;
  /** Of how many rules `routeCounts` counts. */
  readonly maxRouteRules?: number;
}

/** What is known of one proxy that reports. Times are milliseconds since 1970. */
export interface ReportingNode extends NodeClaim {
  readonly lastAt: number;
  /** When counts of it were last missing; never is -Infinity. */
  readonly incompleteAt: number;
}

/** Which report it is: an agent sends one after the other, with growing numbers from its start on. */
export interface ReportName extends NodeClaim {
  readonly boot: string;
  readonly sequence: number;
}

interface Known extends ReportingNode {
  readonly boot: string;
  readonly sequence: number;
}

/** What fails now, as far as one replica knows. */
export interface Standing {
  readonly troubles: readonly Trouble[];
  readonly endpoints: readonly EndpointTrouble[];
}

/** Proxies that are remembered; those that report no more are forgotten after a day. */
const mostNodes = 5000;
const mostPicks = 5000;
const forgottenMs = 24 * 3_600_000;
/** Failures a second that are taken of one proxy, and how many at once: an agent of ours sends fewer. */
const failuresPerSecond = 50;
const failuresAtOnce = 200;

const isFailureFlag = (flag: string): boolean => (failureFlags as readonly string[]).includes(flag);

/** What passed through the proxies of this replica, for a day, in memory. */
export class TrafficStore implements TrafficKeeper {
  readonly #graph: GraphView;
  readonly #now: () => number;
  readonly #ledger = new Ledger();
  /** All that a proxy counted, under its name. */
  readonly #byNode = new Ledger(mostNodes);
  /** Requests to pools, by outcome and server, which stand for listener and route. */
  readonly #picks = new Ledger(mostPicks);
  /** From the start on, for Prometheus. */
  readonly routeCounts: RouteCounts;
  readonly #failures = new FailureRing();
  readonly #troubles = new Troubles();
  readonly #endpoints = new EndpointTroubles();
  readonly #nodes = new Map<string, Known>();
  readonly #allowances = new Map<string, { tokens: number; at: number }>();
  #onFailures: () => void = () => {};
  #isTakenElsewhere: (report: ReportName) => Promise<boolean> = async () => false;
  /** What was before it is not known. */
  readonly since: number;

  constructor({ graph, now = Date.now, maxRouteRules = 0 }: TrafficOptions) {
    this.#graph = graph;
    this.routeCounts = new RouteCounts(graph, maxRouteRules);
    this.#now = now;
    this.since = now();
  }

  get isReady(): boolean {
    return this.#graph.snapshot() !== undefined;
  }

  /** Calls back when failed requests were reported that are kept. */
  onFailures(listener: () => void): void {
    this.#onFailures = listener;
  }

  /** How to ask other replicas whether one of them has a report. */
  askOthers(isTakenElsewhere: (report: ReportName) => Promise<boolean>): void {
    this.#isTakenElsewhere = isTakenElsewhere;
  }

  /** Whether this replica has the report. */
  isTaken({ boot, sequence, ...node }: ReportName): boolean {
    const known = this.#nodes.get(nodeKeyOf(node));
    return known !== undefined && known.boot === boot && sequence <= known.sequence;
  }

  /** As `take`. One that was sent before and had no answer may have come to another replica. */
  receive(node: NodeClaim, raw: Readonly<Record<string, unknown>>): Promise<void> | undefined {
    const { again, boot, sequence } = readReport(raw);
    if (again !== true || this.isTaken({ ...node, boot, sequence })) {
      this.take(node, raw);
      return undefined;
    }
    return this.#isTakenElsewhere({ ...node, boot, sequence }).then((isTaken) => {
      if (!isTaken) this.take(node, raw);
    });
  }

  take(node: NodeClaim, raw: Readonly<Record<string, unknown>>): void {
    const report = readReport(raw);
    const now = this.#now();
    const key = nodeKeyOf(node);
    if (this.isTaken({ ...node, boot: report.boot, sequence: report.sequence })) return;
    this.#note(node, report, now);
    const ownership = new Ownership(this.#graph, node.cluster);
    // Clocks of two machines differ.
    const offset = now - report.sentAt;
    if (report.counted !== null) {
      const at = Math.min(now, report.counted.to + offset);
      this.#count(node, report.counted.rows, at, ownership);
      this.#pick(node, report.counted.picks ?? [], at);
      this.#troubles.counted(key);
    }
    const failures = report.failures.slice(0, this.#allowed(key, report.failures.length, now));
    for (const failure of failures) this.#fail(node, { ...failure, at: Math.min(now, failure.at + offset) }, ownership);
    if (failures.length > 0) this.#onFailures();
    if (report.endpoints !== null) this.#endpoints.checked(node, this.#own(node, report.endpoints, offset), now);
  }

  /** The proxies that reported within a day. */
  get nodes(): readonly ReportingNode[] {
    return [...this.#nodes.values()];
  }

  get ledger(): Ledger {
    return this.#ledger;
  }

  /** Subjects are proxies: their names stand for routes. */
  get ledgerByNode(): Ledger {
    return this.#byNode;
  }

  /** Subjects are picks: their outcomes stand for listeners, and servers for routes. */
  get ledgerOfPicks(): Ledger {
    return this.#picks;
  }

  /** Bytes of counts, about. */
  get bytes(): number {
    return this.#ledger.bytes + this.#byNode.bytes + this.#picks.bytes;
  }

  /** The newest first. */
  failures(): readonly Failure[] {
    const isShown = clientsShown(this.#graph);
    // What was kept may be hidden since.
    return this.#failures
      .list()
      .map((failure) =>
        failure.clientAddress === '' || isShown(failure.fleet) ? failure : { ...failure, clientAddress: '' },
      );
  }

  standing(): Standing {
    const now = this.#now();
    const troubles = this.#troubles.list(now);
    const failing = new Set(troubles.map(({ fleet, backend }) => `${fleet}\n${backend}`));
    return { troubles, endpoints: this.#endpoints.list(now, (fleet, backend) => failing.has(`${fleet}\n${backend}`)) };
  }

  #note(node: NodeClaim, { boot, sequence, complete }: TrafficReport, now: number): void {
    const key = nodeKeyOf(node);
    const incompleteAt = complete ? (this.#nodes.get(key)?.incompleteAt ?? Number.NEGATIVE_INFINITY) : now;
    // The one that has been silent longest is first.
    this.#nodes.delete(key);
    this.#nodes.set(key, { ...node, boot, sequence, lastAt: now, incompleteAt });
    for (const [each, { lastAt }] of this.#nodes) {
      if (this.#nodes.size <= mostNodes && now - lastAt < forgottenMs) break;
      this.#nodes.delete(each);
      this.#allowances.delete(each);
    }
  }

  #count(node: NodeClaim, rows: readonly TrafficRow[], at: number, ownership: Ownership): void {
    const now = this.#now();
    const whole = noSums();
    for (const row of rows) {
      const [listener, route, backend] = row;
      const subject = { fleet: node.cluster, ...ownership.kept({ listener, route, backend }) };
      const sums = sumsOfRow(row);
      this.#ledger.add(subject, sums, at, now);
      addSums(whole, sums);
      this.#troubles.count(subject, sums, at);
      this.routeCounts.count(subject, sums, now);
    }
    if (rows.length > 0)
      this.#byNode.add({ fleet: node.cluster, listener: '', route: node.nodeId, backend: '' }, whole, at, now);
  }

  /** Of pools that the proxies have, whose listeners count also where a DataPlane switches counting off. */
  #pick({ cluster }: NodeClaim, picks: readonly PickRow[], at: number): void {
    const fleet = this.#graph.snapshot()?.gateways.get(cluster);
    if (fleet === undefined || isOff(fleet)) return;
    for (const [backend, listener, route, requests] of picks)
      if (fleet.backends.has(backend) && isPool(backend))
        this.#picks.add({ fleet: cluster, listener, route, backend }, { ...noSums(), requests }, at, this.#now());
  }

  #fail(node: NodeClaim, failure: FailureReport, ownership: Ownership): void {
    const clientAddress = ownership.clientAddress(failure.clientAddress);
    const kept = { ...failure, ...ownership.kept(failure), clientAddress, node: node.nodeId, fleet: node.cluster };
    this.#failures.add(kept);
    if (!judged(kept.status, kept.flags, isFailureFlag).error) return;
    const { fleet, listener, route, backend } = kept;
    this.#troubles.fail({ fleet, listener, route, backend }, kept);
    this.#endpoints.fail(kept);
  }

  #own(node: NodeClaim, endpoints: NonNullable<TrafficReport['endpoints']>, offset: number) {
    const fleet = this.#graph.snapshot()?.gateways.get(node.cluster);
    return endpoints
      .filter(({ backend }) => fleet?.backends.has(backend))
      .map((endpoint) => ({ ...endpoint, since: endpoint.since + offset }));
  }

  /** How many of so many failures may be taken now. */
  #allowed(key: string, count: number, now: number): number {
    const { tokens, at } = this.#allowances.get(key) ?? { tokens: failuresAtOnce, at: now };
    const there = Math.min(failuresAtOnce, tokens + ((now - at) * failuresPerSecond) / 1000);
    const allowed = Math.min(count, Math.floor(there));
    this.#allowances.set(key, { tokens: there - allowed, at: now });
    return allowed;
  }
}

const isPool = (key: string): boolean => parseBackendKey(key).source === 'pool';

const nodeKeyOf = ({ nodeId, cluster }: NodeClaim): string => `${cluster}\n${nodeId}`;
