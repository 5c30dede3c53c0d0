import type { Verdict } from '../verdict.ts';
import type { ValueForm } from './value-form.ts';

/** What an annotation of ingress-nginx takes effect on: the paths of its Ingress, the Ingress with its backends, or whole hosts, those of other Ingresses too. */
export type Scope = 'location' | 'ingress' | 'host';

/** As the controller judges annotations; those above its `annotations-risk-level` keep an Ingress from being served. */
export type Risk = 'Low' | 'Medium' | 'High' | 'Critical';

/** What ingress-nginx does with a value that it cannot use. */
export type Unusable = 'ignored' | 'location-503' | 'host-403';

/** One annotation of ingress-nginx 1.15, below its prefix. Sources: its user guide, and its answers to requests. */
export interface Annotation {
  readonly name: string;
  /** Other names with the same meaning. */
  readonly aliases?: readonly string[];
  readonly scope: Scope;
  readonly risk: Risk;
  readonly value: ValueForm;
  /** What holds without it; absent where that is nothing. */
  readonly default?: string;
  /** Default: `ignored`. */
  readonly unusable?: Unusable;
  /** It keeps requests out: without it more would come in than before. */
  readonly protects?: true;
  /** What it does, one sentence. */
  readonly meaning: string;
  /** The best that a usable value can get. */
  readonly verdict: Exclude<Verdict, 'not-served'>;
  /** What it is converted to; `nothing` if nothing is needed. */
  readonly becomes: string;
  /** What is different, must be decided, or has no equivalent here; of every verdict but `same` and `no-effect`. */
  readonly why?: string;
}
