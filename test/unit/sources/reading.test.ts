import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { kinds } from '../../../src/gateway-api/index.ts';
import { inlineLength, ManifestReader, type ManifestReaderOptions } from '../../../src/sources/index.ts';
import { hostileYaml } from '../../support/hostile-yaml.ts';
import { thorough } from '../../support/repetitions.ts';
import { until } from '../../support/until.ts';
import { validator } from './directory-harness.ts';

async function readerOf(t: ExecutionContext, options: ManifestReaderOptions = {}): Promise<ManifestReader> {
  const reader = new ManifestReader({ validator: await validator, ...options });
  t.teardown(() => reader.close());
  return reader;
}

const route = (name: string, extra = '') =>
  `apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: ${name}}\nspec: {hostnames: [${name}.test]${extra}}\n`;

const className = (controllerName: string) =>
  `apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: a}\nspec: {controllerName: ${controllerName}}\n`;

const padding = `# ${'x'.repeat(inlineLength)}\n`;
const textOf = (length: number) => Array.from({ length }, (_, index) => route(`r${index}`)).join('---\n');
const none = () => undefined;

test('a long file says what a short one says: objects, places and faults', async (t) => {
  const reader = await readerOf(t);
  const wrong = `---\n${route('wrong', ', rulez: []')}---\na: [\n`;
  for (const text of [textOf(1_000) + wrong, textOf(3) + wrong]) {
    const there = await reader.content('a.yaml', `${text}${padding}`, none);
    t.is(there.entries.size, text.split('HTTPRoute').length - 2);
    t.is(there.entries.get('HTTPRoute default/r2')?.kind, kinds.HTTPRoute);
    t.is(there.entries.get('HTTPRoute default/r2')?.position.line, 11);
    t.deepEqual([...there.invalid], ['HTTPRoute default/wrong']);
    t.true(there.unclear);
    const line = text.split('\n').length;
    t.deepEqual(
      there.problems.map((problem) => [problem.line, problem.message]),
      [
        [line + 1, 'not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]'],
        [line - 3, 'spec.rulez: unknown field "rulez"; did you mean "rules"?'],
      ],
    );
  }
});

thorough(test)('rules that compare with the object before have it, in a long file too', async (t) => {
  const reader = await readerOf(t);
  const { entries } = await reader.content('a.yaml', className('a.dev/one'), none);
  const before = entries.get('GatewayClass a')?.object;
  const asked: string[] = [];
  const findOld = (kind: object, { name }: { readonly name: string }) => {
    asked.push(`${kind === kinds.GatewayClass} ${name}`);
    return before;
  };
  const { problems } = await reader.content('a.yaml', className('a.dev/two') + padding, findOld);
  t.regex(String(problems[0]?.message), /field is immutable/);
  t.deepEqual(asked, ['true a']);
});

thorough(test)('a heavy object is judged as a light one is', async (t) => {
  const reader = await readerOf(t);
  const value = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name: 'a' }, spec: {} };
  const heavy = { ...value, metadata: { name: 'a', annotations: { much: 'x'.repeat(2 * inlineLength) } } };
  const [light, other] = [await reader.verdict(value, undefined), await reader.verdict(heavy, undefined)];
  t.is(other.result, 'valid');
  t.is('kind' in other && other.kind, kinds.HTTPRoute);
  t.deepEqual('object' in other && other.object.spec, 'object' in light && light.object.spec);
});

thorough(test)('long texts are edited as short ones are', async (t) => {
  const reader = await readerOf(t);
  const text = textOf(700);
  t.true(text.length > inlineLength);
  const ref = { group: 'gateway.networking.k8s.io', kindName: 'HTTPRoute', namespace: 'default', name: 'r699' };
  const { places = [], value } = (await reader.find(text, ref)) ?? {};
  t.deepEqual(places, [{ document: 699 }]);
  const changed = await reader.replace(
    text,
    { document: 699 },
    { ...(value as object), spec: { hostnames: ['b.test'] } },
  );
  t.is(changed, `${text.slice(0, text.lastIndexOf('r699.test'))}b.test]}\n`);
  const { text: rest, isEmpty } = await reader.remove(text, places);
  t.false(isEmpty);
  t.is(rest, `${textOf(699)}`);
  t.is(await reader.append(rest, value), `${rest}---\n${await reader.write(value)}`);
  await t.throwsAsync(reader.find(`a: [${padding}`, ref), { name: 'TextError', message: /^line \d+: not valid YAML/ });
});

