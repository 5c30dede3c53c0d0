import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { root } from '../../../../scripts/paths.mjs';
import { trimHeap } from '../../../../src/app/process/trim-heap.ts';

test('a program at rest is made to collect, and a busy one is left alone', async (t) => {
  // A thread has an event loop of its own: nothing but what is below makes it busy.
  const worker = new Worker(
    `
    const { parentPort, workerData } = require('node:worker_threads');
    const { performance } = require('node:perf_hooks');
    import(workerData).then(({ trimHeap }) => {
      trimHeap({ collect: ({ type }) => parentPort.postMessage(type), everyMs: 50 });
      const busyUntil = performance.now() + 1000;
      const work = () => {
        for (const end = performance.now() + 20; performance.now() < end; );
        if (performance.now() < busyUntil) setImmediate(work);
        else {
          parentPort.postMessage('resting');
          setInterval(() => {}, 1000);
        }
      };
      work();
    });
    `,
    { eval: true, workerData: pathToFileURL(join(root, 'src/app/process/trim-heap.ts')).href },
  );
  const said: string[] = [];
  const enough = Promise.withResolvers<void>();
  worker.on('error', enough.reject);
  worker.on('message', (word: string) => {
    said.push(word);
    if (said.filter((one) => one === 'minor').length === 3) enough.resolve();
  });
  await enough.promise.finally(() => worker.terminate());
  t.deepEqual(said, ['resting', 'minor', 'minor', 'minor']);
});

test('it stops after twelve looks at rest, until the program has worked', async (t) => {
  const shares = [...Array.from({ length: 20 }, () => 0.01), 0.3, 0.01, 0.01];
  const collections: number[] = [];
  const looked = Promise.withResolvers<void>();
  let looks = 0;
  const share = () => {
    looks += 1;
    if (looks > shares.length) looked.resolve();
    return shares[looks - 1] ?? 1;
  };
  trimHeap({ collect: async () => void collections.push(looks), everyMs: 1, share });
  // The looks by themselves keep no process alive.
  const alive = setInterval(() => {}, 1000);
  await looked.promise.finally(() => clearInterval(alive));
  t.deepEqual(collections, [...Array.from({ length: 12 }, (_, at) => at + 1), 22, 23]);
});
