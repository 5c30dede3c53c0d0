import test from 'ava';
import { issueCertificate } from '../../scripts/example/certificate.ts';
import { startFakeProvider } from '../../scripts/example/fake-provider.ts';
import { aiRule, aiService, ask, chat, startAiWorld } from '../support/ai.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject } from '../support/standalone.ts';

test('requests go to the service that has the model, in its words, with its credential and no other', async (t) => {
  const { gateway, openai, anthropic } = await startAiWorld(t);
  const { port } = gateway;

  const models = await ask(port, { method: 'GET', path: '/v1/models' });
  t.deepEqual(
    (JSON.parse(models.text) as { data: { id: string; owned_by: string }[] }).data.map(({ id, owned_by }) => [
      id,
      owned_by,
    ]),
    [
      ['gpt-4o', 'openai'],
      ['fast', 'openai'],
      ['claude-sonnet-4-5', 'anthropic'],
    ],
  );
  t.regex(models.headers['content-type'] ?? '', /^application\/json/);

  const plain = await ask(port, {
    headers: { authorization: 'Bearer client', 'x-api-key': 'client', 'x-gw-ai-model': 'claude-sonnet-4-5' },
    body: chat('gpt-4o'),
  });
  t.is(plain.status, 200, plain.text);
  t.is(openai.ledger.at(-1)?.headers.authorization, 'Bearer sk-one');
  t.is(openai.ledger.at(-1)?.headers['x-api-key'], undefined);
  t.deepEqual(
    Object.keys(openai.ledger.at(-1)?.headers ?? {}).filter((name) => name.startsWith('x-gw')),
    [],
  );
  t.is(openai.ledger.at(-1)?.path, '/v1/chat/completions');

  t.is((await ask(port, { body: chat('fast') })).status, 200);
  t.is(openai.ledger.at(-1)?.body.model, 'gpt-4o-mini');
  t.is((await ask(port, { body: chat('o3-something') })).status, 200);
  t.is(openai.ledger.at(-1)?.body.model, 'o3-something');

  const translated = await ask(port, { body: chat('claude-sonnet-4-5') });
  t.is(translated.status, 200, translated.text);
  t.is(JSON.parse(translated.text).choices[0].message.content, 'Good day.');
  t.is(anthropic.ledger.at(-1)?.headers['x-api-key'], 'ak-two');
  t.is(anthropic.ledger.at(-1)?.headers.authorization, undefined);
  t.is(anthropic.ledger.at(-1)?.headers['anthropic-version'], '2023-06-01');
  t.is(anthropic.ledger.at(-1)?.path, '/v1/messages');

  const streamed = await ask(port, { body: chat('claude-sonnet-4-5', undefined, { stream: true }) });
  t.true(
    streamed.text.includes('chat.completion.chunk') && streamed.text.trim().endsWith('data: [DONE]'),
    streamed.text,
  );

  const other = await ask(port, {
    path: '/v1/messages',
    body: { model: 'gpt-4o', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'hello' }] },
  });
  t.true(other.text.includes('event: message_start'), other.text);
  t.is(openai.ledger.at(-1)?.path, '/v1/chat/completions');
  t.deepEqual(openai.ledger.at(-1)?.body.stream_options, { include_usage: true });

  const unknown = await ask(port, { body: chat('nothing') });
  t.is(unknown.status, 404);
  t.is(JSON.parse(unknown.text).error.code, 'model_not_found');
  t.is((await ask(port, { headers: { 'x-gw-ai-model': 'gpt-4o' }, body: '{"messages": []}' })).status, 404);
  t.is((await ask(port, { body: 'no JSON' })).status, 404);
  const wrong = await ask(port, { path: '/v1/embeddings', body: { model: 'claude-sonnet-4-5', input: 'x' } });
  t.is(JSON.parse(wrong.text).error?.code, 'unsupported_operation');
});

thorough(test)('another service answers where one fails, with a credential of its own', async (t) => {
  const { gateway, openai, anthropic } = await startAiWorld(t);
  const { port } = gateway;

  for (const [trouble, stream] of [
    [{ status: 500 }, false],
    [{ status: 429, headers: { 'retry-after': '7' } }, true],
    [{ trouble: 'hang' as const }, true],
  ] as const) {
    const before = anthropic.ledger.length;
    const answer = await ask(port, { body: { ...chat('gpt-4o', { only: 'openai', ...trouble }), stream } });
    t.is(
      openai.ledger.at(-1)?.headers.authorization,
      'Bearer sk-one',
      JSON.stringify([openai.ledger, answer, anthropic.ledger]),
    );
    t.is(anthropic.ledger.length, before + 1, JSON.stringify(trouble));
    t.is(anthropic.ledger.at(-1)?.headers['x-api-key'], 'ak-two');
    t.is(anthropic.ledger.at(-1)?.body.model, 'claude-sonnet-4-5');
    t.is(answer.status, 200, answer.text);
    t.true(answer.text.includes('Good'), answer.text);
  }
});

test('a provider is known by its certificate, and gets no request when it has another one', async (t) => {
  const certificate = await issueCertificate(['localhost']);
  const secure = await startFakeProvider('openai', { certificate });
  t.teardown(() => secure.close());
  const endpoint = (authority: string) => ({
    endpoint: { hostname: 'localhost', port: secure.port, tls: { caCertificateRefs: [{ name: authority }] } },
  });
  const stranger = await issueCertificate(['localhost']);
  const configMap = (name: string, text: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { 'ca.crt': text },
  });
  const service = (name: string, authority: string) =>
    aiService(name, 0, { provider: 'openai', models: [{ name }], ...endpoint(authority) });
  const { gateway } = await startAiWorld(t, {
    objects: [
      configMap('known', certificate.certificatePem),
      configMap('other', stranger.certificatePem),
      service('trusted', 'known'),
      service('deceived', 'other'),
      service('unchecked', 'missing'),
      routeObject('tls', 'tls.test', [aiRule('trusted', 'deceived', 'unchecked')]),
    ],
  });
  const status = async (model: string) => (await ask(gateway.port, { host: 'tls.test', body: chat(model) })).status;
  t.is(await status('trusted'), 200);
  t.is(await status('deceived'), 503);
  t.is(await status('unchecked'), 503);
  t.is(secure.ledger.length, 1);
  t.is(secure.ledger[0]?.headers.host, 'localhost');
});
