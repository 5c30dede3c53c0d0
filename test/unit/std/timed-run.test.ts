import { createContext, Script } from 'node:vm';
import test from 'ava';
import { runTimed } from '../../../src/std/index.ts';

test('a script gives its value', (t) => {
  t.is(runTimed(new Script('a + 1'), createContext({ a: 1 }), 50), 2);
});

test('a script that works without end is ended', (t) => {
  t.throws(() => runTimed(new Script('for (;;);'), createContext({}), 20), { message: 'it took more than 20 ms' });
});

test('a script that only waits is tried again, for the machine may have stood still', (t) => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let tries = 0;
  const wait = () => {
    tries += 1;
    if (tries === 1) Atomics.wait(cell, 0, 0, 500);
    return tries;
  };
  t.is(runTimed(new Script('wait()'), createContext({ wait }), 20), 2);
});

test('what a script throws is thrown', (t) => {
  t.throws(() => runTimed(new Script('throw new Error("no")'), createContext({}), 50), { message: 'no' });
});
