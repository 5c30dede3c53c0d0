import { type DeltaDiscoveryRequest, type DiscoveryRequest, type Node, typeUrls } from '../../envoy/index.ts';
import { clientText, isPrintable } from '../client-text.ts';
import { limits } from '../limits.ts';
import { cutMark } from '../rejections/split-rejected.ts';
import type { Variant } from './channel.ts';
import { decodeDeltaRequest, decodeSotwRequest } from './protocol.ts';
import { chainVersionsIn } from './sotw-chains.ts';

/** A request of either variant, in one form. */
export interface SessionRequest {
  readonly typeUrl: string;
  readonly nonce: string;
  /** Why the last response was rejected. */
  readonly error?: string;
  /** SotW: all names. */
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** What the client has from an earlier stream, name → version. SotW: filter chains alone. */
  readonly initialVersions: ReadonlyMap<string, string>;
}

/** A decoded request: who asks, which only the first one of a stream must say, and what. */
export interface DecodedRequest {
  readonly node?: Node;
  readonly request: SessionRequest;
}

/** Throws ProtocolError when the bytes are no request of the variant. */
export const decodeRequest = (variant: Variant, bytes: Uint8Array): DecodedRequest =>
  variant === 'delta' ? ofDelta(decodeDeltaRequest(bytes)) : ofSotw(decodeSotwRequest(bytes));

// The mark says that more may have been named: what is behind it is sent again, and judged by itself.
const errorOf = ({ errorDetail }: DeltaDiscoveryRequest | DiscoveryRequest): string | undefined =>
  errorDetail && clientText(errorDetail.message, limits.nackTextRead, cutMark);

/** What a request asks us to keep beyond what any proxy would; undefined: nothing. Not quoted, as it may be long. */
export function excessOf({ typeUrl, nonce, subscribe, unsubscribe }: SessionRequest): string | undefined {
  if (!isPrintable(typeUrl, limits.typeUrlLength))
    return `type_url must be 1 to ${limits.typeUrlLength} printable ASCII characters`;
  if (nonce.length > limits.typeUrlLength) return `response_nonce is longer than ${limits.typeUrlLength} characters`;
  const isLong = (name: string): boolean => name.length > limits.nameLength;
  if (subscribe.some(isLong) || unsubscribe.some(isLong))
    return `a resource name is longer than ${limits.nameLength} characters`;
  return undefined;
}

const ofDelta = (message: DeltaDiscoveryRequest): DecodedRequest => ({
  node: message.node,
  request: {
    typeUrl: message.typeUrl,
    nonce: message.responseNonce,
    error: errorOf(message),
    subscribe: message.resourceNamesSubscribe,
    unsubscribe: message.resourceNamesUnsubscribe,
    initialVersions: new Map(Object.entries(message.initialResourceVersions)),
  },
});

const ofSotw = (message: DiscoveryRequest): DecodedRequest => ({
  node: message.node,
  request: {
    typeUrl: message.typeUrl,
    nonce: message.responseNonce,
    error: errorOf(message),
    subscribe: message.resourceNames,
    unsubscribe: [],
    initialVersions:
      message.responseNonce === '' && message.typeUrl === typeUrls.extension
        ? chainVersionsIn(message.versionInfo, message.resourceNames)
        : new Map(),
  },
});
