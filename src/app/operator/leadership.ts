import { Elector, policiesAnnotation } from '../../cluster/leader/index.ts';
import type { Config } from '../../config/index.ts';
import { KubeClient, type LoadedKubeConfig } from '../../kube/index.ts';
import { componentLogger, type Logger } from '../../telemetry/index.ts';
import { type Metrics, processIdentity } from '../control-plane/index.ts';

export interface LeadershipOptions {
  readonly config: Pick<Config, 'leaderElection' | 'controllerName'>;
  readonly cluster: LoadedKubeConfig;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'leader'>;
}

/** Whether this replica is the one that writes to the cluster. */
export interface Leadership {
  /** Of this process, and of no other. */
  readonly identity: string;
  readonly isLeader: () => boolean;
  /** Aborted while we do not lead; aborts when we stop leading. */
  readonly term: () => AbortSignal;
  /** Calls the listener when this replica begins to lead: what is desired so far is to be written. */
  onGained(listener: () => void): void;
  /** Has the lease say whether there are policies of access, while this replica leads; undefined: that is not known just now. */
  remember(hasPolicies: () => boolean | undefined): void;
  /** Why nothing may be served without policies of access: a leader knew some. Undefined: none did, or there is no election. */
  policiesKnown(): Promise<string | undefined>;
  /**
   * Takes part in the election until the signal, and gives the lease back: stop writing first. Rejects when the election
   * cannot work as configured.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** Takes part in the election that the configuration describes, or leads always where it says that there is none. */
export function createLeadership(options: LeadershipOptions): Leadership {
  const { metrics, config } = options;
  const identity = processIdentity();
  if (config.leaderElection.enabled) return elected(options, identity);
  const always = new AbortController().signal;
  metrics.leader.leads(true);
  return {
    identity,
    isLeader: () => true,
    term: () => always,
    onGained() {},
    remember() {},
    policiesKnown: async () => undefined,
    run: async () => {},
  };
}

function elected({ config, cluster, logger, metrics }: LeadershipOptions, identity: string): Leadership {
  const { id: name, leaseDurationMs, renewDeadlineMs, retryPeriodMs } = config.leaderElection;
  const namespace = config.leaderElection.namespace ?? ownNamespace(cluster);
  const lease = `${namespace}/${name}`;
  const log = componentLogger(logger, 'leader');
  const client = new KubeClient(cluster.kubeConfig);
  metrics.leader.leads(false);
  const listeners = new Set<() => void>();
  let hasPolicies: () => boolean | undefined = () => undefined;
  let said: string | undefined;
  const elector = new Elector({
    client,
    namespace,
    name,
    identity,
    controllerName: config.controllerName,
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    hasPolicies: () => hasPolicies(),
    onGained() {
      metrics.leader.leads(true);
      log.info({ lease, identity }, 'leading: this replica writes status and infrastructure');
      for (const listener of listeners) listener();
    },
    onLost(reason) {
      metrics.leader.leads(false);
      log.warn({ lease, identity }, `not leading any more: ${reason}`);
    },
    // It is tried again every other second; saying so once is enough.
    onFailure({ message }) {
      log[message === said ? 'debug' : 'warn']({ lease, identity }, `election: ${message}`);
      said = message;
    },
  });
  return {
    identity,
    isLeader: () => elector.isLeader,
    term: () => elector.term,
    onGained: (listener) => void listeners.add(listener),
    remember(ask) {
      hasPolicies = ask;
    },
    policiesKnown: async () => ((await elector.knewPolicies()) ? policiesExpected(namespace, name) : undefined),
    async run(signal) {
      try {
        await elector.run(signal);
      } finally {
        client.close();
      }
    },
  };
}

const policiesExpected = (namespace: string, name: string): string =>
  `there were policies, and nothing is served without them; install their CustomResourceDefinition and the policies. If they were removed on purpose: kubectl -n ${namespace} annotate lease ${name} ${policiesAnnotation}-`;

/** As kubectl: the namespace of the context, which in a pod is its own. */
export function ownNamespace({ kubeConfig }: Pick<LoadedKubeConfig, 'kubeConfig'>): string {
  return kubeConfig.getContextObject(kubeConfig.getCurrentContext())?.namespace || 'default';
}
