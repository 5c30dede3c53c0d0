import type { KubernetesObject, Metadata } from '../../gateway-api/index.ts';
import type { ResourceType } from '../../kube/index.ts';

/** Leases, as the API server keeps them. */
export const leaseType: ResourceType = {
  name: 'Lease',
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
};

/** `coordination.k8s.io/v1` Lease; the API server leaves out what is empty. */
export interface Lease extends KubernetesObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  /** Empty or missing: it has no holder. */
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  /** MicroTime, by the holder's clock; for people, never compared. */
  readonly acquireTime?: string;
  readonly renewTime?: string;
  /** How often the holder changed. */
  readonly leaseTransitions?: number;
}

/** Says which GatewayClasses the holders of a lease serve: this distinguishes our leases from those of others. */
export const controllerAnnotation = 'gatewright.dev/controller-name';

/** There while the holder knows policies of access: who starts when the API server does not serve them must not serve without. */
export const policiesAnnotation = 'gatewright.dev/access-policies';

export interface Claim {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly controllerName: string;
  readonly durationMs: number;
  /** Whether there are policies of access; undefined: that is not known, and what the lease says stays. */
  readonly hasPolicies?: boolean | undefined;
  /** The time of day. */
  readonly now: Date;
}

/** The lease as its holder, new or old, writes it. `before` is what is written over, at its version. */
export function claimed(before: Lease | undefined, claim: Claim): Lease {
  const { identity, durationMs, now } = claim;
  const isRenewal = before?.spec?.holderIdentity === identity;
  const { acquireTime, leaseTransitions = 0 } = before?.spec ?? {};
  return {
    ...shell(before, claim),
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      acquireTime: (isRenewal ? acquireTime : undefined) ?? microTime(now),
      renewTime: microTime(now),
      leaseTransitions: leaseTransitions + Number(before !== undefined && !isRenewal),
    },
  };
}

/** The lease as its holder gives it back: the next candidate may take it at once. */
export const released = (before: Lease, claim: Claim): Lease => ({
  ...shell(before, claim),
  spec: { ...before.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(claim.now) },
});

function shell(before: Lease | undefined, claim: Claim): Omit<Lease, 'spec'> {
  const { namespace, name, controllerName, hasPolicies } = claim;
  const metadata: Metadata = before?.metadata ?? { namespace, name };
  const { [policiesAnnotation]: said, ...others } = metadata.annotations ?? {};
  const policies = hasPolicies === undefined ? said : hasPolicies ? 'known' : undefined;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, 'app.kubernetes.io/managed-by': 'gatewright' },
      annotations: {
        ...others,
        [controllerAnnotation]: controllerName,
        ...(policies !== undefined && { [policiesAnnotation]: policies }),
      },
    },
  };
}

/** metav1.MicroTime */
const microTime = (time: Date): string => time.toISOString().replace('Z', '000Z');
