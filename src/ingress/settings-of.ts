import { findAnnotation, parseBoolean, usualPrefix, valueFault } from './annotations/index.ts';
import type { Controller } from './world/controller.ts';
import type { Ingress } from './world/objects.ts';

/** What holds for one Ingress: its annotations, else the ConfigMap's keys of the same names, else the defaults. */
export class SettingsOf {
  /** The ConfigMap's keys. */
  readonly config: Readonly<Record<string, string>>;
  readonly #annotations: ReadonlyMap<string, string>;

  constructor({ metadata }: Ingress, { flags, settings }: Controller) {
    const prefix = `${flags.get('annotations-prefix') ?? usualPrefix}/`;
    const own = Object.entries(metadata.annotations ?? {}).filter(
      ([name, value]) => name.startsWith(prefix) && value.trim() !== '',
    );
    this.#annotations = new Map(
      own.map(([name, value]) => {
        const short = name.slice(prefix.length);
        return [findAnnotation(short)?.name ?? short, value];
      }),
    );
    this.config = settings;
  }

  /** Annotations without their prefix, aliases as the name that they stand for. */
  get names(): readonly string[] {
    return [...this.#annotations.keys()].sort();
  }

  /** What the annotation says, usable or not. */
  written(name: string): string | undefined {
    return this.#annotations.get(name);
  }

  /** What is wrong with the annotation's value. */
  fault(name: string): string | undefined {
    const value = this.#annotations.get(name);
    const row = findAnnotation(name);
    return value === undefined || row === undefined ? undefined : valueFault(row.value, value);
  }

  /** What is set: the usable annotation, else the ConfigMap's key. */
  set(name: string): string | undefined {
    const written = this.#annotations.get(name);
    if (written !== undefined && this.fault(name) === undefined) return written.trim();
    const names = [name, ...(findAnnotation(name)?.aliases ?? [])];
    return names.flatMap((each) => (Object.hasOwn(this.config, each) ? this.config[each]?.trim() || [] : [])).at(0);
  }

  /** What holds. */
  get(name: string): string {
    return this.set(name) ?? findAnnotation(name)?.default ?? '';
  }

  is(name: string): boolean {
    return parseBoolean(this.get(name)) ?? false;
  }

  number(name: string): number {
    return Number.parseInt(this.get(name), 10) || 0;
  }
}
