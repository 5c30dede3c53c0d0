import anyTest, { type TestFn } from 'ava';
import { aiRule, aiService, ask, credential, startAiGateway, untilListed } from '../support/ai.ts';
import { endings } from '../support/endings.ts';
import { startBackend } from '../support/http.ts';
import { routeObject, type Standalone } from '../support/standalone.ts';

// A provider quotes the credential that it was asked with. The model that is asked for says how it answers: `gpt-401`.

const test = anyTest as TestFn<Standalone>;
const all = endings(test);
const key = 'MARK-PROVIDER-KEY-0123456789';
const events = ['data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n', 'data: [DONE]\n\n'];

test.before(async (t) => {
  const provider = await startBackend(all, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.once('end', () => {
      const { model, stream } = JSON.parse(text) as { readonly model: string; readonly stream?: boolean };
      const status = Number(model.split('-')[1]);
      const sent = request.headers.authorization ?? request.headers['x-api-key'];
      const quote =
        status >= 400 && status !== 422 ? { 'www-authenticate': `Bearer key="${sent}"`, 'x-quoted': `${sent}` } : {};
      response.writeHead(status, { 'content-type': stream ? 'text/event-stream' : 'application/json', ...quote });
      if (status === 200) for (const event of events) response.write(event);
      else if (status === 422) response.write('{"error":{"message":"the context is too long"}}');
      else response.write(`${stream ? 'data: ' : ''}{"error":{"message":"Incorrect API key provided: ${sent}"}}`);
      response.end();
    });
  });
  const service = (name: string, prefix: string) =>
    aiService(name, provider.port, {
      provider: name,
      models: [{ name: prefix, match: 'Prefix' }],
      auth: { secretRef: { name: 'key' } },
    });
  const gateway = await startAiGateway({
    'ai.yaml': [
      credential('key', key),
      service('openai', 'gpt-'),
      service('anthropic', 'claude-'),
      routeObject('ai', 'ai.test', [aiRule('openai', 'anthropic')]),
    ],
  });
  all.teardown(() => gateway.stop());
  await untilListed(gateway);
  t.context = gateway;
});

const chatPath = '/v1/chat/completions';
const messagesPath = '/v1/messages';
const question = (model: string, stream: boolean) => ({
  model,
  stream,
  max_tokens: 9,
  messages: [{ role: 'user', content: 'hello' }],
});

for (const status of [401, 403, 407]) {
  test(`a provider's ${status} comes with its status and without its words, which quote the key`, async (t) => {
    for (const model of [`gpt-${status}`, `claude-${status}`]) {
      for (const path of [chatPath, messagesPath]) {
        for (const stream of [false, true]) {
          const answer = await ask(t.context.port, { path, body: question(model, stream) });
          const what = `${model} ${path} ${stream}`;
          t.is(answer.status, status, what);
          t.is(answer.headers['content-type'], 'application/json', what);
          t.false(`${answer.text}${JSON.stringify(answer.headers)}`.includes(key), answer.text);
          const body = JSON.parse(answer.text) as { readonly type?: string; readonly error: { readonly type: string } };
          t.is(body.error.type, 'authentication_error', what);
          t.is(body.type, path === messagesPath ? 'error' : undefined, `${what}: in the client's own words`);
        }
      }
    }
  });
}

test('so it is for what is no chat', async (t) => {
  for (const path of ['/v1/embeddings', '/v1/responses', '/v1/completions']) {
    const answer = await ask(t.context.port, { path, body: { model: 'gpt-401', input: 'x', prompt: 'x' } });
    t.is(answer.status, 401, path);
    t.false(`${answer.text}${JSON.stringify(answer.headers)}`.includes(key), path);
  }
});

test('answers in pieces, and what a provider says of the request itself, pass byte by byte', async (t) => {
  const streamed = await ask(t.context.port, { body: question('gpt-200', true) });
  t.is(streamed.text, events.join(''));
  const rejected = await ask(t.context.port, { body: question('gpt-422', false) });
  t.is(rejected.status, 422);
  t.is(rejected.text, '{"error":{"message":"the context is too long"}}');
});
