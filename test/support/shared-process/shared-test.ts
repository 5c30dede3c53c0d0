/**
 * `ava` for a test file that shares a process with others: load-group.ts makes an instance of this module for each.
 * Titles begin with the file, and tests run one after the other, so none meets the half-done test of another file.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ava, { type TestFn } from 'ava';
import { root } from '../../../scripts/paths.mjs';
import { declareLater } from './declarations.ts';

const file = new URL(import.meta.url).searchParams.get('file') ?? '';
const path = relative(root, fileURLToPath(file));
const prefix = `${path.replace('.test.ts', '').split('/').slice(1).join(' › ')} › `;

/** They would act on the tests of all files. */
const ofAllTests = ['beforeEach', 'afterEach'];

interface Macro {
  readonly exec: unknown;
  readonly title?: (given: string | undefined, ...rest: readonly unknown[]) => string;
}

const isMacro = (value: unknown): value is Macro => typeof value === 'object' && value !== null && 'exec' in value;

function withPrefix([first, ...rest]: readonly unknown[]): unknown[] {
  if (typeof first === 'string') return [prefix + first, ...rest];
  if (!isMacro(first) || first.title === undefined) return [first, ...rest];
  const { title } = first;
  const prefixedTitle = (given: string | undefined, ...values: readonly unknown[]) => prefix + title(given, ...values);
  return [{ ...first, title: prefixedTitle }, ...rest];
}

type Declare = (...parameters: readonly unknown[]) => unknown;

/** What declares tests, and the `skip`, `failing`, … of it, with other titles. */
function prefixed<T extends object>(target: T): T {
  return new Proxy(target, {
    apply(declare, self, parameters) {
      declareLater({ file, declare: () => Reflect.apply(declare as Declare, self, withPrefix(parameters)) });
    },
    get(of, name) {
      if (ofAllTests.includes(String(name)))
        throw new Error(`${path}: test.${String(name)} needs a process of its own: see scripts/test-groups.ts`);
      const value: unknown = Reflect.get(of, name);
      return typeof value === 'function' ? prefixed(value) : value;
    },
  });
}

const oneByOne = prefixed(ava.serial);
const test: TestFn = new Proxy(ava, {
  apply: (_, self, parameters) => Reflect.apply(oneByOne as Declare, self, parameters),
  get(target, name) {
    if (name === 'serial') return oneByOne;
    if (name === 'meta') return { ...target.meta, file };
    if (name === 'macro') return target.macro;
    return Reflect.get(name in target.serial ? oneByOne : prefixed(target), name);
  },
});

// biome-ignore lint/style/noDefaultExport: AVA's own form
export default test;
