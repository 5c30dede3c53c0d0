import type { MetricSet } from '../../telemetry/index.ts';
import { certificateFacts } from '../certificates/certificate-facts.ts';
import { expiryWarningDays } from '../certificates/certificate-state.ts';
import { listAuthorities } from '../certificates/list-certificates.ts';
import { countNodes } from '../nodes/node-sync.ts';
import { snapshotTotals } from '../snapshot/snapshot-totals.ts';
import type { AdminSources } from '../sources.ts';

type Followed = Pick<AdminSources, 'graph' | 'nodes' | 'now'>;

/**
 * Data planes that follow, and certificates that end, as the summary has them. Only certificates that it warns of have a series each: there may
 * be thousands of others.
 */
export function summaryMetrics(metrics: MetricSet) {
  const nodes = metrics.observedGauge('xds_nodes', {
    help: 'Connected data planes: current if they have the latest snapshot, otherwise drifted.',
    labels: ['sync'],
    initial: [{ sync: 'current' }, { sync: 'drifted' }],
  });
  const lost = metrics.observedGauge('xds_nodes_lost', {
    help: 'Data planes whose stream ended without a goodbye. They are listed for ten minutes, or until they come back or their pod or Gateway is gone.',
  });
  const heldBack = metrics.observedGauge('xds_held_back', {
    help: 'Pieces of configuration that connected data planes are not sent, summed over data planes: `rejected` by the proxy or by its trial, or on `trial`. Of trials, at most 64 of each data plane count.',
    labels: ['state'],
    initial: [{ state: 'rejected' }, { state: 'trial' }],
  });
  const certificates = metrics.observedGauge('certificates', { help: 'Certificates in use by proxies.' });
  const expiry = metrics.observedGauge('certificate_expiry_seconds', {
    help: 'Expiry time of a certificate in use, as a Unix timestamp. Exists for certificates that expire within 30 days or have expired. `secret` is the name of what holds it, `kind` its kind; of authorities in a ConfigMap or ClusterTrustBundle, the one that expires first.',
    labels: ['kind', 'secret'],
  });
  return {
    follow(followed: Followed) {
      nodes.readBy(() => nodesBySync(followed));
      lost.readBy(() => countNodes(followed.nodes.list(), undefined).lostNodeCount);
      heldBack.readBy(() => heldByState(followed));
      certificates.readBy(() => secretsOf(followed).size);
      expiry.readBy(() => endingSoon(followed));
    },
  };
}

function nodesBySync({ graph, nodes }: Followed) {
  const { currentVersionNodeCount: current, driftedNodeCount: drifted } = countNodes(
    nodes.list(),
    graph.snapshot()?.id,
  );
  return [
    [{ sync: 'current' }, current],
    [{ sync: 'drifted' }, drifted],
  ] as const;
}

function heldByState({ nodes }: Followed) {
  let [rejected, trial] = [0, 0];
  for (const { refusalCount, trials } of nodes.list()) {
    rejected += refusalCount;
    trial += trials.filter((each) => each.trial === 'running').length;
  }
  return [
    [{ state: 'rejected' }, rejected],
    [{ state: 'trial' }, trial],
  ] as const;
}

function secretsOf({ graph }: Followed) {
  const snapshot = graph.snapshot();
  return snapshot ? snapshotTotals(snapshot).secrets : new Map<string, never>();
}

function endingSoon(followed: Followed) {
  const limit = followed.now().getTime() + expiryWarningDays * 86_400_000;
  const served = [...secretsOf(followed)].map(([key, content]) => ({
    kind: 'Secret' as const,
    key,
    facts: certificateFacts(content),
  }));
  return [...served, ...listAuthorities(followed)].flatMap(({ kind, key, facts }) => {
    const endsAt = facts?.notAfter?.getTime();
    return endsAt !== undefined && endsAt <= limit ? [[{ kind, secret: key }, endsAt / 1000] as const] : [];
  });
}
