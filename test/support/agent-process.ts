import { pino } from 'pino';
import { DataPlaneAgent } from '../../src/agent/index.ts';
import { until } from './envoy.ts';

// An agent in a process of its own, to be killed. Prints its Envoy's process id when that answers.

const agent = new DataPlaneAgent({
  nodeId: 'to-be-killed',
  cluster: 'test/edge',
  version: '0.0.0',
  xdsAddress: '127.0.0.1:1',
  adminListen: { host: '127.0.0.1', port: 0 },
  envoyPath: process.env.AGENT_ENVOY ?? '',
  workDir: process.env.AGENT_WORK_DIR,
  concurrency: 1,
  logger: pino({ level: 'silent' }),
});
await agent.start();
await until('Envoy to answer', async () => (await agent.state()).envoy.state !== '', 30_000);
process.stdout.write(`${agent.envoyPid}\n`);
