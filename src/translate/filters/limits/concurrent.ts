import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  type ConcurrentBucket,
  type ConcurrentBuckets,
  type ConcurrentKey,
  concurrentMetadata,
  heldService,
} from '../../../contracts/index.ts';
import {
  ProcessingMode_BodySendMode as Body,
  ExternalProcessorFilter_RouteCacheAction,
  ExternalProcessorFilterSchema,
  ProcessingMode_HeaderSendMode as Header,
  packAny,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { durationOf } from '../../resource/index.ts';
import { addressHeader, headerOf } from './keys.ts';

/** The agent answers at once; where it has too little time, requests wait rather than come through uncounted. */
const answerMs = 5000;

/**
 * Opens a stream to the agent for each request, which ends with it: the agent counts those that there are. Envoy keeps it open since it is to say when
 * trailers come, which most answers do not have. It waits for the agent, so it is the last filter of its list.
 */
export function concurrentFilter({ target, buckets }: ir.TargetLimits): Any {
  const value: ConcurrentBuckets = { target, buckets: buckets.map(bucketOf) };
  const names = [...new Set(value.buckets.flatMap(({ key }) => key.map(({ header }) => header)))].sort();
  const named = { patterns: names.map((name) => ({ matchPattern: { case: 'exact' as const, value: name } })) };
  return packAny(
    ExternalProcessorFilterSchema,
    create(ExternalProcessorFilterSchema, {
      grpcService: {
        targetSpecifier: { case: 'envoyGrpc', value: { clusterName: heldService } },
        initialMetadata: [{ key: concurrentMetadata, value: JSON.stringify(value).replaceAll('%', '%%') }],
      },
      failureModeAllow: true,
      messageTimeout: durationOf(answerMs),
      processingMode: {
        requestHeaderMode: Header.SEND,
        responseHeaderMode: Header.SKIP,
        requestBodyMode: Body.NONE,
        responseBodyMode: Body.NONE,
        requestTrailerMode: Header.SKIP,
        responseTrailerMode: Header.SEND,
      },
      forwardRules: names.length > 0 ? { allowedHeaders: named } : { disallowedHeaders: all },
      routeCacheAction: ExternalProcessorFilter_RouteCacheAction.RETAIN,
    }),
  );
}

const all = { patterns: [{ matchPattern: { case: 'safeRegex' as const, value: { regex: '.*' } } }] };

const bucketOf = ({ id, status, concurrent = 0, key, exempt, shadow }: ir.LimitBucket): ConcurrentBucket => ({
  id,
  status,
  most: concurrent,
  key: key.map(keyOf),
  ...(exempt && { exempt }),
  ...(shadow && { shadow }),
});

function keyOf(key: ir.LimitKey): ConcurrentKey {
  switch (key.kind) {
    case 'clientIP':
      return { header: addressHeader, v4Prefix: key.v4Prefix, v6Prefix: key.v6Prefix };
    case 'header':
    case 'cookie':
    case 'query':
      return { header: key.name };
    case 'method':
      return { header: ':method' };
    default:
      return { header: headerOf(key.kind) };
  }
}
