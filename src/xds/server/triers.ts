import { rejectionWords, untriedReason } from '../../contracts/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import type { NodeRegistry } from '../nodes/node-registry.ts';
import type { TrialVerdict } from '../session/trials.ts';

/** What an Envoy that serves nothing says of resources. */
export interface TrialAnswer {
  readonly verdict: TrialVerdict;
  /** What it says against them, or why they were not tried; else empty. */
  readonly message: string;
}

/** A proxy that can try resources which it is not sent. */
export interface Trier {
  readonly nodeId: string;
  readonly envoyVersion: string;
  /** One Envoy looks at all of them. Never rejects. */
  ask(contents: readonly EnvoyResource[], timeoutMs: number): Promise<TrialAnswer>;
}

/** The proxies of a fleet that are connected here, by their ids. */
export function triersOf(registry: NodeRegistry, cluster: string): Trier[] {
  return registry
    .list()
    .filter((node) => node.connected && node.cluster === cluster)
    .sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1))
    .map((node) => ({
      nodeId: node.nodeId,
      envoyVersion: node.envoyVersion,
      ask: (contents, timeoutMs) =>
        new Promise((resolve) => {
          const end = (answer: TrialAnswer) => {
            clearTimeout(timer);
            resolve(answer);
          };
          const timer = setTimeout(() => end(untried(`there is no verdict within ${timeoutMs / 1000} s`)), timeoutMs);
          const answer = (error: string | undefined) => end(answerOf(error));
          const isAsked = registry.ownerOf(node)?.ask({ contents, answer });
          if (!isAsked) end(untried('its agent cannot try it, or has enough to try'));
        }),
    }));
}

const untried = (message: string): TrialAnswer => ({ verdict: 'untried', message });

function answerOf(error: string | undefined): TrialAnswer {
  if (error === undefined) return { verdict: 'valid', message: '' };
  const reason = untriedReason(error);
  return reason === undefined ? { verdict: 'rejected', message: rejectionWords(error) } : untried(reason);
}
