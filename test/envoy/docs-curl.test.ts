import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import { errorCodes } from '../../src/admin/index.ts';
import { agentToken } from '../support/agent-world.ts';
import { routeObject, type Standalone, startStandalone, untilRead } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/*
 * The curl lines of the documentation, run as they are written but for the ports, one after the other as a reader would.
 */

const pages = ['docs/admin-api.md', 'docs/managed-resources.md', 'docs/metrics-backend.md', 'docs/chatbot.md'];
const rules = [{ backendRefs: [{ name: 'web', port: 80 }] }];

/** Commands of a page's code blocks that begin with curl; a backslash at the end of a line joins the next. */
const curlLines = (page: string): string[] =>
  [...readFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), 'utf8').matchAll(/^```\w*\n(.*?)^```/gms)]
    .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
    .filter((line) => line.startsWith('curl '));

async function startWorld(t: ExecutionContext): Promise<Standalone> {
  const standalone = await startStandalone();
  t.teardown(() => standalone.stop());
  standalone.write('backends.yaml', ...(await standalone.backend('web')));
  standalone.write('route.yaml', routeObject('web', 'web.test', rules));
  await untilRead(standalone, ['Service', 'default/web'], ['HTTPRoute', 'default/web']);
  return standalone;
}

test('every curl line of the documentation is answered', async (t) => {
  const { control, agentPort } = await startWorld(t);
  const { layout1, layout2, metrics } = control.ports;
  const ports: Readonly<Record<string, number>> = { 18081: layout1, 8081: layout2, 18082: metrics, 8082: agentPort };
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-curl-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const route = routeObject('shop', 'shop.example.com', rules);
  writeFileSync(
    join(directory, 'route.yaml'),
    stringify({ ...route, metadata: { namespace: 'default', name: 'shop' } }),
  );
  let count = 0;
  for (const line of pages.flatMap(curlLines)) {
    // An agent has two seconds to answer the control plane, and an endless answer has three to begin. A machine that stands still gives neither.
    const late: readonly number[] = [errorCodes.dataplane_unreachable.status, 0];
    const { status, text } = await untilFits(
      line,
      () => curl(placed(line, ports), directory),
      (answer) => !late.includes(answer.status),
    );
    t.true(status >= 200 && status < 300, `${line}: ${status} ${text}`);
    count += 1;
  }
  t.true(count >= 12, `${count}`);
});

const placed = (line: string, ports: Readonly<Record<string, number>>): string =>
  line.replace(/(127\.0\.0\.1|localhost):(\d+)/g, (_, host: string, port: string) => `${host}:${ports[port] ?? port}`);

/** Runs a line in a shell. An answer without an end is cut off when its head is there. */
function curl(line: string, cwd: string): Promise<{ readonly status: number; readonly text: string }> {
  const isEndless = line.includes('/v1/events');
  const command = `${line} --silent --write-out '\\n%{http_code}'${isEndless ? ' --max-time 3' : ''}`;
  return new Promise((resolve) => {
    execFile(
      '/bin/sh',
      ['-c', command],
      { cwd, env: { ...process.env, ADMIN_TOKEN: 'any', TOKEN: agentToken } },
      (_, text) => {
        resolve({ status: Number(/(\d{3})\s*$/.exec(text)?.[1] ?? 0), text });
      },
    );
  });
}
