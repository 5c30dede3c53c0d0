import type { InformerHooks } from '../../kube/index.ts';

/**
 * Hooks that report kinds which may not be read any more (undefined: may be again). What is known of such a kind grows
 * old, and a snapshot of it would be a mix of what is and what was.
 */
export function lostPermissions(
  hooks: Pick<InformerHooks, 'restarted'>,
  report: (kind: string, reason: string | undefined) => void,
): Required<Pick<InformerHooks, 'restarted' | 'stateChanged'>> {
  return {
    restarted(kind, reason, waitMs, error) {
      hooks.restarted?.(kind, reason, waitMs, error);
      if (reason !== 'forbidden') return;
      report(
        kind.name,
        `the permission to read ${kind.plural} is lost: ${error?.message}; grant get, list and watch on it`,
      );
    },
    stateChanged(kind, state) {
      if (state === 'watching' || state === 'missing') report(kind.name, undefined);
    },
  };
}
