import { type FakeProvider, type FakeProviderOptions, startFakeProvider } from '../../scripts/example/fake-provider.ts';
import { type Pick, type PickerServer, type PickRequest, startPicker } from '../../scripts/example/picker-server.ts';
import { freePort } from '../../scripts/free-port.ts';
import { aiRule, aiService, credential, startAiGateway, untilListed } from './ai.ts';
import type { Endings } from './endings.ts';
import { type PoolSpec, pickerObjects, podObject, poolObject, settledBy, writePool } from './pool-world.ts';
import { routeObject, type Standalone } from './standalone.ts';

/** One AIService that is a pool: its model servers, and what picks one of them. */
export interface AiPool {
  readonly servers: readonly FakeProvider[];
  /** `IP:PORT` of each. */
  readonly endpoints: readonly string[];
  readonly picker: PickerServer;
  /** What the picker does; the first server, unless a test says otherwise. */
  pick: (request: PickRequest) => Pick | Promise<Pick>;
}

/**
 * A gateway with the model `llama-3` behind `ai.test`. The pool `llama` serves it, and also `sql`, which it calls `sql-lora`. What it does not answer goes
 * to the pool `spare`, and then to `openai`, which is outside and has a credential.
 */
export interface AiPoolWorld {
  readonly gateway: Standalone;
  readonly llama: AiPool;
  readonly spare: AiPool;
  readonly openai: FakeProvider;
  /** Writes the pool `llama`, and waits until the proxy has it. */
  pool(spec: PoolSpec): Promise<void>;
  settled(): Promise<void>;
}

export const poolService = (name: string, spec: object): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AIService',
  metadata: { name },
  spec: { provider: 'custom', pool: { name }, ...spec },
});

interface AiPoolOptions {
  readonly objects?: readonly object[];
  readonly llama?: PoolSpec;
  /** Of the service `llama`. */
  readonly service?: object;
}

export async function startAiPoolWorld(
  t: Endings,
  { objects = [], llama: spec = {}, service = {} }: AiPoolOptions = {},
): Promise<AiPoolWorld> {
  const port = await freePort();
  const [llama, spare] = [
    await startAiPool(t, port, ['127.0.0.11', '127.0.0.12']),
    await startAiPool(t, port, ['127.0.0.13']),
  ];
  const openai = await fakeServer(t, {});
  const gateway = await startAiGateway({
    'pickers.yaml': [...pickerObjects('llama', llama.picker.port), ...pickerObjects('spare', spare.picker.port)],
    'pods.yaml': [
      podObject('llama-0', 'llama', '127.0.0.11'),
      podObject('llama-1', 'llama', '127.0.0.12'),
      podObject('spare-0', 'spare', '127.0.0.13'),
    ],
    'pool.yaml': [poolObject('llama', port, { picker: 'llama', ...spec })],
    'spare.yaml': [poolObject('spare', port, { picker: 'spare' })],
    'service.yaml': [
      poolService('llama', {
        models: [
          { name: 'llama-3', price: { input: '1', output: '2' } },
          { name: 'sql', as: 'sql-lora' },
        ],
        fallback: [{ name: 'spare' }, { name: 'openai' }],
        ...service,
      }),
    ],
    'ai.yaml': [
      credential('openai', 'sk-one'),
      poolService('spare', { models: [{ name: 'llama-3', fallbackOnly: true }] }),
      aiService('openai', openai.port, {
        provider: 'openai',
        models: [{ name: 'llama-3', as: 'gpt-4o-mini', fallbackOnly: true }, { name: 'gpt-4o' }],
        auth: { secretRef: { name: 'openai' } },
      }),
      routeObject('ai', 'ai.test', [aiRule('llama', 'spare', 'openai')]),
      ...objects,
    ],
  });
  t.teardown(() => gateway.stop());
  const settled = settledBy(gateway);
  await untilListed(gateway);
  await settled();
  return {
    gateway,
    llama,
    spare,
    openai,
    settled,
    async pool(changed) {
      await writePool(gateway, poolObject('llama', port, { picker: 'llama', ...changed }));
      await settled();
    },
  };
}

async function startAiPool(t: Endings, port: number, addresses: readonly string[]): Promise<AiPool> {
  const servers = await Promise.all(addresses.map((address) => fakeServer(t, { address, port })));
  const endpoints = addresses.map((address) => `${address}:${port}`);
  const picker = await startPicker({ pick: (request) => pool.pick(request) });
  t.teardown(picker.die);
  const pool: AiPool = { servers, endpoints, picker, pick: () => ({ endpoint: endpoints[0] ?? '' }) };
  return pool;
}

async function fakeServer(t: Endings, options: FakeProviderOptions): Promise<FakeProvider> {
  const server = await startFakeProvider('openai', options);
  t.teardown(() => server.close());
  return server;
}
