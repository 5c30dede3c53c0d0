import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type CheckRequest, CheckRequestSchema, CheckResponseSchema } from '../../src/envoy/index.ts';
import type { Endings } from './endings.ts';
import { startGrpcServer } from './grpc-server.ts';

export interface GrpcAuthServer {
  readonly port: number;
  /** What was asked so far. */
  readonly asked: readonly CheckRequest[];
}

/** A server of envoy.service.auth.v3.Authorization. Ends with the test. */
export async function startGrpcAuth(
  t: Endings,
  answer: (request: CheckRequest) => MessageInitShape<typeof CheckResponseSchema>,
): Promise<GrpcAuthServer> {
  const asked: CheckRequest[] = [];
  const { port } = await startGrpcServer(t, (message) => {
    const check = fromBinary(CheckRequestSchema, message);
    asked.push(check);
    return toBinary(CheckResponseSchema, create(CheckResponseSchema, answer(check)));
  });
  return { port, asked };
}
