import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLogger } from '../src/telemetry/index.ts';
import { browse } from './example/browse.ts';
import { check } from './example/check.ts';
import { missingCopies } from './example/copies.ts';
import { describeRequest } from './example/describe-request.ts';
import type { Example, ExampleRequest, StreamRequest } from './example/example.ts';
import { exampleDirectory, startExample } from './example/gateway.ts';
import { sendGrpc } from './example/grpc-echo.ts';
import { sendByHttp3 } from './example/http3.ts';
import type { RunningExample } from './example/running-example.ts';
import { send } from './example/send.ts';
import { checkStream, describeStream, sendStream, streamCommand } from './example/stream-request.ts';

/**
 * usage: example.ts NAME          starts the example, sends its requests, checks the answers, stops; exit code 0 or 1
 *        example.ts NAME --keep   starts it on the ports it names, prints what to try, stops at Ctrl-C
 */
const [name = '', flag] = process.argv.slice(2);
const file = join(exampleDirectory(name), 'example.ts');
if (name === '' || !existsSync(file)) {
  const known = readdirSync(exampleDirectory('')).filter((entry) =>
    existsSync(join(exampleDirectory(entry), 'example.ts')),
  );
  process.stderr.write(`example: ${name ? `there is no example ${name}` : 'name an example'}: ${known.join(', ')}\n`);
  process.exit(2);
}
const { example } = (await import(pathToFileURL(file).href)) as { readonly example: Example };
const keep = flag === '--keep';
const logger = createLogger({ level: keep ? 'info' : 'warn', format: 'pretty' });
try {
  const running = await startExample({ name, example, logger, inPlace: keep });
  try {
    if (keep) await serve(running);
    else process.exitCode = (await sendAll(running)) ? 0 : 1;
  } finally {
    await running.stop();
  }
} catch (error) {
  process.stderr.write(`example ${name}: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
process.exit();

async function serve({ control }: RunningExample): Promise<void> {
  const lines = example.requests.map((request) => `  ${'stream' in request ? streamCommand(request) : curl(request)}`);
  process.stdout.write(`\nReady. Try:\n${lines.join('\n')}\n`);
  process.stdout.write(`  curl -s http://127.0.0.1:${control.ports.layout1}/v1/summary\n`);
  const { login } = example;
  if (login) process.stdout.write(`\nLog in with a browser, by any name: https://${login.hosts[0]}:${login.port}/\n`);
  process.stdout.write(`\nSee it in a browser: http://127.0.0.1:${control.ports.layout1}/\n`);
  process.stdout.write(`\nEdit a file in examples/${name} and ask again. Ctrl-C stops everything.\n\n`);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

function curl({ scheme = 'http', host, port, path, headers = {}, http3 }: ExampleRequest): string {
  const extra = Object.entries(headers).map(([key, value]) => `-H '${key}: ${value}' `);
  const version = http3 ? '--http3-only ' : '';
  const insecure = scheme === 'https' ? '-k ' : '';
  return `curl -s -i ${version}${insecure}${extra.join('')}--resolve ${host}:${port}:127.0.0.1 '${scheme}://${host}:${port}${path}'`;
}

async function sendAll(running: RunningExample): Promise<boolean> {
  let good = true;
  for (const request of example.requests) {
    const { what, faults } = await tryOne(request, running);
    good &&= faults.length === 0;
    process.stdout.write(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${what}\n`);
    for (const fault of faults) process.stdout.write(`     ${fault}\n`);
  }
  const { lines, faults } = (await example.after?.(running)) ?? { lines: [], faults: [] };
  for (const line of lines) process.stdout.write(`${line}\n`);
  for (const fault of faults) process.stdout.write(`FAIL ${fault}\n`);
  return good && faults.length === 0;
}

interface Tried {
  /** The request and what is expected, for people. */
  readonly what: string;
  readonly faults: readonly string[];
}

function tryOne(request: ExampleRequest | StreamRequest, running: RunningExample): Promise<Tried> {
  return 'stream' in request ? tryStream(request, running.ports) : tryRequest(request, running);
}

async function tryRequest(request: ExampleRequest, { ports, received, stopBackend }: RunningExample): Promise<Tried> {
  const before = new Map(received);
  const port = ports.get(request.port) ?? request.port;
  const sendOne = (each: ExampleRequest) => senderOf(each)(each, port);
  const answers = await browse(request, { sendOne, stopBackend });
  const what = describeRequest(request, answers);
  return { what, faults: [...check(request, answers, ports), ...(await missingCopies(request, before, received))] };
}

function senderOf({ grpc, http3 }: ExampleRequest) {
  if (http3) return sendByHttp3;
  return grpc ? sendGrpc : send;
}

async function tryStream(request: StreamRequest, ports: ReadonlyMap<number, number>): Promise<Tried> {
  const answers = await repeated(request, ports, (port) => sendStream(request, port));
  return { what: describeStream(request), faults: checkStream(request, answers) };
}

async function repeated<T>(
  { port, repeat = 1 }: { readonly port: number; readonly repeat?: number },
  ports: ReadonlyMap<number, number>,
  sendOne: (port: number) => Promise<T>,
): Promise<T[]> {
  const answers: T[] = [];
  for (let sent = 0; sent < repeat; sent++) answers.push(await sendOne(ports.get(port) ?? port));
  return answers;
}
