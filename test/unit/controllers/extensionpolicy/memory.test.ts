import test from 'ava';
import fc from 'fast-check';
import { membersOf } from '../../../../src/controllers/extensionpolicy/module/compile.ts';
import { withMemoryBound } from '../../../../src/controllers/extensionpolicy/module/memory.ts';
import { assembled } from '../../../support/wasm.ts';

/** A module with other sections around its memory. */
const moduleWith = (memory: string) =>
  assembled(`(module
    (import "env" "f" (func $f (param i32)))
    (table 1 funcref)
    ${memory}
    (global (mut i32) (i32.const 1))
    (func (export "g") (result i32) (call $f (memory.size)) (memory.grow (i32.const 1)))
    (data (i32.const 0) "text"))`);

/** What its memory may have at most, and still begins with, as the engine says it. */
async function boundsOf(code: Uint8Array): Promise<readonly [least: number, most: number]> {
  const { WebAssembly: engine } = globalThis as unknown as {
    readonly WebAssembly: {
      instantiate(
        code: Uint8Array,
        imports: object,
      ): Promise<{ readonly instance: { readonly exports: { readonly g: () => number } } }>;
    };
  };
  const { instance } = await engine.instantiate(code, { env: { f: () => undefined } });
  const least = instance.exports.g();
  let most = least;
  for (let now = least; now !== -1; now = instance.exports.g()) most = now;
  // The last call that grew it gave the size before.
  return [least, most + 1];
}

test('a memory without a bound gets that of 64 MiB, and begins as before', async (t) => {
  const code = withMemoryBound(await moduleWith('(memory (export "memory") 3)')) as Uint8Array;
  t.deepEqual(await boundsOf(code), [3, 1024]);
});

test('whatever bound a memory has, it has that or the lower one of 64 MiB, and the rest of the module stays', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 1024 }), fc.integer({ min: 1, max: 65_000 }), async (least, more) => {
      const most = Math.min(least + more, 65_536);
      const before = await moduleWith(`(memory (export "memory") ${least} ${most})`);
      const code = withMemoryBound(before) as Uint8Array;
      t.deepEqual(membersOf(code), membersOf(before));
      const expected = await moduleWith(`(memory (export "memory") ${least} ${Math.min(most, 1024)})`);
      t.deepEqual(Buffer.from(code), Buffer.from(expected));
    }),
    { numRuns: 200 },
  );
});

for (const [what, memory, message] of [
  ['that is too large from the beginning', '(memory 1025)', /64\.0625 MiB/],
  ['none', '', /no memory of its own/],
] as const)
  test(`a module with memory ${what} is none that proxies run`, async (t) => {
    const code = await assembled(`(module ${memory})`);
    t.regex(String(withMemoryBound(code)), message);
  });
