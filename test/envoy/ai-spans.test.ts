import test from 'ava';
import { loadConfig } from '../../src/config/index.ts';
import { ask, chat, reportsOf, startAiWorld } from '../support/ai.ts';
import { hex, type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { thorough } from '../support/repetitions.ts';
import { until, untilFits } from '../support/until.ts';

const spansConfig = (url: string, more: object = {}) => ({
  config: {
    aiSpans: { ...loadConfig(undefined, {}).aiSpans, otlpUrl: url, ...more },
    outgoing: { allowLoopback: true },
  },
});

const named = ({ spans }: OtlpReceiver, model: string) =>
  spans.filter(({ attributes }) => attributes['gen_ai.request.model'] === model);

const traceId = 'a'.repeat(32);
const parentId = 'b'.repeat(16);

test('each service that is asked is a span in the words of OpenTelemetry, with what it used as whole numbers', async (t) => {
  const receiver = await startOtlpReceiver(t);
  const { gateway, openai, anthropic } = await startAiWorld(t, { options: spansConfig(receiver.url) });
  const { port } = gateway;
  const headers = { traceparent: `00-${traceId}-${parentId}-01` };
  await ask(port, { headers, body: chat('fast', { used: { input: 100, output: 20, cached: 40, reasoning: 5 } }) });
  await ask(port, { body: chat('o3-x', { used: { input: 7, output: 9 } }, { stream: true }) });
  await ask(port, {
    body: chat('claude-sonnet-4-5', { used: { input: 60, output: 13, cached: 30, cacheWrite: 10 } }, { stream: true }),
  });
  await ask(port, { body: chat('gpt-4o', { only: 'openai', status: 500, used: { input: 3, output: 4 } }) });
  await ask(port, { body: chat('nothing') });
  await ask(port, {
    headers: { traceparent: `00-${'c'.repeat(32)}-${parentId}-00` },
    body: chat('gpt-4o', { used: { input: 1, output: 1 } }),
  });
  await until('spans', () => receiver.spans.length >= 5);

  const [fast] = named(receiver, 'gpt-4o-mini');
  t.is(hex(fast?.span.traceId ?? new Uint8Array()), traceId);
  t.is(hex(fast?.span.parentSpanId ?? new Uint8Array()), parentId);
  t.is(fast?.span.name, 'chat gpt-4o-mini');
  t.is(fast?.span.kind, 3, 'a client');
  t.is(fast?.span.status, undefined);
  t.true((fast?.span.endTimeUnixNano ?? 0n) > (fast?.span.startTimeUnixNano ?? 0n));
  t.like(fast?.attributes, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.response.model': 'gpt-4o-mini-2026',
    'gen_ai.usage.input_tokens': 100n,
    'gen_ai.usage.output_tokens': 20n,
    'gen_ai.usage.cache_read.input_tokens': 40n,
    'gen_ai.usage.reasoning.output_tokens': 5n,
    'openai.api.type': 'chat_completions',
    'server.address': '127.0.0.1',
    'server.port': BigInt(openai.port),
    'http.response.status_code': 200n,
    'gatewright.ai.asked_model': 'fast',
    'gatewright.ai.service': 'default/openai',
    'gatewright.route': 'httproute/default/ai',
    'gatewright.ai.usage_status': 'complete',
  });
  t.false('gen_ai.request.stream' in (fast?.attributes ?? {}));
  t.like(fast?.resource, { 'service.name': 'gatewright', 'service.version': 'test' });

  const [streamed] = named(receiver, 'o3-x');
  t.like(streamed?.attributes, {
    'gen_ai.request.stream': true,
    'gen_ai.usage.input_tokens': 7n,
    'gen_ai.usage.output_tokens': 9n,
  });
  const first = streamed?.attributes['gen_ai.response.time_to_first_chunk'];
  t.true(typeof first === 'number' && first > 0 && first < 60);
  t.is(hex(streamed?.span.parentSpanId ?? new Uint8Array()), '', 'no request had a trace');
  t.is(hex(streamed?.span.traceId ?? new Uint8Array()).length, 32);

  const [failed] = named(receiver, 'gpt-4o');
  const isOfFailed = ({ traceId }: { readonly traceId: Uint8Array }) =>
    hex(traceId) === hex(failed?.span.traceId ?? new Uint8Array());
  // Who helped out has the same model, and its span may come before or behind.
  const claude = receiver.spans.find(({ span }) => span.name === 'chat claude-sonnet-4-5' && !isOfFailed(span));
  t.like(claude?.attributes, {
    'gen_ai.provider.name': 'anthropic',
    'server.port': BigInt(anthropic.port),
    'gen_ai.usage.input_tokens': 60n,
    'gen_ai.usage.output_tokens': 13n,
    'gen_ai.usage.cache_read.input_tokens': 30n,
    'gen_ai.usage.cache_creation.input_tokens': 10n,
  });

  t.like(failed?.attributes, { 'error.type': '500', 'http.response.status_code': 500n });
  t.is(failed?.span.status?.code, 2, 'an error');
  t.false('gen_ai.usage.input_tokens' in (failed?.attributes ?? {}), 'what is not known is not said');
  const next = receiver.spans.find(({ span }) => span !== failed?.span && isOfFailed(span));
  t.is(next?.attributes['gatewright.ai.service'], 'default/anthropic', 'both tries are of one trace');

  const reports = reportsOf(gateway);
  // The last question has no span, and each thread of the proxy reports at its own time.
  await untilFits('all to be reported', reports.overview, ({ totalRequests }) => totalRequests === 6);
  t.is((await reports.traces()).items.length, 6);
  t.is(receiver.spans.length, 5, 'without recording, or without a request to a provider, there is no span');
  t.false(/hello|Good day|sk-one|ak-two/.test(receiver.raw), 'nothing that was said, and no credential');
});

