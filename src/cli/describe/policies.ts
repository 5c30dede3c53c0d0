import { type AnyStatus, isProblem, type KindFacts, kinds, statusParts } from '../../gateway-api/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import type { SaidCondition } from '../kit/conditions.ts';
import type { Wire } from '../kit/wire.ts';
import { type Section, section } from './section.ts';

const policyKinds: readonly string[] = Object.values<KindFacts>(kinds)
  .filter(({ targetRefs }) => targetRefs)
  .map(({ name }) => name);

/** What a policy may be for. */
export interface Target {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A policy of one of some targets, and whether it has effect. */
export interface PolicyView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly target: string;
  readonly inEffect: boolean;
  /** Something is wrong with it, and requests or connections of its targets are turned away until it is corrected. */
  readonly closes: boolean;
  /** Why it has none, or not everywhere; of a conflict, which policy wins. */
  readonly message: string;
}

/** What of a policy the admin API shows. */
interface PolicyObject {
  readonly spec: {
    readonly targetRefs: readonly { readonly kind: string; readonly name: string; readonly sectionName?: string }[];
  };
  readonly status?: AnyStatus<SaidCondition>;
}

/** Every policy of the targets, in whatever state. The control plane decides which of several wins, and says so in the others' conditions. */
export async function policiesFor(client: AdminClient, targets: readonly Target[]): Promise<readonly PolicyView[]> {
  const namespaces = new Set(targets.map(({ namespace }) => namespace));
  const lists = await Promise.all(
    policyKinds.flatMap((kind) =>
      [...namespaces].map((namespace) =>
        client.get<readonly Wire['resource'][]>(`/v1/resources?${new URLSearchParams({ kind, namespace })}`),
      ),
    ),
  );
  return lists.flat().flatMap((policy) => viewsOf(policy, targets));
}

function viewsOf({ kind, namespace, name, resource }: Wire['resource'], targets: readonly Target[]): PolicyView[] {
  const { spec, status } = resource as unknown as PolicyObject;
  return spec.targetRefs
    .filter((ref) =>
      targets.some((each) => each.kind === ref.kind && each.name === ref.name && each.namespace === namespace),
    )
    .map((ref) => ({
      kind,
      namespace,
      name,
      target: `${ref.kind} ${ref.name}${ref.sectionName === undefined ? '' : `/${ref.sectionName}`}`,
      ...effectOf(status),
    }));
}

const unused = 'no Gateway of ours uses what it is for';

/** How conditions say that a policy which may not be missing turns clients away. */
const closing = /\bare answered 50[03]\b|\bconnections are closed\b/;

/** Whether some Gateway has the policy, and what its conditions say against it. */
export function effectOf(
  status: AnyStatus<SaidCondition> | undefined,
): Pick<PolicyView, 'inEffect' | 'closes' | 'message'> {
  const parts = statusParts(status ?? {});
  if (parts.length === 0) return { inEffect: false, closes: false, message: unused };
  const faults = parts.flatMap(({ conditions }) => conditions.filter(isProblem));
  const isAccepted = ({ conditions }: { readonly conditions: readonly SaidCondition[] }) =>
    conditions.some(({ type, status }) => type === 'Accepted' && status === 'True');
  return {
    inEffect: parts.some(isAccepted),
    closes: faults.some(({ message }) => closing.test(message)),
    message: [...new Set(faults.map(({ reason, message }) => `${reason}: ${message}`))].join('; '),
  };
}

/** Of a policy that is not accepted, the message says what does not act: other targets and parts may. */
export function effectText(
  { inEffect, closes, message }: Pick<PolicyView, 'inEffect' | 'closes' | 'message'>,
  mark: string,
): string {
  const word = closes
    ? 'closes its targets'
    : inEffect
      ? 'in effect'
      : message === unused
        ? 'no effect'
        : 'not accepted';
  return message === '' ? word : `${word}${mark} ${message}`;
}

export function policySection(policies: readonly PolicyView[]): Section {
  const lines = policies.map(
    (view) => `${view.kind} ${view.namespace}/${view.name} for ${view.target}: ${effectText(view, ',')}`,
  );
  return section('policies', policies, lines.length > 0 ? lines : ['none']);
}
