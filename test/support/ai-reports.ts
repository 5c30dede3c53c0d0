import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, credentials } from '@grpc/grpc-js';
import { aiHeaders, aiLogs, budgetDescriptor } from '../../src/contracts/index.ts';
import {
  HTTPAccessLogEntrySchema,
  packAny,
  RateLimitRequestSchema,
  RateLimitResponseSchema,
  StreamAccessLogsMessageSchema,
  TokenUsageSchema,
} from '../../src/envoy/index.ts';
import { usagePaths } from '../../src/xds/index.ts';
import type { TestReplica } from './replica.ts';
import { until } from './until.ts';

/** A proxy's report of one request: what its client asked, and what a provider was asked because of it. */
export function message(id: string, tokens: bigint, budget?: string, only?: 'request' | 'attempt'): Uint8Array {
  const startTime = { seconds: BigInt(Math.floor(Date.now() / 1000)), nanos: 0 };
  const usage = create(TokenUsageSchema, { model: 'm', inputTokens: tokens, outputTokens: 1n, extractionStatus: 1 });
  const entry = [
    create(HTTPAccessLogEntrySchema, {
      commonProperties: {
        startTime,
        routeName: 'model m',
        customTags: { kind: 'request' },
        upstreamRequestAttemptCount: 1,
      },
      request: { requestHeaders: { [aiHeaders.id]: id, [aiHeaders.model]: 'm', [aiHeaders.route]: 'httproute/a/b' } },
      response: { responseCode: 200 },
    }),
    create(HTTPAccessLogEntrySchema, {
      commonProperties: {
        startTime,
        routeName: 'chat',
        customTags: { kind: 'attempt', subject: 'default/openai' },
        metadata: {
          filterMetadata: {
            [aiLogs.attempt]: {
              id,
              model: 'm',
              route: 'httproute/a/b',
              ...(budget !== undefined && { budgets: encodeURIComponent(budget) }),
            },
          },
          typedFilterMetadata: { 'envoy.ai.token_usage': packAny(TokenUsageSchema, usage) },
        },
      },
      response: { responseCode: 200 },
    }),
  ];
  return toBinary(
    StreamAccessLogsMessageSchema,
    create(StreamAccessLogsMessageSchema, {
      identifier: { node: { id: 'node-1', cluster: 'default/edge' }, logName: 'x' },
      logEntries: {
        case: 'httpLogs',
        value: {
          logEntry: entry.filter(
            ({ commonProperties }) => only === undefined || commonProperties?.customTags.kind === only,
          ),
        },
      },
    }),
  );
}

export function report({ control }: TestReplica, bytes: Uint8Array): Promise<void> {
  const client = new Client(`127.0.0.1:${control.ports.xds}`, credentials.createInsecure());
  const raw = (value: Uint8Array) => Buffer.from(value);
  return new Promise<void>((resolve, reject) => {
    const call = client.makeClientStreamRequest(usagePaths.log, raw, raw, (error) =>
      error ? reject(error) : resolve(),
    );
    call.end(bytes);
  }).finally(() => client.close());
}

/** What a replica answers to a request of route a/b. `id`: its name. */
export async function judged({ control }: TestReplica, team: string, id?: string): Promise<number> {
  const entries = [
    ...(id === undefined ? [] : [{ key: budgetDescriptor.id, value: id }]),
    { key: budgetDescriptor.route, value: 'httproute/a/b' },
    { key: `${budgetDescriptor.header}x-team`, value: team },
  ];
  const request = create(RateLimitRequestSchema, { domain: budgetDescriptor.domain, descriptors: [{ entries }] });
  const client = new Client(`127.0.0.1:${control.ports.xds}`, credentials.createInsecure());
  const raw = (value: Uint8Array) => Buffer.from(value);
  const answer = await new Promise<Uint8Array>((resolve, reject) => {
    const bytes = toBinary(RateLimitRequestSchema, request);
    client.makeUnaryRequest(usagePaths.budget, raw, raw, bytes, (error, value) =>
      error ? reject(error) : resolve(value as Buffer),
    );
  });
  client.close();
  return fromBinary(RateLimitResponseSchema, answer).overallCode;
}

/** As an agent does: again until it is kept. */
export const reportUntilKept = (replica: TestReplica, bytes: Uint8Array): Promise<unknown> =>
  until('the report to be kept', async () => {
    await report(replica, bytes);
    return true;
  });
