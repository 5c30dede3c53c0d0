import { Agent, get } from 'node:http';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import { cpuNs, workersNs } from '../envoy-floor/process-cost.ts';
import { podAddress } from '../host/own-network.ts';
import { envoyOf, type Subject } from '../peer/subject.ts';
import { authorityOf } from '../support/ask.ts';
import type { Patience } from '../support/patience.ts';
import type { Case } from './cases.ts';
import { TimedClient } from './client.ts';
import { hostOf, type Ports } from './objects.ts';

/** What one burst of requests to a host took. */
export interface Sample {
  /** Of Envoy’s workers, microseconds for each request. */
  readonly envoyUs: number;
  /** Of the agent, where there is one, which checks passwords. */
  readonly agentUs: number;
  readonly latenciesMs: readonly number[];
  readonly requestsPerSecond: number;
}

/** One subject’s proxy, with a connection pool for each listener and the credentials for each host. */
export class GatewayUnderLoad {
  readonly subject: Subject;
  readonly #ports: Ports;
  readonly #pids: { readonly envoy: number; readonly agent: number | undefined };
  readonly #clients: Readonly<Record<Case['listener'], TimedClient>>;
  readonly #cookies: string;

  private constructor(parts: {
    subject: Subject;
    ports: Ports;
    pids: { readonly envoy: number; readonly agent: number | undefined };
    clients: Readonly<Record<Case['listener'], TimedClient>>;
    cookies: string;
  }) {
    this.subject = parts.subject;
    this.#ports = parts.ports;
    this.#pids = parts.pids;
    this.#clients = parts.clients;
    this.#cookies = parts.cookies;
  }

  /** Waits until every host lets in who shows what it demands, and no stranger. */
  static async open(subject: Subject, ports: Ports, cases: readonly Case[], patience: Patience) {
    const login = cases.find(({ isLogin }) => isLogin);
    const cookies = login ? await logIn(subject, ports, login, patience) : '';
    const { proxy } = await subject.processes();
    const envoy = envoyOf(proxy)?.pid;
    if (envoy === undefined) throw new Error(`${subject.name} has no Envoy`);
    const agent = proxy.find(({ pid, what }) => pid !== envoy && what.startsWith('node'))?.pid;
    const clients = {
      http: await TimedClient.open(ports.http),
      alone: await TimedClient.open(ports.alone),
      https: await TimedClient.open(ports.https, { servername: 'login.example.com' }),
    };
    const opened = new GatewayUnderLoad({ subject, ports, pids: { envoy, agent }, clients, cookies });
    for (const each of cases) await opened.#isInForce(each, patience);
    return opened;
  }

  async burst(each: Case, count: number): Promise<Sample> {
    const { envoy, agent } = this.#pids;
    const before = { envoy: workersNs(envoy), agent: agent ? cpuNs(agent) : 0 };
    const client = this.#clients[each.listener];
    const { latenciesMs, elapsedMs } = await client.burst(count, () => this.#messageOf(each));
    const us = (ns: number) => ns / 1000 / count;
    return {
      envoyUs: us(workersNs(envoy) - before.envoy),
      agentUs: agent ? us(cpuNs(agent) - before.agent) : 0,
      latenciesMs,
      requestsPerSecond: (count * 1000) / elapsedMs,
    };
  }

  close(): void {
    for (const client of Object.values(this.#clients)) client.close();
  }

  #messageOf(each: Case): string {
    const credentials = each.isLogin ? `cookie: ${this.#cookies}\r\n` : (each.headers?.() ?? '');
    return `GET / HTTP/1.1\r\nhost: ${this.#authorityOf(each)}\r\n${credentials}\r\n`;
  }

  #authorityOf(each: Case): string {
    const { listener } = each;
    return authorityOf(hostOf(each), { port: this.#ports[listener], tls: listener === 'https' });
  }

  async #isInForce(each: Case, patience: Patience): Promise<void> {
    const client = this.#clients[each.listener];
    const passes = () =>
      client
        .burst(1, () => this.#messageOf(each))
        .then(
          () => true,
          () => false,
        );
    await patience.until(`${this.subject.name}: ${each.name}: answers 200`, passes);
    const stranger = each.key === 'address' ? podAddress(1) : '127.0.0.1';
    // Who is logged in was sent to the provider before.
    if (!each.headers && each.key !== 'address') return;
    const keepsOut = async () => {
      const status = await this.#statusOf(each, stranger);
      return status === 401 || status === 403;
    };
    await patience.until(`${this.subject.name}: ${each.name}: lets no stranger in`, keepsOut);
  }

  /** Of a request without credentials. */
  #statusOf(each: Case, localAddress: string): Promise<number> {
    const agent = new Agent({ keepAlive: false });
    const headers = { host: this.#authorityOf(each) };
    return new Promise((resolve) => {
      get({ host: '127.0.0.1', port: this.#ports[each.listener], localAddress, headers, agent }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      }).once('error', () => resolve(0));
    });
  }
}

/** @returns a browser’s cookies, as it sends them */
async function logIn(subject: Subject, ports: Ports, login: Case, patience: Patience): Promise<string> {
  const browser = new ScriptedBrowser();
  const url = new URL(`https://${hostOf(login)}:${ports.https}/`);
  const isSentAway = () =>
    browser.ask(url).then(
      ({ status }) => status === 302,
      () => false,
    );
  await patience.until(`${subject.name} sends browsers to the provider`, isSentAway);
  const page = await browser.logIn(url, 'ann');
  if (page.status !== 200)
    throw new Error(`${subject.name}: a login ends with ${page.status} ${page.body.slice(0, 200)}`);
  return browser
    .cookiesFor(url)
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
}
