import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import test, { type ExecutionContext } from 'ava';
import { tools } from '../../src/addons/chatbot/index.ts';
import { programFile } from '../support/program.ts';
import { type RequestOptions, request } from '../support/request.ts';
import { routeObject, type Standalone, startStandalone, untilCurrent } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

/*
 * The chat's tools by the Model Context Protocol, over HTTP and over standard input and output, of a running gateway.
 */

async function startWorld(t: ExecutionContext): Promise<Standalone> {
  const standalone = await startStandalone();
  t.teardown(() => standalone.stop());
  standalone.write('backends.yaml', ...(await standalone.backend('one')));
  standalone.write('route.yaml', routeObject('shop', 'shop.test', [{ backendRefs: [{ name: 'one', port: 80 }] }]));
  const { graph } = standalone.control;
  await until('both files to be read', () => graph.count('EndpointSlice') === 1 && graph.count('HTTPRoute') === 1);
  await untilCurrent(standalone);
  return standalone;
}

interface Reply {
  readonly id?: number;
  readonly result?: {
    readonly serverInfo?: { readonly name: string };
    readonly tools?: readonly { readonly name: string; readonly annotations: object; readonly inputSchema: object }[];
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const call = (id: number, name: string, given: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** One reply, whether it comes as JSON or as an event. */
async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  const [, data = text] = /^data: (.*)$/m.exec(text) ?? [];
  return JSON.parse(data) as Reply;
}

function judge(t: ExecutionContext, listed: Reply, explained: Reply, wrong: Reply): void {
  t.deepEqual(
    listed.result?.tools?.map(({ name }) => name),
    tools.map(({ name }) => name),
  );
  for (const { name, annotations } of listed.result?.tools ?? []) t.like(annotations, { readOnlyHint: true }, name);
  t.not(explained.result?.isError, true);
  t.like(JSON.parse(explained.result?.content?.[0]?.text ?? '{}'), { outcome: 'forward', route: { name: 'shop' } });
  t.true(wrong.result?.isError);
  t.regex(wrong.result?.content?.[0]?.text ?? '', /route_not_found/);
}

test('MCP over HTTP lists and calls the tools', async (t) => {
  const standalone = await startWorld(t);
  const url = `http://127.0.0.1:${standalone.control.ports.layout1}/mcp`;
  const send = (body: object, headers: RequestOptions['headers'] = {}) =>
    request(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    });
  t.is((await replyOf(await send(initialize))).result?.serverInfo?.name, 'gatewright');
  const listed = await replyOf(await send({ jsonrpc: '2.0', id: 2, method: 'tools/list' }));
  const given = { host: 'shop.test', path: '/', port: standalone.port };
  const explained = await replyOf(await send(call(3, 'explain_request', given)));
  judge(t, listed, explained, await replyOf(await send(call(4, 'get_route', { name: 'nowhere' }))));
  t.is((await send(initialize, { origin: 'https://elsewhere.example' })).status, 403);
  t.is((await request(url)).status, 405);
});

test('MCP over standard input and output asks a running control plane', async (t) => {
  const standalone = await startWorld(t);
  const server = `http://127.0.0.1:${standalone.control.ports.layout1}`;
  const child = spawn(process.execPath, [programFile, 'mcp', '--server', server], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const replies = new Map<number, Reply>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = JSON.parse(line) as Reply;
    if (reply.id !== undefined) replies.set(reply.id, reply);
  });
  const send = (...messages: readonly object[]) => {
    for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  const replied = (id: number): Promise<Reply> =>
    untilFits(
      `reply ${id}`,
      () => replies.get(id) ?? {},
      (reply) => reply.id === id,
    );
  send(initialize);
  t.is((await replied(1)).result?.serverInfo?.name, 'gatewright');
  send(
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    call(3, 'explain_request', { host: 'shop.test', path: '/', port: standalone.port }),
    call(4, 'get_route', { name: 'nowhere' }),
  );
  judge(t, await replied(2), await replied(3), await replied(4));
  const ended = once(child, 'exit');
  child.stdin.end();
  t.deepEqual(await ended, [0, null]);
});
