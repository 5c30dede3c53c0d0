import { type Server, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { type LimitGrants, type LimitTake, type LimitTakes, takeLimits } from '../../contracts/index.ts';
import { limitService } from '../methods/index.ts';
import { type AgentCallOptions, admit, answering, claimOf, decoded, Rejected } from './agent-calls.ts';

/** Keeps the rate limits that all proxies of a Gateway share. */
export interface LimitKeeper {
  take(takes: Omit<LimitTakes, 'nodeId'>): Promise<LimitGrants>;
}

export interface LimitServiceOptions extends AgentCallOptions {
  readonly keeper: LimitKeeper;
}

/** What a message of the most takes may hold. */
const maxBytes = 2 * 1024 * 1024;

/** Serves what agents take from shared limits, beside xDS: a node takes from those of its own Gateway. */
export function serveLimits(server: Server, options: LimitServiceOptions): void {
  server.addService(limitService, {
    Take: (call: ServerUnaryCall<Uint8Array, Uint8Array>, done: sendUnaryData<Uint8Array>) => {
      void answering(call, done, { log: options.log, what: 'use of rate limits' }, async () => {
        const admission = await admit(call, options);
        if (call.request.length > maxBytes)
          throw new Rejected(status.RESOURCE_EXHAUSTED, `more than ${maxBytes} bytes in one message`);
        const { nodeId, cluster, takes } = decoded(() => messageOf(JSON.parse(Buffer.from(call.request).toString())));
        const claim = claimOf({ id: nodeId, cluster }, admission, 'the message must carry nodeId and cluster');
        if (takes.length > takeLimits.takes)
          throw new Rejected(status.RESOURCE_EXHAUSTED, `more than ${takeLimits.takes} takes in one message`);
        const read = decoded(() => takes.map(takeOf));
        return Buffer.from(JSON.stringify(await options.keeper.take({ cluster: claim.cluster, takes: read })));
      });
    },
  });
}

interface Message {
  readonly nodeId: unknown;
  readonly cluster: unknown;
  readonly takes: readonly Take[];
}

type Take = Partial<Record<keyof LimitTake, unknown>> | null;

function messageOf(value: Partial<Message> | null): Message {
  const { nodeId, cluster, takes } = value ?? {};
  if (!Array.isArray(takes)) throw new Error('takes is no list');
  return { nodeId, cluster, takes };
}

/** What an agent says of its own Gateway is believed within bounds. */
function takeOf(take: Take): LimitTake {
  const { bucket, key, wanted, least, used, back, owner, debts } = take ?? {};
  if (!Array.isArray(debts) || debts.length > takeLimits.windows) throw new Error('debts is no list of numbers');
  return {
    bucket: text(bucket, 'bucket'),
    key: text(key, 'key'),
    wanted: tokens(wanted, 'wanted'),
    ...(least !== undefined && { least: tokens(least, 'least') }),
    ...(used !== undefined && { used: tokens(used, 'used') }),
    back: tokens(back, 'back'),
    owner: text(owner, 'owner'),
    debts: debts.map((debt) => number(debt, 'debts')),
  };
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.length > takeLimits.textLength)
    throw new Error(`${what} is no text, or too long`);
  return value;
}

function number(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw new Error(`${what} is no number`);
  return value;
}

function tokens(value: unknown, what: string): number {
  const read = number(value, what);
  if (!Number.isInteger(read) || read > takeLimits.tokens) throw new Error(`${what} is no number of requests`);
  return read;
}
