import type { SecureServerOptions } from 'node:http2';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  RateLimitResponse_Code as Code,
  RateLimitRequestSchema,
  RateLimitResponseSchema,
} from '../../src/envoy/index.ts';
import type { Endings } from './endings.ts';
import { type GrpcServer, startGrpcServer } from './grpc-server.ts';

type Answer = MessageInitShape<typeof RateLimitResponseSchema>;

export interface LimitServer extends GrpcServer {
  /** Descriptors that were asked about so far, each as `DOMAIN: KEY=VALUE, …`, with ` xHITS` where it takes more than one. */
  readonly asked: string[];
  /** Descriptors of which nothing is left: begins of such texts. */
  readonly empty: Set<string>;
  /** It takes questions and says nothing. */
  isSilent: boolean;
  /** In place of what it would say. */
  says: Answer | undefined;
}

/** A server of envoy.service.ratelimit.v3.RateLimitService. Ends with the test. */
export async function startLimitServer(t: Endings, tls?: SecureServerOptions): Promise<LimitServer> {
  const state = {
    asked: [] as string[],
    empty: new Set<string>(),
    isSilent: false,
    says: undefined as Answer | undefined,
  };
  const server = await startGrpcServer(
    t,
    (message) => {
      const { domain, descriptors } = fromBinary(RateLimitRequestSchema, message);
      const texts = descriptors.map(({ entries, hitsAddend }) => {
        const list = entries.map(({ key, value }) => `${key}=${value}`).join(', ');
        return `${domain}: ${list}${hitsAddend === undefined ? '' : ` x${hitsAddend}`}`;
      });
      state.asked.push(...texts);
      if (state.isSilent) return undefined;
      const isOver = texts.some((text) => [...state.empty].some((begin) => text.startsWith(begin)));
      const overallCode = isOver ? Code.OVER_LIMIT : Code.OK;
      return toBinary(RateLimitResponseSchema, create(RateLimitResponseSchema, state.says ?? { overallCode }));
    },
    tls,
  );
  return Object.assign(state, server);
}
