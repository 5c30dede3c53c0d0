import type { Verdict } from '../verdict.ts';

/** A key of the controller's ConfigMap, a flag of the controller, or a directive of a snippet. */
export interface Setting {
  readonly name: string;
  /** What holds without it. */
  readonly default?: string;
  readonly verdict: Exclude<Verdict, 'not-served'>;
  /** What it is converted to; `nothing` if nothing is needed. */
  readonly becomes: string;
  /** What is different, must be decided, or has no equivalent here. */
  readonly why?: string;
}

/** Several names that have one fate: `NAME` or `NAME=DEFAULT`. */
export const same = (names: readonly string[], rest: Omit<Setting, 'name' | 'default'>): readonly Setting[] =>
  names.map((text) => {
    const at = text.indexOf('=');
    return at === -1 ? { name: text, ...rest } : { name: text.slice(0, at), default: text.slice(at + 1), ...rest };
  });

/** Those of a list with a name; flags may lack their dashes. One at most. */
export const settingNamed = (settings: readonly Setting[], name: string): readonly Setting[] =>
  settings.filter((setting) => setting.name === name || setting.name === `--${name}`);
