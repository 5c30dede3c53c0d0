import test, { type ExecutionContext } from 'ava';
import { FileHooks, type Run } from '../../support/shared-process/file-hooks.ts';

/** As much of a test as hooks touch; its teardowns run in reverse order at the end, as AVA's do. */
async function run(test: Run): Promise<void> {
  const teardowns: (() => unknown)[] = [];
  const t = { context: {}, teardown: (teardown: () => unknown) => teardowns.unshift(teardown) };
  try {
    await test(t as unknown as ExecutionContext<unknown>);
  } finally {
    for (const teardown of teardowns) await teardown();
  }
}

function recorded() {
  const seen: string[] = [];
  const say = (what: string) => () => void seen.push(what);
  const hooks = new FileHooks({ onBegin: say('begin'), onEnd: say('end') });
  return { seen, say, hooks };
}

test('hooks of a file run around its tests, in order', async (t) => {
  const { seen, say, hooks } = recorded();
  for (const name of ['before', 'after.always', 'beforeEach', 'afterEach.always'] as const) hooks.add(name, say(name));
  const tests = [hooks.around(say('one')), hooks.around(say('two'))];
  t.deepEqual(seen, []);
  for (const each of tests) await run(each);
  const each = (name: string) => ['beforeEach', name, 'afterEach.always'];
  t.deepEqual(seen, ['begin', 'before', ...each('one'), ...each('two'), 'after.always', 'end']);
});

test('what begins for the file ends behind the teardowns of its last test, also when that fails', async (t) => {
  const { seen, say, hooks } = recorded();
  hooks.add('after.always', say('after'));
  const last = hooks.around((of) => {
    of.teardown(say('teardown'));
    throw new Error('fails');
  });
  await t.throwsAsync(run(last), { message: 'fails' });
  t.deepEqual(seen, ['begin', 'teardown', 'after', 'end']);
});

test('each test gets a copy of the context that was made before all', async (t) => {
  const { hooks } = recorded();
  hooks.add('before', (of) => {
    (of.context as Record<string, unknown>).server = 'one';
  });
  const contexts: unknown[] = [];
  const look: Run = (of) => {
    contexts.push({ ...(of.context as object) });
    (of.context as Record<string, unknown>).mine = true;
  };
  for (const each of [hooks.around(look), hooks.around(look)]) await run(each);
  t.deepEqual(contexts, [{ server: 'one' }, { server: 'one' }]);
});

test('each test fails by a hook that failed, and the file is ended all the same', async (t) => {
  const { seen, say, hooks } = recorded();
  hooks.add('before', () => {
    throw new Error('no server');
  });
  hooks.add('after.always', say('after'));
  const tests = [hooks.around(say('one')), hooks.around(say('two'))];
  for (const each of tests) await t.throwsAsync(run(each), { message: 'no server' });
  t.deepEqual(seen, ['begin', 'after', 'end']);
});
