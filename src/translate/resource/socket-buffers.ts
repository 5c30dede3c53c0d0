import type { MessageInitShape } from '@bufbuild/protobuf';
import { type SocketOptionSchema, SocketOption_SocketState as State } from '../../envoy/index.ts';

/** Of Linux, whose numbers are those of x86-64 and of arm64. */
const [socketLevel, sendBuffer, receiveBuffer] = [1n, 7n, 8n];

/** What the system may hold of a connection in each direction, in bytes. Set before the handshake, which says how much fits. */
export const socketBuffers = (bytes: number): MessageInitShape<typeof SocketOptionSchema>[] =>
  [sendBuffer, receiveBuffer].map((name) => ({
    level: socketLevel,
    name,
    value: { case: 'intValue', value: BigInt(bytes) },
    state: State.STATE_PREBIND,
  }));
