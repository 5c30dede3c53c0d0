import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { ChatStream } from '../../src/addons/chatbot/admin/chat-stream.ts';
import { Chatbot, type ChatEvent } from '../../src/addons/chatbot/index.ts';
import { FileSettings } from '../../src/addons/settings/index.ts';
import { loadConfig } from '../../src/config/index.ts';
import { AddressGuard } from '../../src/outgoing/index.ts';
import { startModelServer, streamHead, textEvent } from '../support/model-server.ts';
import { until } from '../support/until.ts';

test('a model that hangs is given up when the time for a chat is over', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-chat-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const model = await startModelServer(t, (response) => {
    streamHead(response).write(textEvent('thinking'));
  });
  const chatbot = new Chatbot({
    store: new FileSettings(directory),
    defaults: { ...loadConfig(undefined, {}).chatbot, apiEndpoint: model.apiEndpoint, model: 'stub-1' },
    guard: new AddressGuard({ allowLoopback: true }),
    ask: async () => ({ status: 500, body: null }),
    handbookRoot: directory,
    timeoutMs: 500,
    onError: (error) => t.fail(String(error)),
  });
  const events: ChatEvent[] = [];
  for await (const event of await chatbot.chat({ prompt: 'hello', history: [] }, new AbortController().signal))
    events.push(event);
  t.deepEqual(events.at(-2), {
    type: 'error',
    code: 'model_timeout',
    message: 'the model did not come to an end in time',
  });
  t.deepEqual(events.at(-1), { type: 'done', finishReason: 'error' });
  // On a machine that stands still the request may not even have got there.
  await until('the provider to notice', () => model.abandoned() === model.asked.length);
});

test('a chat that is silent is kept open by comments, and a reader who leaves ends it', async (t) => {
  const left = new AbortController();
  async function* silent(): AsyncGenerator<ChatEvent> {
    yield { type: 'start', model: 'm', mode: 'llm' };
    await new Promise((resolve) => left.signal.addEventListener('abort', resolve, { once: true }));
  }
  const stream = new ChatStream({ events: silent(), left, heartbeatMs: 5 });
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  // Its timer keeps no process alive, so something of ours has to.
  await until('three comments', () => text.split(': keep-alive\n\n').length > 3);
  stream.destroy();
  t.true(left.signal.aborted);
});

test('a slow reader slows the chat down', async (t) => {
  let made = 0;
  async function* endless(): AsyncGenerator<ChatEvent> {
    for (;;) {
      made += 1;
      yield { type: 'text', text: 'x'.repeat(1000) };
    }
  }
  const stream = new ChatStream({ events: endless(), left: new AbortController(), heartbeatMs: 1000 });
  await until('the stream to be full', () => stream.readableLength >= stream.readableHighWaterMark);
  const before = made;
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  t.is(made, before);
  stream.destroy();
});
