import { createSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import { type Answer, decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED, TRUNCATED_RESPONSE } from 'dns-packet';
import { freePort } from '../../scripts/free-port.ts';
import type { Endings } from './endings.ts';

export interface DnsQuestion {
  readonly name: string;
  readonly type: string;
  readonly over: 'udp' | 'tcp';
}

/** What it answers: records, or a code, or nothing at all. */
export type DnsReply = readonly Answer[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence';

/** A name server that gives the answers it is configured with. */
export interface LyingDns {
  readonly host: string;
  readonly port: number;
  /** All that it was asked so far. */
  readonly asked: readonly DnsQuestion[];
  /** What it says of a name from now on; of others it says `otherwise`, which is that there are none. */
  set(name: string, reply: DnsReply | ((question: DnsQuestion) => DnsReply)): void;
  stop(): Promise<void>;
}

const rcodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 } as const;
const longestUdp = 1232;

/** Records of a name with addresses, of their family each. */
export const addresses =
  (name: string, list: readonly string[], ttl = 1) =>
  ({ type }: DnsQuestion): Answer[] =>
    list
      .filter((address) => address.includes(':') === (type === 'AAAA'))
      .map((data) => ({ type: type as 'A' | 'AAAA', name, ttl, data }));

/** On UDP and TCP of one port; it goes with the test. */
export async function startLyingDns(
  t: Endings,
  { host = '127.0.0.1', otherwise = 'NXDOMAIN' as DnsReply } = {},
): Promise<LyingDns> {
  const asked: DnsQuestion[] = [];
  const replies = new Map<string, DnsReply | ((question: DnsQuestion) => DnsReply)>();
  const sockets = new Set<Socket>();
  const answer = (message: Buffer, over: 'udp' | 'tcp'): Buffer | undefined => {
    const query = decode(message);
    const [{ name = '', type = 'A' } = {}] = query.questions ?? [];
    const question = { name: name.toLowerCase(), type, over };
    asked.push(question);
    const found = replies.get(question.name) ?? otherwise;
    const reply = typeof found === 'function' ? found(question) : found;
    if (reply === 'silence') return undefined;
    const [code, answers] = typeof reply === 'string' ? ([reply, []] as const) : (['NOERROR', [...reply]] as const);
    const flags = RECURSION_DESIRED | RECURSION_AVAILABLE | rcodes[code];
    const base = { type: 'response', id: query.id, questions: query.questions } as const;
    const whole = encode({ ...base, flags, answers: [...answers] });
    if (over === 'tcp' || whole.length <= longestUdp) return whole;
    return encode({ ...base, flags: flags | TRUNCATED_RESPONSE });
  };
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      const sent = answer(bytes.subarray(2), 'tcp');
      if (!sent) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(sent.length);
      socket.write(Buffer.concat([length, sent]));
    });
  });
  const claimed = await freePort();
  await new Promise<void>((resolve) => tcp.listen(claimed, host, resolve));
  const { port } = tcp.address() as { readonly port: number };
  const udp = createSocket('udp4');
  udp.on('message', (message, from) => {
    const sent = answer(message, 'udp');
    if (sent) udp.send(sent, from.port, from.address);
  });
  await new Promise<void>((resolve) => udp.bind(port, host, resolve));
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    for (const socket of sockets) socket.destroy();
    udp.close();
    await new Promise((resolve) => tcp.close(resolve));
  };
  t.teardown(stop);
  return { host, port, asked, set: (name, reply) => void replies.set(name, reply), stop };
}
