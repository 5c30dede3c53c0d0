import type { ExecutionContext } from 'ava';

export type Run = (t: ExecutionContext<unknown>, ...rest: readonly unknown[]) => unknown;

/** What a test file may declare beside tests, by its name in AVA. */
export const hookNames = ['before', 'after.always', 'beforeEach', 'afterEach.always'] as const;
export type HookName = (typeof hookNames)[number];

/**
 * The hooks of one file in a shared process. AVA would run those of all files at once, and the servers of all files would run
 * till the end; so hooks become a part of the file's tests, which run one after the other.
 */
export class FileHooks {
  readonly #hooks: Readonly<Record<HookName, Run[]>> = {
    before: [],
    'after.always': [],
    beforeEach: [],
    'afterEach.always': [],
  };
  readonly #onBegin: () => void;
  readonly #onEnd: () => void;
  #testsLeft = 0;
  #context: Promise<unknown> | undefined;

  /** `onBegin` and `onEnd`: called before the first hook and after the last. */
  constructor({ onBegin, onEnd }: { readonly onBegin: () => void; readonly onEnd: () => void }) {
    this.#onBegin = onBegin;
    this.#onEnd = onEnd;
  }

  add(name: HookName, hook: Run): void {
    this.#hooks[name].push(hook);
  }

  /** The test with what belongs before and behind it. All tests of the file are given here before the first of them runs. */
  around(test: Run): Run {
    this.#testsLeft += 1;
    return async (t, ...rest) => {
      this.#testsLeft -= 1;
      // Teardowns run in reverse order, so these come behind those of the test, as AVA's hooks do.
      if (this.#testsLeft === 0) t.teardown(() => this.#finish(t));
      t.teardown(() => this.#run('afterEach.always', t));
      this.#context ??= this.#begin(t);
      t.context = copyOf(await this.#context);
      await this.#run('beforeEach', t);
      return await test(t, ...rest);
    };
  }

  /** The context that each test gets a copy of. Rejects when a hook fails, and then each test of the file fails by that. */
  async #begin(t: ExecutionContext<unknown>): Promise<unknown> {
    this.#onBegin();
    await this.#run('before', t);
    return t.context;
  }

  async #finish(t: ExecutionContext<unknown>): Promise<void> {
    await this.#run('after.always', t);
    this.#onEnd();
  }

  async #run(name: HookName, t: ExecutionContext<unknown>): Promise<void> {
    for (const hook of this.#hooks[name]) await hook(t);
  }
}

/** As AVA copies it. */
function copyOf(context: unknown): unknown {
  const isPlain =
    typeof context === 'object' && context !== null && Object.getPrototypeOf(context) === Object.prototype;
  return isPlain ? { ...context } : context;
}
