/**
 * `ava` for a test file that shares a process with others: load-group.ts makes an instance of this module for each.
 * Titles begin with the file, and tests run one after the other, so none meets the half-done test of another file.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ava, { type TestFn } from 'ava';
import { root } from '../../../scripts/paths.mjs';
import { timesOf } from '../file-times.ts';
import { declareLater } from './declarations.ts';
import { FileHooks, type HookName, hookNames, type Run } from './file-hooks.ts';

const file = new URL(import.meta.url).searchParams.get('file') ?? '';
const path = relative(root, fileURLToPath(file));
const prefix = `${path.replace('.test.ts', '').split('/').slice(1).join(' › ')} › `;
const hooks = new FileHooks(timesOf(path));

interface Macro {
  readonly exec: Run;
  readonly title?: (given: string | undefined, ...rest: readonly unknown[]) => string;
}

const isMacro = (value: unknown): value is Macro => typeof value === 'object' && value !== null && 'exec' in value;
const isRun = (value: unknown): value is Run => typeof value === 'function';

/** What declares a test gets: a title that begins with the file, and the test among the hooks of the file. */
function shared(parameters: readonly unknown[]): unknown[] {
  const [first, ...rest] = parameters;
  if (typeof first === 'string') return [prefix + first, amongHooks(rest[0]), ...rest.slice(1)];
  if (!isMacro(first) || first.title === undefined) return [amongHooks(first), ...rest];
  const { title } = first;
  const prefixedTitle = (given: string | undefined, ...values: readonly unknown[]) => prefix + title(given, ...values);
  return [{ exec: hooks.around(first.exec), title: prefixedTitle }, ...rest];
}

function amongHooks(given: unknown): unknown {
  if (isRun(given)) return hooks.around(given);
  return isMacro(given) ? { ...given, exec: hooks.around(given.exec) } : given;
}

type Declare = (...parameters: readonly unknown[]) => unknown;

/** What declares tests, and the `skip`, `failing`, … of it, with other titles. */
function sharing<T extends object>(target: T, isSkipped = false): T {
  return new Proxy(target, {
    apply(declare, self, parameters) {
      const given = isSkipped ? [prefix + String(parameters[0]), ...parameters.slice(1)] : shared(parameters);
      declareLater({ file, declare: () => Reflect.apply(declare as Declare, self, given) });
    },
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      return typeof value === 'function' ? sharing(value, name === 'skip' || name === 'todo') : value;
    },
  });
}

/** What declares such a hook of this file alone. */
function hook(name: string): unknown {
  const add = (...parameters: readonly unknown[]) => {
    const run = parameters.find(isRun);
    if (!isHookName(name) || run === undefined)
      throw new Error(`${path}: test.${name} needs a process of its own: see scripts/test-groups.ts`);
    hooks.add(name, run);
  };
  return name.endsWith('.always') ? add : Object.assign(add, { always: hook(`${name}.always`) });
}

const isHookName = (name: string): name is HookName => hookNames.some((known) => known === name);
const begins = (name: string): boolean => hookNames.some((known) => known.split('.')[0] === name);

const oneByOne = sharing(ava.serial);
const test: TestFn = new Proxy(ava, {
  apply: (_, self, parameters) => Reflect.apply(oneByOne as Declare, self, parameters),
  get(target, name) {
    if (name === 'serial') return oneByOne;
    if (name === 'meta') return { ...target.meta, file };
    if (name === 'macro') return target.macro;
    if (begins(String(name))) return hook(String(name));
    return Reflect.get(name in target.serial ? oneByOne : sharing(target), name);
  },
});

// biome-ignore lint/style/noDefaultExport: AVA's own form
export default test;
