import http from 'node:http';
import https from 'node:https';
import { Calls } from './calls.ts';
import type { Holder, ModelCertificates } from './certificates.ts';
import { tokenText } from './credentials.ts';
import type { Ports } from './objects.ts';
import { placeOf } from './places.ts';
import { hostOf } from './request-facts.ts';
import type { Ask, World } from './world.ts';

/** Sends the model's requests, over connections that are kept. */
export class Asking {
  readonly #ports: Ports;
  readonly #certificates: ModelCertificates;
  readonly #plain = new http.Agent({ keepAlive: true, maxSockets: 16 });
  /** By what is shown in the handshake: the client's certificate, and the host's domain. */
  readonly #tls = new Map<string, https.Agent>();
  readonly #calls = new Calls(2);

  constructor(ports: Ports, certificates: ModelCertificates) {
    this.#ports = ports;
    this.#certificates = certificates;
  }

  /** The status, and behind 200 which credentials were seen by the backend, or by a server that was asked: `200 key token`. Of calls see Calls.call. */
  ask(world: World, host: number, ask: Ask): Promise<string> {
    return ask.isCall ? this.#call(world, host, ask) : this.#request(world, host, ask);
  }

  #call(world: World, host: number, ask: Ask): Promise<string> {
    const { certificate } = ask;
    const servername = `any.${placeOf(host).domain}`;
    const way = certificate
      ? { port: this.#ports.tls, tls: { servername, shown: this.#certificates.of(certificate) } }
      : { port: this.#ports.plain };
    return this.#calls.call(way, { authority: hostOf(world, host, ask), ...sentBy(ask) });
  }

  #request(world: World, host: number, ask: Ask): Promise<string> {
    const { path, headers: shown } = sentBy(ask);
    const headers = { ...shown, host: hostOf(world, host, ask) };
    const { certificate, method } = ask;
    const to = certificate
      ? { module: https, port: this.#ports.tls, agent: this.#agentOf(certificate, placeOf(host).domain) }
      : { module: http, port: this.#ports.plain, agent: this.#plain };
    return new Promise((resolve, reject) => {
      to.module
        .request({ host: '127.0.0.1', port: to.port, path, method, headers, agent: to.agent }, (response) => {
          const { 'x-saw': saw = '' } = response.headers;
          response.resume().once('end', () => resolve(`${response.statusCode} ${saw}`.trim()));
        })
        .once('error', reject)
        .end();
    });
  }

  #agentOf(holder: Holder, domain: string): https.Agent {
    const name = `${holder} ${domain}`;
    const known = this.#tls.get(name);
    if (known) return known;
    const shown = this.#certificates.of(holder);
    const made = new https.Agent({
      keepAlive: true,
      maxSockets: 8,
      servername: `any.${domain}`,
      rejectUnauthorized: false,
      ...(shown && { cert: shown.certificatePem, key: shown.keyPem }),
    });
    this.#tls.set(name, made);
    return made;
  }

  stop(): void {
    this.#plain.destroy();
    this.#calls.stop();
    for (const agent of this.#tls.values()) agent.destroy();
  }
}

/** The path with its query, and what is shown in headers. */
function sentBy(ask: Ask) {
  const { path, key, token, user, origin, referer, forwardedFor, consent, team } = ask;
  const text = token && tokenText(token.name);
  const query = [
    ...(key?.in === 'query' ? [`key=${key.value}`] : []),
    ...(token?.in === 'query' ? [`token=${text}`] : []),
  ].join('&');
  const cookie = [
    ...(key?.in === 'cookie' ? [`key=${key.value}`] : []),
    ...(token?.in === 'cookie' ? [`token=${text}`] : []),
  ].join('; ');
  const headers: Record<string, string> = {
    ...(user && { authorization: `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}` }),
    ...(token?.in === 'authorization' && { authorization: `Bearer ${text}` }),
    ...(token?.in === 'x-token' && { 'x-token': text }),
    ...(key?.in.startsWith('x-') && { [key.in]: key.value }),
    ...(cookie && { cookie }),
    ...(forwardedFor && { 'x-forwarded-for': forwardedFor }),
    ...(origin && { origin }),
    ...(referer && { referer }),
    ...(consent && { 'x-consent': consent }),
    ...(team && { 'x-team': team }),
  };
  return { headers, path: query ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path };
}
