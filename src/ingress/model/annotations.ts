import type { Controller } from '../world/controller.ts';
import type { Ingress } from '../world/objects.ts';

/** The annotations of one Ingress, as the controller reads them: a value that cannot be used counts as none. */
export class Annotations {
  readonly #all: Readonly<Record<string, string>>;
  readonly #prefix: string;

  constructor({ metadata }: Ingress, { flags }: Controller) {
    this.#all = metadata.annotations ?? {};
    this.#prefix = `${flags.get('annotations-prefix') ?? 'nginx.ingress.kubernetes.io'}/`;
  }

  /** Undefined: missing or empty. */
  text(name: string): string | undefined {
    return this.#all[`${this.#prefix}${name}`]?.trim() || undefined;
  }

  flag(name: string): boolean | undefined {
    return readFlag(this.text(name));
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
  }

  /** Parts of a comma-separated list. */
  list(name: string): readonly string[] {
    return readList(this.text(name));
  }
}

const flags: Readonly<Record<string, boolean>> = { 1: true, t: true, true: true, 0: false, f: false, false: false };

/** A Boolean as Go's `strconv.ParseBool` reads it: `true`, `True`, `TRUE`, `t`, `1`; `yes` is none. */
export const readFlag = (text = ''): boolean | undefined =>
  /^(?:[tfTF01]|true|True|TRUE|false|False|FALSE)$/.test(text) ? flags[text.toLowerCase()] : undefined;

export const readList = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Of these an Ingress may have none while `annotations-risk-level` is below Critical: it is not served at all. */
export const criticalAnnotations: readonly string[] = [
  'auth-snippet',
  'configuration-snippet',
  'modsecurity-snippet',
  'server-snippet',
  'stream-snippet',
];
