import http from 'node:http';
import test, { type ExecutionContext } from 'ava';
import * as z from 'zod';
import type { Operation } from '../../src/admin/index.ts';
import { errorCodes } from '../../src/admin/index.ts';
import { operations } from '../../src/app/addons/operations.ts';
import { loadConfig } from '../../src/config/index.ts';
import { agentToken } from '../support/agent-world.ts';
import { type ContractLine, type ContractPort, contractLines } from '../support/contract-lines.ts';
import { servedIngress } from '../support/native-ingresses.ts';
import { request } from '../support/request.ts';
import { routeObject, type Standalone, startStandalone, untilRead } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/*
 * Every operation of the API's description, against a control plane with everything real behind it: answers are held against
 * their schemas, and each error that a request can bring about is brought about.
 */

const rule = [{ backendRefs: [{ name: 'one', port: 80 }] }];

async function startWorld(t: ExecutionContext): Promise<Standalone> {
  const standalone = await startStandalone(undefined, {
    config: { ingress: { ...loadConfig(undefined, {}).ingress, enabled: true } },
  });
  t.teardown(() => standalone.stop());
  standalone.write('ingress.yaml', servedIngress('shop', { namespace: 'default', host: 'i.test' }));
  standalone.write('backends.yaml', ...(await standalone.backend('one')));
  standalone.write('route.yaml', routeObject('shop', 'shop.test', rule));
  await untilRead(standalone, ['Ingress', 'default/shop'], ['Service', 'default/one'], ['HTTPRoute', 'default/shop']);
  t.is((await standalone.get('shop.test')).status, 200);
  return standalone;
}

const isDeletion = ({ method }: Operation): boolean => method === 'delete';

/** Where an operation is answered. */
interface Ports {
  readonly layout1: number;
  readonly layout2: number;
  readonly agent: number;
}

const portOf = ({ tag }: Operation, ports: Ports): number => {
  if (tag === 'Layout 2, data plane') return ports.agent;
  return tag.startsWith('Layout 2') ? ports.layout2 : ports.layout1;
};

/** What stands for the parameters of a path: things that are there. */
function named(path: string, nodeId: string): Readonly<Record<string, string>> {
  if (path.startsWith('/v1/listeners')) return { name: 'default.edge.http' };
  if (path.includes('/gateways/')) return { namespace: 'default', name: 'edge' };
  if (path.includes('/backends/')) return { namespace: 'default', name: 'one:80' };
  return { kind: 'HTTPRoute', namespace: 'default', name: 'shop', report: 'status', nodeId, code: 'UF' };
}

const nowhere = {
  kind: 'HTTPRoute',
  namespace: 'nowhere',
  name: 'nowhere',
  report: 'status',
  nodeId: 'nowhere',
  code: 'nowhere',
};

const filled = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? name));

const bodies: Readonly<Record<string, object>> = {
  '/v1/metrics/config': { prometheusUrl: '' },
  '/v1/metrics/query': { query: 'up' },
  '/v1/metrics/query_range': {
    query: 'up',
    start: '2026-01-02T03:00:00Z',
    end: '2026-01-02T04:00:00Z',
    step: '15s',
  },
  '/v1/chatbot/config': { temperature: 0.1 },
  '/v1/chatbot/chat': { prompt: 'Is anything wrong?' },
  '/mcp': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  '/v1/route-test': { host: 'shop.test', path: '/' },
  '/v1/diff': { apiVersion: 'v1', kind: 'List', items: [routeObject('shop', 'other.test', rule)] },
  '/v1/resources': { ...routeObject('extra', 'extra.test', rule), metadata: { namespace: 'default', name: 'extra' } },
};

/** Of what cannot be asked without. */
const queries: Readonly<Record<string, string>> = { '/v1/access': '?route=HTTPRoute/default/shop' };

const bodyOf = ({ path }: Operation): string =>
  JSON.stringify(
    bodies[path] ?? { ...routeObject('shop', 'shop.test', rule), metadata: { namespace: 'default', name: 'shop' } },
  );

test('every operation answers what its description says', async (t) => {
  const { control, agentPort } = await startWorld(t);
  const ports = { ...control.ports, agent: agentPort };
  const nodeId = control.xds.nodes.list()[0]?.nodeId ?? '';
  const send = (operation: Operation, path: string) => ask(ports, operation, path);
  const results = new Map<string, number>();
  // Deleting comes last.
  const [deletions, rest] = [operations.filter(isDeletion), operations.filter((each) => !isDeletion(each))];
  for (const operation of [...rest, ...deletions]) {
    const { method, path, answer, media, errors = [] } = operation;
    const what = `${method} ${path}`;
    if (errors.includes('not_implemented')) {
      t.is((await send(operation, path)).status, 501, what);
      continue;
    }
    // An agent has two seconds, which a machine that stands still does not give it.
    const whole = await untilFits(
      what,
      () => send(operation, filled(path, named(path, nodeId)) + (queries[path] ?? '')),
      ({ status }) => status !== errorCodes.dataplane_unreachable.status,
    );
    t.true(
      whole.status === 200 || (operation.creates === true && whole.status === 201),
      `${what}: ${whole.status} ${whole.body}`,
    );
    if (answer) t.notThrows(() => answer.parse(JSON.parse(whole.body)), what);
    t.regex(whole.type, new RegExp(`^${(media ?? 'application/json').replace(/[/.+]/g, '.')}`), what);
    results.set(what, whole.status);
  }
  t.true(results.size > 40, `${results.size}`);
});