thorough(test)('others have their turns while a long text is read', async (t) => {
  const reader = await readerOf(t);
  // The thread is there, so all turns are taken while it reads.
  await reader.parse(textOf(700));
  const text = hostileYaml.blockKeys?.(500_000) ?? '';
  const turnsWhileRead = async () => {
    let turns = 0;
    let isRead = false;
    const reading = reader.parse(text).finally(() => {
      isRead = true;
    });
    while (!isRead && turns < 100) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    t.is((await reading).values.length, 1);
    return turns;
  };
  let turns = 0;
  // A machine that has too much to do may stop us for as long as the thread reads, and not each time.
  for (let tries = 0; tries < 20 && turns < 100; tries += 1) turns = await turnsWhileRead();
  t.is(turns, 100);
});

test('what takes too long is rejected, and the next is read', async (t) => {
  const reader = await readerOf(t, { limits: { jobMs: 20 } });
  const long = hostileYaml.flowCommentsIndent?.(1_000_000) ?? '';
  await t.throwsAsync(reader.parse(long), { name: 'ReadingRejected', message: /^takes too long to read/ });
  const patient = await readerOf(t);
  t.is((await patient.parse(textOf(700))).values.length, 700);
});

thorough(test)('one that takes too long ends alone: who waits behind it has another thread', async (t) => {
  const reader = await readerOf(t, { limits: { jobMs: 400 } });
  const long = reader.parse(hostileYaml.flowCommentsIndent?.(1_000_000) ?? '');
  const behind = reader.write({ text: 'x'.repeat(inlineLength) });
  await t.throwsAsync(long, { message: /too long/ });
  t.true((await behind).includes('xxx'));
});

thorough(test)('what takes too much memory is rejected, and the process lives', async (t) => {
  const reader = await readerOf(t, { limits: { memoryMiB: 16, jobMs: 60_000 } });
  await t.throwsAsync(reader.parse(hostileYaml.blockKeys?.(1_000_000) ?? ''), {
    name: 'ReadingRejected',
    message: /^takes too much memory to read/,
  });
});

thorough(test)('no more wait than are allowed to', async (t) => {
  const reader = await readerOf(t, { limits: { waiting: 1 } });
  const reads = [1, 2, 3].map(() => reader.parse(textOf(700)));
  const outcomes = await Promise.allSettled(reads);
  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  );
  t.like(outcomes[2], { reason: { reason: 'busy' } });
});

thorough(test)('a thread that has nothing to do ends, and another is made when there is something', async (t) => {
  const reader = await readerOf(t, { limits: { idleMs: 1 } });
  // Its own: other tests of this process have threads, too.
  const made = once(process, 'worker');
  const read = reader.parse(textOf(700));
  const [thread] = await made;
  let hasEnded = false;
  thread.once('exit', () => {
    hasEnded = true;
  });
  await read;
  // A thread at rest keeps no process alive, so asking again has to.
  await until('the thread to end', () => hasEnded);
  t.is((await reader.parse(textOf(701))).values.length, 701);
});

thorough(test)('what is to be read when the reader is closed is rejected', async (t) => {
  const reader = await readerOf(t);
  const reading = [reader.parse(textOf(700)), reader.parse(textOf(700))];
  const rejected = Promise.allSettled(reading);
  await reader.close();
  for (const one of await rejected) t.like(one, { status: 'rejected', reason: { reason: 'ended' } });
});

test('a text whose aliases make far more of it than it holds is rejected', async (t) => {
  const reader = await readerOf(t);
  const bomb = `a: &a [${'x, '.repeat(9_000)}]\nb: [${'*a, '.repeat(90)}]\n`;
  t.regex(String((await reader.parse(bomb)).errors[0]?.message), /its aliases make too much of it/);
  const merged = `a: &a {${Array.from({ length: 2_000 }, (_, index) => `key${index}: 1`).join(', ')}}\n${'b: {<<: *a}\n'.replace('b', 'k0')}`;
  t.deepEqual((await reader.parse(merged)).errors, []);
});