thorough(test)('spans are of the trace of the gateway, where its listener has one', async (t) => {
  const receiver = await startOtlpReceiver(t);
  const { gateway } = await startAiWorld(t, {
    options: spansConfig(receiver.url),
    objects: [
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 'otel' }, spec: { ports: [{ port: 4317 }] } },
      {
        apiVersion: 'gatewright.dev/v1alpha1',
        kind: 'ListenerPolicy',
        metadata: { name: 'traced' },
        spec: {
          targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
          tracing: { otlp: { backendRef: { name: 'otel', port: 4317 } } },
        },
      },
    ],
  });
  const headers = { traceparent: `00-${traceId}-${parentId}-01` };
  await until('a trace that goes on', async () => {
    await ask(gateway.port, { headers, body: chat('gpt-4o') });
    return receiver.spans.some(
      ({ span }) => hex(span.traceId) === traceId && !['', parentId].includes(hex(span.parentSpanId)),
    );
  });
  t.pass();
});

thorough(test)(
  'a receiver that is away, busy or picky costs no request, and what happens to spans is counted',
  async (t) => {
    const receiver = await startOtlpReceiver(t, (request) => {
      if (request === 0) return 'hang up';
      if (request === 1) return { status: 503, headers: { 'retry-after': '1' } };
      if (request === 3) return { rejected: 1, message: 'no more today' };
      if (request === 4) return { status: 400 };
      return undefined;
    });
    const { gateway } = await startAiWorld(t, { options: spansConfig(receiver.url, { serviceName: 'edge' }) });
    const metrics = async () => {
      const answer = await fetch(`http://127.0.0.1:${gateway.control.ports.metrics}/metrics`);
      return (await answer.text()).split('\n').filter((line) => line.startsWith('gatewright_ai_spans_total'));
    };
    t.is((await ask(gateway.port, { body: chat('gpt-4o') })).status, 200);
    await until('the third try to be taken', () => receiver.spans.length === 1);
    t.is(receiver.spans[0]?.resource['service.name'], 'edge');
    t.is((await ask(gateway.port, { body: chat('gpt-4o') })).status, 200);
    await until('the fourth to be taken in part', () => receiver.requests === 4);
    t.is((await ask(gateway.port, { body: chat('gpt-4o') })).status, 200);
    await until('all to be counted', async () =>
      (await metrics()).some((line) => line.endsWith('{result="refused"} 2')),
    );
    t.true((await metrics()).includes('gatewright_ai_spans_total{result="sent"} 1'));
    t.true(gateway.log.some(({ msg }) => String(msg).startsWith('spans cannot be delivered: see aiSpans')));
  },
);
