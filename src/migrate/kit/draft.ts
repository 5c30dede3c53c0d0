/** Objects of ours while they are written: what a path such as `TrafficPolicy.timeouts.request` has. Kinds are its first members. */
export class Draft {
  readonly #kinds: Record<string, unknown> = {};

  /** Replaces what the path had. */
  set(path: string, value: unknown): void {
    const names = path.split('.');
    const last = names.pop() as string;
    let at = this.#kinds;
    for (const name of names) {
      at[name] ??= {};
      at = at[name] as Record<string, unknown>;
    }
    at[last] = value;
  }

  get(path: string): unknown {
    return path
      .split('.')
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], this.#kinds);
  }

  /** Adds to the list of a path. */
  push(path: string, ...values: readonly unknown[]): void {
    this.set(path, [...((this.get(path) as readonly unknown[] | undefined) ?? []), ...values]);
  }

  /** The fields of a kind, undefined if nothing was written. */
  of(kind: string): Readonly<Record<string, unknown>> | undefined {
    const fields = this.#kinds[kind] as Readonly<Record<string, unknown>> | undefined;
    return fields && Object.keys(fields).length > 0 ? fields : undefined;
  }
}