test('every line of the contract is answered, with every field that it names', async (t) => {
  const { control, agentPort } = await startWorld(t);
  const node = control.xds.nodes.list()[0];
  const answered: string[] = [];
  for (const line of contractLines) {
    const ask = () => askLine({ ...control.ports, agent: agentPort }, line, node?.nodeId ?? '');
    // On a busy machine an agent may be too late for its control plane.
    const response = await untilFits(line.path, ask, ({ status }) => status !== 502);
    const body = await response.text();
    const what = `${line.port} ${line.path}`;
    t.is(response.status, 200, `${what}: ${body}`);
    if (line.shape) {
      const { error } = line.shape.safeParse(JSON.parse(body));
      t.is(error && z.prettifyError(error), undefined, what);
    }
    if (line.text) t.regex(body, line.text, what);
    answered.push(what);
  }
  // 29 paths of Layout 1, the metrics, 13 of Layout 2 and 10 of a data plane; some are asked in two ways.
  t.is(new Set(answered).size, contractLines.length);
  t.true(answered.length >= 56, `${answered.length}`);
  // Cross-checking rule 1.
  const applied = await askLine({ ...control.ports, agent: agentPort }, { port: 'agent', path: '/api/v1/status' }, '');
  t.is(((await applied.json()) as { config_version: string }).config_version, control.graph.snapshot()?.id ?? '');
});

const askLine = (ports: Readonly<Record<ContractPort, number>>, { port, path }: ContractLine, nodeId: string) =>
  request(`http://127.0.0.1:${ports[port]}${path.replace('NODE', encodeURIComponent(nodeId))}`, {
    headers: port === 'agent' ? { authorization: `Bearer ${agentToken}` } : {},
  });

test('every operation rejects as its description says', async (t) => {
  const { control, agentPort } = await startWorld(t);
  const ports = { ...control.ports, agent: agentPort };
  const rejected: string[] = [];
  for (const operation of operations) {
    const { method, path, errors = [] } = operation;
    if (errors.includes('not_implemented')) continue;
    const is = async (at: string, codes: readonly string[]): Promise<void> => {
      const { status, body } = await ask(ports, operation, at);
      const { error } = JSON.parse(body) as { error: { code: keyof typeof errorCodes } };
      t.true(codes.includes(error.code), `${method} ${at}: ${body}`);
      t.is(status, errorCodes[error.code].status, `${method} ${at}`);
      rejected.push(`${method} ${at}`);
    };
    const missing = errors.filter((code) => code.endsWith('_not_found') || code === 'path_mismatch');
    if (path.includes('/:') && missing.length > 0) await is(filled(path, nowhere), missing);
    if (errors.includes('route_kind_unknown'))
      await is(filled(path, { ...nowhere, kind: 'nothing' }), ['route_kind_unknown']);
    if (errors.includes('kind_unsupported') && path.includes(':kind'))
      await is(filled(path, { ...nowhere, kind: 'Pod' }), ['kind_unsupported']);
    if (errors.includes('query_invalid'))
      await is(`${filled(path, named(path, 'x'))}?nonsense=1&strict=true`, ['query_invalid', ...missing]);
  }
  t.true(rejected.length > 30, rejected.join('\n'));
});

/** One request with the body that the operation takes; of an endless answer the head is enough. */
async function ask(
  ports: Ports,
  operation: Operation,
  path: string,
): Promise<{ readonly status: number; readonly type: string; readonly body: string }> {
  const url = `http://127.0.0.1:${portOf(operation, ports)}${path}`;
  if (operation.media === 'text/event-stream' && operation.method === 'get' && !path.includes('?')) return head(url);
  const response = await request(url, {
    method: operation.method.toUpperCase(),
    ...(operation.body && { body: bodyOf(operation) }),
    headers: {
      ...(operation.body && { 'content-type': 'application/json' }),
      // Of the three, the agent alone asks for one.
      ...(portOf(operation, ports) === ports.agent && { authorization: `Bearer ${agentToken}` }),
    },
  });
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, body: await response.text() };
}

function head(url: string): Promise<{ readonly status: number; readonly type: string; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const sent = http
      .get(url, { agent: false }, (response) => {
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body: '' });
        response.once('error', () => {}).destroy();
        sent.destroy();
      })
      .once('error', reject);
  });
}
