import type { Kind, KubernetesObject } from '../../src/gateway-api/index.ts';
import { keyOf } from '../../src/gateway-api/index.ts';
import type { ResourceEvent, SourceListener } from '../../src/sources/index.ts';

/** Records everything that a source reports, and lets a test wait for it. */
export class SourceRecorder implements SourceListener {
  /** `added HTTPRoute default/shop`, in order. */
  readonly log: string[] = [];
  /** What exists by what was reported, by `HTTPRoute default/shop`. */
  readonly objects = new Map<string, KubernetesObject>();
  readonly syncedKinds: string[] = [];
  /** Kinds that are missing, with the message. */
  readonly missing = new Map<string, string>();
  readonly #waiting = new Set<() => void>();

  event({ type, kind, object }: ResourceEvent): void {
    const id = `${kind.name} ${keyOf(object)}`;
    if (type === 'added' && this.objects.has(id)) throw new Error(`${id} was added twice`);
    if (type !== 'added' && !this.objects.has(id)) throw new Error(`${id} was ${type} before it was added`);
    this.log.push(`${type} ${id}`);
    if (type === 'deleted') this.objects.delete(id);
    else this.objects.set(id, object);
    this.notify();
  }

  synced(kind: Kind): void {
    this.log.push(`synced ${kind.name}`);
    this.syncedKinds.push(kind.name);
    this.notify();
  }

  availability(kind: Kind, available: boolean, message: string): void {
    this.log.push(`${available ? 'available' : 'missing'} ${kind.name}`);
    if (available) this.missing.delete(kind.name);
    else this.missing.set(kind.name, message);
    this.notify();
  }

  /** Looks at all open waits again: for what the test learns by other ways than this listener. */
  notify(): void {
    for (const check of this.#waiting) check();
  }

  /** Resolves once `done` holds, checked after each report; rejects after a deadline that only a fault reaches. */
  async until(what: string, done: () => boolean, deadlineMs = 240_000): Promise<void> {
    if (done()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const check = () => {
      if (done()) resolve();
    };
    const late = () => reject(new Error(`never: ${what}; reported so far:\n${this.log.join('\n')}`));
    const timer = setTimeout(late, deadlineMs);
    this.#waiting.add(check);
    await promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(check);
    });
  }

  /** What was reported about one object, in order. */
  historyOf(id: string): readonly string[] {
    return this.log.filter((line) => line.endsWith(` ${id}`)).map((line) => line.slice(0, line.indexOf(' ')));
  }
}
