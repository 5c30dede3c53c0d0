import { createSocket } from 'node:dgram';
import { connect, type Socket } from 'node:net';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { checkShares } from './check.ts';
import type { StreamRequest } from './example.ts';

/** What a connection or datagram was answered with. */
export interface StreamAnswer {
  /** The Service whose endpoint answered; undefined when the connection was closed silently. */
  readonly backend?: string;
  /** Common name of the served certificate. */
  readonly certificate?: string;
}

/** How long a datagram's answer may take: nothing says that there will be none. */
const datagramMs = 5000;

/** Sends a line to the port of the gateway on this machine. */
export function sendStream({ stream, sni }: StreamRequest, port: number): Promise<StreamAnswer> {
  if (stream === 'udp') return sendDatagram(port);
  const host = '127.0.0.1';
  if (stream === 'tcp') return converse(connect(port, host));
  return converse(tlsConnect({ port, host, rejectUnauthorized: false, ...(sni && { servername: sni }) }));
}

function converse(socket: Socket | TLSSocket): Promise<StreamAnswer> {
  return new Promise((resolve) => {
    let text = '';
    let certificate: string | undefined;
    socket.setEncoding('utf8');
    socket.once('connect', () => socket.write('hello\n'));
    socket.once('secureConnect', () => {
      certificate = String((socket as TLSSocket).getPeerCertificate().subject?.CN);
    });
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    // A reset is a way of closing, and ends with `close` too.
    socket.on('error', () => undefined);
    socket.once('close', () => resolve({ ...(text && { backend: text.trim() }), ...(certificate && { certificate }) }));
  });
}

function sendDatagram(port: number): Promise<StreamAnswer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    const finish = (answer: StreamAnswer) => {
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    };
    const timer = setTimeout(() => finish({}), datagramMs);
    socket.once('error', reject);
    socket.once('message', (message) => finish({ backend: message.toString().trim() }));
    socket.send('hello\n', port, '127.0.0.1');
  });
}

/** What of the answers is not as expected; empty when all is well. */
export function checkStream({ expect }: StreamRequest, answers: readonly StreamAnswer[]): string[] {
  const faults = answers.flatMap(({ backend, certificate }) => [
    ...(!expect.shares && backend !== expect.backend
      ? [`${backend ?? 'no backend'} answered, not ${expect.backend ?? 'no backend'}`]
      : []),
    ...(expect.certificate !== undefined && certificate !== expect.certificate
      ? [`certificate is ${certificate}, not ${expect.certificate}`]
      : []),
  ]);
  const names = answers.map(({ backend }) => backend);
  return [...faults, ...checkShares(expect.shares, names)];
}

/** The request as one line for people. */
export const describeStream = ({ stream, sni, port, expect, repeat }: StreamRequest): string => {
  const to = `${stream} ${sni ? `${sni}:` : ''}${port}${repeat ? ` x${repeat}` : ''}`;
  return `${to} -> ${expect.shares ? Object.keys(expect.shares).join(', ') : (expect.backend ?? 'closed')}`;
};

/** A command that does the same. */
export function streamCommand({ stream, sni, port }: StreamRequest): string {
  if (stream === 'tls')
    return `echo hello | openssl s_client -quiet -connect 127.0.0.1:${port}${sni ? ` -servername ${sni}` : ''}`;
  return `echo hello | nc ${stream === 'udp' ? '-u -w 1 ' : ''}127.0.0.1 ${port}`;
}
