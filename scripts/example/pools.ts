import type { Document } from 'yaml';
import { freePort } from '../free-port.ts';
import type { Example } from './example.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { podsIn, poolsIn } from './manifests.ts';
import type { Pick, PickRequest } from './picker-server.ts';

/** Fake model servers of an example's pools, and what their pickers do. */
export interface StartedPools {
  /** By the name of the Pod. */
  readonly servers: ReadonlyMap<string, FakeProvider>;
  /** By the name of the picker's Service. */
  readonly pickers: ReadonlyMap<string, (request: PickRequest) => Pick>;
  /** From the port that a pool writes to the one in use. */
  readonly ports: ReadonlyMap<number, number>;
}

/** Says what a request is worth, in the words of the Inference Extension. */
const objectiveHeader = 'x-gateway-inference-objective';

/** All Pods of a pool have one port, at addresses of their own. */
export async function startPools(
  { pools = [] }: Example,
  documents: readonly Document[],
  inPlace: boolean,
): Promise<StartedPools> {
  const servers = new Map<string, FakeProvider>();
  const pickers = new Map<string, (request: PickRequest) => Pick>();
  const ports = new Map<number, number>();
  for (const { name, port: written, picker, labels } of poolsIn(documents)) {
    if (!pools.includes(name)) continue;
    const port = inPlace ? written : await freePort();
    ports.set(written, port);
    const members = new Map<string, FakeProvider>();
    for (const pod of podsIn(documents, labels)) {
      const server = await startFakeProvider('openai', { address: pod.address, port });
      servers.set(pod.name, server);
      members.set(`${pod.address}:${port}`, server);
    }
    if (picker !== undefined) pickers.set(picker, pickAmong(members));
  }
  return { servers, pickers, ports };
}

/** The server that has answered least; none for work that can wait, as if the pool was full. */
const pickAmong =
  (members: ReadonlyMap<string, FakeProvider>) =>
  ({ headers }: PickRequest): Pick => {
    if (headers[objectiveHeader] === 'batch') return { status: 429, body: 'the pool is full' };
    const [least] = [...members].sort(([, a], [, b]) => a.ledger.length - b.ledger.length);
    return { endpoint: least?.[0] ?? '' };
  };
