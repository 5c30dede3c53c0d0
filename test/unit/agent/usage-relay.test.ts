import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import test from 'ava';
import { freePort } from '../../../scripts/free-port.ts';
import { plainAccess } from '../../../src/agent/access/index.ts';
import { systemClock } from '../../../src/agent/clock.ts';
import { ControlClient, UsageRelay } from '../../../src/agent/relay/index.ts';
import {
  HTTPAccessLogEntrySchema,
  RateLimitResponseSchema,
  StreamAccessLogsMessageSchema,
} from '../../../src/envoy/index.ts';
import { Backoff } from '../../../src/std/index.ts';
import { createLogger } from '../../../src/telemetry/index.ts';
import { usagePaths, XdsServer } from '../../../src/xds/index.ts';
import { unscraped } from '../../support/metrics.ts';
import { until } from '../../support/until.ts';

test('what Envoy reports without a control plane is sent once there is one, and again when it could not be stored', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-usage-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const port = await freePort();
  const logger = createLogger({ level: 'silent' });
  const relay = new UsageRelay({
    client: new ControlClient({ address: `127.0.0.1:${port}`, access: plainAccess() }),
    others: { takes: () => false, take() {} },
    limits: { answers: () => false },
    nodeId: 'node-1',
    cluster: 'default/edge',
    logger,
    clock: systemClock,
    backoff: new Backoff({ baseMs: 20, maxMs: 100 }),
  });
  const server = new Server();
  relay.serve(server);
  const socket = `unix:${join(directory, 'xds.sock')}`;
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(socket, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve())),
  );
  t.teardown(() => server.forceShutdown());
  const envoy = new Client(socket, credentials.createInsecure());
  t.teardown(() => envoy.close());
  const raw = (bytes: Uint8Array) => Buffer.from(bytes);
  const stream = envoy.makeClientStreamRequest(usagePaths.log, raw, raw, () => {});
  stream.on('error', () => {});
  t.teardown(() => stream.cancel());
  const report = (path: string) => {
    const logEntry = [create(HTTPAccessLogEntrySchema, { request: { path } })];
    const message = create(StreamAccessLogsMessageSchema, { logEntries: { case: 'httpLogs', value: { logEntry } } });
    stream.write(toBinary(StreamAccessLogsMessageSchema, message));
  };
  for (const path of ['/1', '/2', '/3']) report(path);

  const kept: string[] = [];
  let rejections = 2;
  const control = new XdsServer({ logger, metrics: unscraped() });
  control.agentServices.serveUsage({
    async take({ nodeId, cluster }, messages) {
      if (rejections-- > 0) throw new Error('the disk is full');
      t.deepEqual([nodeId, cluster], ['node-1', 'default/edge']);
      for (const { logEntries } of messages) {
        if (logEntries.case === 'httpLogs')
          kept.push(...logEntries.value.logEntry.map(({ request }) => request?.path ?? ''));
      }
    },
    ask: async () => create(RateLimitResponseSchema),
  });
  t.teardown(() => control.close());
  await control.listen(`127.0.0.1:${port}`);
  await until('all to be sent', () => kept.length >= 3);
  report('/4');
  await until('the last one to be sent', () => kept.length >= 4);
  t.deepEqual(kept, ['/1', '/2', '/3', '/4']);
  await relay.stop();
});
