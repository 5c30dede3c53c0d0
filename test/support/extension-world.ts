import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionContext } from 'ava';
import type { ProcessingRequest } from '../../src/envoy/index.ts';
import type { Condition } from '../../src/gateway-api/index.ts';
import { serviceObjects } from './http.ts';
import { keyServerAddresses } from './key-server.ts';
import { type Processor, type Reply, startProcessor } from './processor.ts';
import type { StandaloneOptions } from './standalone.ts';
import { neighbours, spellings, startTrafficWorld, type TrafficWorld } from './traffic-world.ts';
import { untilFits } from './until.ts';

const group = 'gateway.networking.k8s.io';

/** What the status of a policy says at the first of its Gateways. */
export function conditionOf(
  { control }: Pick<TrafficWorld, 'control'>,
  policy: string,
  type: string,
): Condition | undefined {
  const status = control.graph.statusOf('ExtensionPolicy', `default/${policy}`);
  return status && 'ancestors' in status
    ? status.ancestors[0]?.conditions.find((condition) => condition.type === type)
    : undefined;
}

/** Targets of each level: what lies on all of its requests, and on those of the route's other rule. */
export const levels = [
  { level: 'Gateway', target: { kind: 'Gateway', name: 'edge' }, isEverywhere: true, hasAll: true },
  {
    level: 'listener',
    target: { kind: 'Gateway', name: 'edge', sectionName: 'http' },
    isEverywhere: true,
    hasAll: true,
  },
  { level: 'route', target: { name: 'web' }, isEverywhere: false, hasAll: true },
  { level: 'rule', target: { name: 'web', sectionName: 'special' }, isEverywhere: false, hasAll: false },
] as const;

/** Status, what the backend saw and what the client got of one request, where extensions write into `x-seen` and `x-answered`. */
export const markedBy =
  (world: TrafficWorld) =>
  async (host: string, path: string): Promise<string> => {
    const { status, headers } = await world.ask(host, { path });
    return `${status} ${world.web.seen.at(-1)?.['x-seen'] ?? ''} ${headers['x-answered'] ?? ''}`;
  };

/** An extension that writes `1` acts on its target's requests and answers, and on no others. */
export async function actsOnItsTarget(
  t: ExecutionContext,
  world: TrafficWorld,
  { isEverywhere, hasAll }: Pick<(typeof levels)[number], 'isEverywhere' | 'hasAll'>,
): Promise<void> {
  const look = markedBy(world);
  for (const host of spellings) {
    t.is(await look(host, '/special'), '200 1 1', host);
    t.is(await look(host, '/'), hasAll ? '200 1 1' : '200  ', host);
  }
  for (const host of neighbours) t.is(await look(host, '/'), isEverywhere ? '200 1 1' : '200  ', host);
}

/** Requests of the target get 503, and those of the other route pass. */
export async function closesItsTargetAlone(t: ExecutionContext, world: TrafficWorld): Promise<void> {
  for (const host of spellings)
    await untilFits(
      `${host} to be closed`,
      async () => (await world.ask(host)).status,
      (status) => status === 503,
    );
  for (const host of neighbours) t.is((await world.ask(host)).status, 200, host);
}

interface Target {
  readonly kind?: string;
  readonly name: string;
  readonly sectionName?: string;
}

/** An ExtensionPolicy with the processor of a Service; the target is an HTTPRoute unless it says otherwise. */
export const processedBy = (
  service: string,
  target: Target | readonly Target[],
  extProc: object = {},
  { name = service, ...more }: { readonly name?: string; readonly onFailure?: 'Reject' | 'Allow' } = {},
) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'ExtensionPolicy',
  metadata: { name },
  spec: {
    targetRefs: [target].flat().map((each) => ({ group, kind: 'HTTPRoute', ...each })),
    // Longer than a busy machine takes.
    extProc: { backendRef: { name: service, port: 80 }, timeout: '5m', ...extProc },
    ...more,
  },
});

/** An ExtensionPolicy with a script. */
export const scripted = (
  name: string,
  target: Target | readonly Target[],
  inline: string | { readonly configMapRef: { readonly name: string; readonly key?: string } },
  more: { readonly onFailure?: 'Reject' | 'Allow' } = {},
) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'ExtensionPolicy',
  metadata: { name },
  spec: {
    targetRefs: [target].flat().map((each) => ({ group, kind: 'HTTPRoute', ...each })),
    lua: typeof inline === 'string' ? { inline } : inline,
    ...more,
  },
});

/** An ExtensionPolicy with a module, and the ConfigMap that has it. */
export const withModule = (
  name: string,
  target: Target | readonly Target[],
  code: Uint8Array,
  {
    onFailure,
    ...wasm
  }: { readonly onFailure?: 'Reject' | 'Allow'; readonly rootId?: string; readonly config?: object } = {},
) => [
  moduleMap(`${name}-code`, code),
  {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'ExtensionPolicy',
    metadata: { name },
    spec: {
      targetRefs: [target].flat().map((each) => ({ group, kind: 'HTTPRoute', ...each })),
      wasm: { configMapRef: { name: `${name}-code`, key: 'module.wasm' }, ...wasm },
      ...(onFailure && { onFailure }),
    },
  },
];

/** A ConfigMap with a module. */
export const moduleMap = (name: string, code: Uint8Array) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  binaryData: { 'module.wasm': Buffer.from(code).toString('base64') },
});

/** A world of traffic whose operator lets proxies run scripts and modules. */
export const startScriptWorld = (
  t: ExecutionContext,
  extensions: object = {},
  {
    files = {},
    ...more
  }: Pick<StandaloneOptions, 'stateDirectory'> & {
    readonly files?: Readonly<Record<string, readonly object[]>>;
  } = {},
): Promise<TrafficWorld> =>
  startTrafficWorld(t, echo, files, {
    ...more,
    allowedAddresses: keyServerAddresses,
    config: { extensions: { lua: true, wasm: true, wasmMaxMiB: 16, ...extensions } },
  });

export interface ExtensionWorld<P extends string> extends TrafficWorld {
  readonly processors: Readonly<Record<P, Processor>>;
}

/** A world of traffic with a processor for each name, behind a Service of that name. */
export async function startExtensionWorld<P extends string>(
  t: ExecutionContext,
  replies: Readonly<Record<P, (request: ProcessingRequest) => Reply>>,
  answer: (request: IncomingMessage, response: ServerResponse) => void = echo,
  more: Readonly<Record<string, readonly object[]>> = {},
): Promise<ExtensionWorld<P>> {
  const names = Object.keys(replies) as P[];
  const started = await Promise.all(names.map(async (name) => [name, await startProcessor(t, replies[name])] as const));
  const services = started.map(([name, { port }]) => [`processor-${name}.yaml`, serviceObjects(name, [port])] as const);
  const world = await startTrafficWorld(t, answer, { ...Object.fromEntries(services), ...more });
  return { ...world, processors: Object.fromEntries(started) as Record<P, Processor> };
}

/** Answers with the body of the request. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => response.setHeader('x-backend', 'web').end(Buffer.concat(chunks)));
}
