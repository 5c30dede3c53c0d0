import { type AiPeer, BudgetKeeper, RemoteUsage, type UsageStore } from '../../addons/ai/index.ts';
import type { BudgetMessage } from '../../cluster/replicas/index.ts';
import type { Connected } from '../control-plane/index.ts';

interface BudgetsOptions {
  readonly store: UsageStore;
  readonly peers: () => readonly AiPeer[];
  readonly token: () => Promise<string | undefined>;
}

/** Budgets of AI traffic that all replicas share. */
export function buildBudgets(
  { core, replicas }: Pick<Connected, 'core' | 'replicas'>,
  { store, peers, token }: BudgetsOptions,
): { readonly keeper: BudgetKeeper } {
  const { graph, clock, leadership } = core;
  const { feed } = replicas;
  const remote = new RemoteUsage({
    peers,
    token,
    isNeeded: () => graph.count('TokenPolicy') > 0,
    onHolds: (holds) => keeper.take({ holds, answers: [], ended: [] }),
  });
  const keeper = new BudgetKeeper({
    identity: leadership().identity,
    graph,
    areTotals: store.isShared,
    usedOf(...of) {
      remote.look();
      const here = store.used(...of);
      // Who keeps usage in one place knows all of it.
      if (store.isShared) return here;
      const elsewhere = remote.used(...of);
      return { tokens: here.tokens + elsewhere.tokens, cost: here.cost + elsewhere.cost };
    },
    peers: {
      connected: () => replicas.budgetKeepers(),
      ask: (message) => feed.say({ type: 'budget-ask', ...message }),
      answer: (message) => feed.say({ type: 'budget-answer', ...message }),
      report: (news) => feed.say({ type: 'budget-news', ...news }),
    },
    clock,
  });
  replicas.followBudgets({
    met: (replica) => remote.met(replica),
    parted: (replica) => keeper.parted(replica),
    said: (replica, message) => take(replica, message, { keeper, remote, store }),
  });
  return { keeper };
}

function take(
  replica: string,
  message: BudgetMessage,
  { keeper, remote, store }: { keeper: BudgetKeeper; remote: RemoteUsage; store: UsageStore },
): void {
  if (message.type === 'budget-ask') keeper.asked(replica, message);
  else if (message.type === 'budget-answer') keeper.answered(replica, message);
  else {
    // Before requests hold it no more.
    if (!message.areTotals) remote.heard(replica, message.sums);
    else store.learn?.(message.sums);
    keeper.take(message);
  }
}
