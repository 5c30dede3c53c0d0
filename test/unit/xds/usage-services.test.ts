import { create, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import {
  RateLimitRequestSchema,
  RateLimitResponseSchema,
  StreamAccessLogsMessage_IdentifierSchema,
  StreamAccessLogsMessageSchema,
} from '../../../src/envoy/index.ts';
import { AdmissionError, type Authenticator, type NodeClaim, usagePaths } from '../../../src/xds/index.ts';
import { startXds } from '../../support/xds.ts';

/** A client's token is the Gateway whose proxy it is. */
const byToken: Authenticator = {
  async admit({ token }) {
    if (token === undefined) throw new AdmissionError('unauthenticated', 'no token');
    if (token === 'later') throw new AdmissionError('unavailable', 'the check is not available');
    return {
      subject: token,
      rejects: (claim) => (claim.cluster === token ? undefined : `${token} is not ${claim.cluster}`),
    };
  },
};

async function world(t: ExecutionContext) {
  const taken: NodeClaim[] = [];
  const keeper = {
    async take(claim: NodeClaim) {
      if (claim.nodeId === 'unlucky') throw new Error('the disk is full');
      taken.push(claim);
    },
    ask: async () => create(RateLimitResponseSchema, { overallCode: 1 }),
  };
  const { port } = await startXds(t, { authenticator: byToken, usage: keeper });
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  t.teardown(() => client.close());
  const metadataOf = (token: string | undefined) => {
    const metadata = new Metadata();
    if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
    return metadata;
  };
  const bytes = (value: Uint8Array) => Buffer.from(value);
  const codeOf = (error: ServiceError | null) => error?.code ?? status.OK;
  return {
    taken,
    report: (token: string | undefined, ...messages: readonly Uint8Array[]): Promise<status> =>
      new Promise((resolve) => {
        const call = client.makeClientStreamRequest(usagePaths.log, bytes, bytes, metadataOf(token), (error) =>
          resolve(codeOf(error)),
        );
        for (const message of messages) call.write(message);
        call.end();
      }),
    ask: (token: string | undefined, request: Uint8Array): Promise<status> =>
      new Promise((resolve) => {
        client.makeUnaryRequest(usagePaths.budget, bytes, bytes, request, metadataOf(token), (error) =>
          resolve(codeOf(error)),
        );
      }),
  };
}

const from = (id: string, cluster: string): Uint8Array => {
  const identifier = create(StreamAccessLogsMessage_IdentifierSchema, { node: { id, cluster }, logName: 'x' });
  return toBinary(StreamAccessLogsMessageSchema, create(StreamAccessLogsMessageSchema, { identifier }));
};

test('a node reports for its own Gateway, and only a proven node is accepted', async (t) => {
  const { report, ask, taken } = await world(t);
  t.is(await report('shop/edge', from('one', 'shop/edge')), status.OK);
  t.deepEqual(taken, [{ nodeId: 'one', cluster: 'shop/edge' }]);
  t.is(await report(undefined, from('one', 'shop/edge')), status.UNAUTHENTICATED);
  t.is(await report('later', from('one', 'shop/edge')), status.UNAVAILABLE);
  t.is(await report('bank/edge', from('one', 'shop/edge')), status.PERMISSION_DENIED);
  t.is(await report('shop/edge'), status.INVALID_ARGUMENT);
  t.is(await report('shop/edge', from('', 'shop/edge')), status.INVALID_ARGUMENT);
  t.is(await report('shop/edge', Buffer.from([0xff, 0xff])), status.INVALID_ARGUMENT);
  // What could not be kept is not answered as if it were: it comes again.
  t.is(await report('shop/edge', from('unlucky', 'shop/edge')), status.INTERNAL);
  t.is(taken.length, 1);
  const about = (domain: string) => toBinary(RateLimitRequestSchema, create(RateLimitRequestSchema, { domain }));
  const request = about('gatewright.ai');
  t.is(
    await ask('shop/edge', about('gatewright.limits')),
    status.UNIMPLEMENTED,
    'of an agent that does not know these',
  );
  t.is(await ask('shop/edge', request), status.OK);
  t.is(await ask(undefined, request), status.UNAUTHENTICATED);
});
