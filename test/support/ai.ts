import http from 'node:http';
import type { ExecutionContext } from 'ava';
import {
  type Behaviour,
  type FakeProvider,
  type FakeProviderOptions,
  type Schema,
  startFakeProvider,
} from '../../scripts/example/fake-provider.ts';
import type {
  CostReport,
  OverviewReport,
  ServiceReport,
  TokenUsageReport,
  TracesReport,
} from '../../src/addons/ai/index.ts';
import { routeObject, type Standalone, type StandaloneOptions, startStandalone } from './standalone.ts';
import { untilFits } from './until.ts';

const own = { apiVersion: 'gatewright.dev/v1alpha1' } as const;

/** An AIService that leads to a fake provider. */
export const aiService = (name: string, port: number, spec: object): object => ({
  ...own,
  kind: 'AIService',
  metadata: { name },
  spec: { endpoint: { hostname: '127.0.0.1', port, tls: { mode: 'None' } }, ...spec },
});

export const credential = (name: string, value: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: { apiKey: Buffer.from(value).toString('base64') },
});

export const aiRule = (...services: readonly string[]): object => ({
  backendRefs: services.map((name) => ({ group: 'gatewright.dev', kind: 'AIService', name })),
});

/** A gateway whose providers may be on this machine, as fake providers are. */
export const startAiGateway: typeof startStandalone = (files, options = {}) =>
  startStandalone(files, { ...options, allowedAddresses: ['127.0.0.1/32'] });

/** A gateway with two providers behind `ai.test`, of which the first falls back to the second, and fake providers for them. */
export interface AiWorld {
  readonly gateway: Standalone;
  readonly openai: FakeProvider;
  readonly anthropic: FakeProvider;
}

export async function fakeProvider(
  t: ExecutionContext<unknown>,
  schema: Schema,
  options?: FakeProviderOptions,
): Promise<FakeProvider> {
  const server = await startFakeProvider(schema, options);
  t.teardown(() => server.close());
  return server;
}

export async function startAiWorld(
  t: ExecutionContext<unknown>,
  { objects = [], options }: { readonly objects?: readonly object[]; readonly options?: StandaloneOptions } = {},
): Promise<AiWorld> {
  const [openai, anthropic] = [await fakeProvider(t, 'openai'), await fakeProvider(t, 'anthropic')];
  const gateway = await startAiGateway(
    {
      'ai.yaml': [
        credential('openai', 'sk-one'),
        credential('anthropic', 'ak-two'),
        aiService('openai', openai.port, {
          provider: 'openai',
          models: [{ name: 'gpt-4o' }, { name: 'fast', as: 'gpt-4o-mini' }, { name: 'o3-', match: 'Prefix' }],
          auth: { secretRef: { name: 'openai' } },
          fallback: [{ name: 'anthropic' }],
          // Long enough for a provider that shares a busy machine.
          timeouts: { firstToken: '20s', streamIdle: '20s' },
        }),
        aiService('anthropic', anthropic.port, {
          provider: 'anthropic',
          models: [{ name: 'claude-sonnet-4-5' }, { name: 'gpt-4o', as: 'claude-sonnet-4-5', fallbackOnly: true }],
          auth: { secretRef: { name: 'anthropic' } },
        }),
        routeObject('ai', 'ai.test', [aiRule('openai', 'anthropic')]),
        ...objects,
      ],
    },
    options,
  );
  t.teardown(() => gateway.stop());
  await untilListed(gateway);
  return { gateway, openai, anthropic };
}

/** Until models of a host can be asked. */
export async function untilListed({ port }: Pick<Standalone, 'port'>, host = 'ai.test'): Promise<void> {
  await untilFits(
    'the gateway to list its models',
    () => ask(port, { method: 'GET', path: '/v1/models', host }),
    ({ status }) => status === 200,
  );
}

export interface AiAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** Broke off before its end. */
  readonly cut: boolean;
}

export interface AiQuestion {
  readonly method?: 'GET' | 'POST';
  readonly path?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
  /** A connection for each question, by default. */
  readonly agent?: http.Agent;
}

/** Asks a gateway; never rejects for what it answers. */
export function ask(
  port: number,
  { method = 'POST', path = '/v1/chat/completions', host = 'ai.test', headers = {}, body, agent }: AiQuestion,
): Promise<AiAnswer> {
  return new Promise((resolve, reject) => {
    const call = http.request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: agent ?? false,
        headers: { host, 'content-type': 'application/json', ...headers },
      },
      (response) => {
        let text = '';
        const done = (cut: boolean) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, cut });
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('end', () => done(false));
        response.once('error', () => done(true));
      },
    );
    call.once('error', reject);
    call.end(typeof body === 'string' ? body : body && JSON.stringify(body));
  });
}

/** One question of a user; a Behaviour says how the fake provider answers. */
export const chat = (model: string, behaviour?: Behaviour | string, more: object = {}): object => ({
  model,
  messages: [
    { role: 'user', content: typeof behaviour === 'object' ? JSON.stringify(behaviour) : (behaviour ?? 'hello') },
  ],
  ...more,
});

/** The reports of a control plane. */
export function reportsOf(gateway: Pick<Standalone, 'json' | 'control'>) {
  const get = async <T>(path: string): Promise<T> => {
    const { status, body } = await gateway.json(gateway.control.ports.layout1, path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body as T;
  };
  return {
    overview: () => get<OverviewReport>('/v1/ai/overview'),
    services: () => get<readonly ServiceReport[]>('/v1/ai/services'),
    usage: (query = '') => get<TokenUsageReport>(`/v1/ai/token-usage${query}`),
    traces: (query = '') => get<TracesReport>(`/v1/ai/traces${query}`),
    cost: (query = '') => get<CostReport>(`/v1/ai/cost${query}`),
  };
}
