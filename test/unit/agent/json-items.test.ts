import test from 'ava';
import fc from 'fast-check';
import { jsonItems } from '../../../src/agent/envoy/json-items.ts';

async function itemsOf(text: string, size: number): Promise<unknown[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const items: unknown[] = [];
  for await (const item of jsonItems(chunks())) items.push(item);
  return items;
}

test('objects of a list come out whole, wherever the answer is cut', async (t) => {
  const item = fc.dictionary(fc.string(), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(fc.array(item), fc.integer({ min: 1, max: 20 }), async (items, size) => {
      const plain = JSON.parse(JSON.stringify(items)) as unknown[];
      t.deepEqual(await itemsOf(JSON.stringify({ 'a"[{': plain }), size), plain);
      t.deepEqual(await itemsOf(JSON.stringify({ list: plain }, null, 1), size), plain);
    }),
  );
});

test('no list, no items', async (t) => {
  t.deepEqual(await itemsOf('{}', 1), []);
  t.deepEqual(await itemsOf('', 1), []);
});
