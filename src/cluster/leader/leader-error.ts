import { KubeError } from '../../kube/index.ts';

/** Leader election cannot work as configured; the message is one line that says what to do. */
export class LeaderElectionError extends Error {
  override readonly name = 'LeaderElectionError';
  readonly code: 'lease_conflict' | 'lease_forbidden' | 'lease_namespace_missing';

  constructor(code: LeaderElectionError['code'], message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

interface LeasePlace {
  readonly namespace: string;
  /** Of the lease. */
  readonly name: string;
}

/** What a request for the lease that failed means. */
export function explained(caught: unknown, { namespace, name }: LeasePlace): Error {
  if (caught instanceof LeaderElectionError) return caught;
  const error = KubeError.from(`Lease ${namespace}/${name}`, caught);
  if (error.code !== 'forbidden') return error;
  return new LeaderElectionError(
    'lease_forbidden',
    `leaderElection: ${error.message}; grant get, create, update and watch on leases in namespace ${namespace} (manifests/ has the Role), or set leaderElection.namespace`,
    { cause: error },
  );
}

export const namespaceMissing = (cause: KubeError, { namespace }: LeasePlace): LeaderElectionError =>
  new LeaderElectionError(
    'lease_namespace_missing',
    `leaderElection.namespace: ${cause.message}; create namespace ${namespace}, or name another one`,
    { cause },
  );
