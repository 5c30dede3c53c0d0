import http from 'node:http';
import https from 'node:https';
import type { AskedRequest, SeenAnswer } from '../../../src/ingress/index.ts';

/** Asks Envoy over connections that are kept. */
export class EnvoyClient {
  readonly #agents = [new http.Agent({ keepAlive: true }), new https.Agent({ keepAlive: true })] as const;
  readonly #httpPort: number;
  readonly #httpsPort: number;

  constructor(httpPort: number, httpsPort: number) {
    this.#httpPort = httpPort;
    this.#httpsPort = httpsPort;
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }

  async ask(asked: AskedRequest): Promise<SeenAnswer> {
    try {
      return this.#seen(await this.#send(asked));
    } catch (error) {
      return { status: 0, reason: String((error as NodeJS.ErrnoException).code ?? error), headers: {}, open: [] };
    }
  }

  #send({ method, scheme, host, target, headers, bodyBytes = 0 }: AskedRequest): Promise<http.IncomingMessage> {
    const isTls = scheme === 'https';
    const [plain, secure] = this.#agents;
    const servername = host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
    const options: https.RequestOptions = {
      host: '127.0.0.1',
      port: isTls ? this.#httpsPort : this.#httpPort,
      agent: isTls ? secure : plain,
      method,
      path: target,
      headers: {
        ...Object.fromEntries(headers),
        host,
        ...(bodyBytes > 0 && { 'content-length': bodyBytes, expect: '100-continue' }),
      },
      ...(isTls && { servername, rejectUnauthorized: false }),
    };
    return new Promise((resolve, reject) => {
      const sent = (isTls ? https : http).request(options, resolve);
      sent.on('error', reject);
      if (bodyBytes === 0) sent.end();
      else sent.once('continue', () => sent.end(Buffer.alloc(bodyBytes))).flushHeaders();
    });
  }

  #seen(response: http.IncomingMessage): SeenAnswer {
    const { statusCode = 0, headers } = response;
    response.resume();
    const { 'x-echo-service': service, 'x-echo-target': target } = headers as Readonly<Record<string, string>>;
    const { location } = headers;
    const own = new RegExp(`:(?:${this.#httpPort}|${this.#httpsPort})(?=[/?#]|$)`);
    return {
      status: service === undefined ? statusCode : undefined,
      reason: '',
      ...(location !== undefined && { location: location.replace(own, '') }),
      headers: headers as Readonly<Record<string, string>>,
      ...(service !== undefined && { backends: { [service]: 1 } }),
      ...(target !== undefined && { target }),
      open: [],
    };
  }
}
