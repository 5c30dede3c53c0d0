import { closerAnnotation, type ObjectByKind } from '../../../gateway-api/index.ts';
import type { Store } from '../../../graph/engine/index.ts';
import type { ConditionFault } from '../../../graph/model/index.ts';

export type Policy = ObjectByKind['AccessPolicy'];
export type Spec = Policy['spec'];

/** Where a policy is in force: what routes carry is in each of their hosts, so it may be less. */
export type Level = 'gateway' | 'route';

/** What parts are resolved with. */
export interface PartDeps {
  readonly policy: Policy;
  readonly level: Level;
  readonly store: Store;
  /** Whether rules of some policy ask for claims of a provider (ir.JwtProvider.id). Not there: only what is wrong is looked at. */
  readonly readsClaims?: (provider: string) => boolean;
  /** Key of the ir.Secret that the Gateway's proxies show to backends. */
  readonly clientCertificate?: string | undefined;
}

/** What a part comes to. Without a value it is closed. */
export interface ResolvedPart<T = object> {
  readonly value?: T;
  /** What is wrong with what is written. */
  readonly faults?: readonly ConditionFault[];
  /** What is wrong with what it refers to. */
  readonly referenceFaults?: readonly ConditionFault[];
  /** Without a value: nothing that is written is at fault, and it may come by itself. */
  readonly isUnavailable?: boolean;
  /** Keys of the backends that are asked. */
  readonly backends?: readonly string[];
}

/** Why the file's version of the policy is not the one that is there: this one closes its targets in its stead, whatever others say. */
export const closesFor = ({ metadata }: Policy): string | undefined => metadata.annotations?.[closerAnnotation];

export const invalid = (message: string): ConditionFault => ({ reason: 'Invalid', message });

/** The value, or none where something is wrong with it. */
export const unlessInvalid = <T>(messages: readonly string[], make: () => T): ResolvedPart<T> =>
  messages.length > 0 ? { faults: messages.map(invalid) } : { value: make() };

export const namespaceOf = ({ metadata }: Policy): string => metadata.namespace ?? '';

/** A name that a user chose, short and on one line. */
export const quoted = (text: string): string => JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
