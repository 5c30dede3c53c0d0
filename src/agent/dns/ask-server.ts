import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { type DecodedPacket, decode, encode, type Packet, RECURSION_DESIRED } from 'dns-packet';

export type AddressType = 'A' | 'AAAA';

/** Where a name server is. */
export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

export interface NameQuestion {
  readonly name: string;
  readonly type: AddressType;
}

/** What is taken over UDP without being cut off by a network. Source: DNS flag day 2020. */
const maxUdpBytes = 1232;
/** A longer answer is none: reading it would take the time of others. */
const maxRecords = 1000;

/**
 * Asks one name server one question, by UDP and, where the answer is too long for that, by TCP. Rejects when it does not answer in time or
 * with anything else than an answer to this question; the signal ends both.
 */
export async function askServer(
  server: ServerAddress,
  question: NameQuestion,
  signal: AbortSignal,
): Promise<DecodedPacket> {
  const answer = await exchange(server, question, { signal, edns: true });
  // Servers from before EDNS. Source: RFC 6891, 7.
  const isOld = ['FORMERR', 'NOTIMP'].includes(rcodeOf(answer));
  return isOld ? exchange(server, question, { signal, edns: false }) : answer;
}

/** "NOERROR", "NXDOMAIN", … */
export const rcodeOf = (packet: DecodedPacket): string => (packet as { readonly rcode?: string }).rcode ?? 'NOERROR';

interface Way {
  readonly signal: AbortSignal;
  readonly edns: boolean;
}

async function exchange(server: ServerAddress, question: NameQuestion, { signal, edns }: Way): Promise<DecodedPacket> {
  const id = randomInt(0x10000);
  const query = encode(queryFor(id, question, edns));
  const isAnswer = (packet: DecodedPacket) => answers(packet, id, question);
  const to = { server, isAnswer, signal };
  const answer = await askByUdp(query, to);
  return answer.flag_tc ? askByTcp(query, to) : answer;
}

function queryFor(id: number, { name, type }: NameQuestion, edns: boolean): Packet {
  return {
    type: 'query',
    id,
    flags: RECURSION_DESIRED,
    questions: [{ type, class: 'IN', name }],
    ...(edns && {
      additionals: [
        {
          type: 'OPT',
          name: '.',
          udpPayloadSize: maxUdpBytes,
          flags: 0,
          extendedRcode: 0,
          ednsVersion: 0,
          flag_do: false,
          options: [],
        },
      ],
    }),
  };
}

function answers(packet: DecodedPacket, id: number, { name, type }: NameQuestion): boolean {
  const [asked] = packet.questions ?? [];
  if (packet.type !== 'response' || packet.id !== id) return false;
  // A server that understood nothing repeats nothing.
  if (!asked) return rcodeOf(packet) !== 'NOERROR';
  return asked.type === type && asked.name.toLowerCase() === name.toLowerCase();
}

/** Throws for what is no DNS message, or one of too many records. */
export function decodeMessage(message: Buffer): DecodedPacket {
  if (message.length < 12) throw new Error('no DNS message');
  const records = message.readUInt16BE(6) + message.readUInt16BE(8) + message.readUInt16BE(10);
  if (message.readUInt16BE(4) > 1 || records > maxRecords) throw new Error(`a message of ${records} records`);
  return decode(message);
}

/** Resolves a promise once: by an answer, or by why there is none. */
interface Ending {
  readonly answered: (packet: DecodedPacket) => void;
  readonly failed: (reason: Error) => void;
}

interface Attempt {
  readonly server: ServerAddress;
  readonly isAnswer: (packet: DecodedPacket) => boolean;
  readonly signal: AbortSignal;
}

/** One attempt at an answer: `open` starts it and gives how to close its socket, which is done once, at the end or when the signal is aborted. */
function attempt({ server, signal }: Attempt, open: (ending: Ending) => () => void): Promise<DecodedPacket> {
  return new Promise((resolve, reject) => {
    const end = (complete: () => void) => {
      signal.removeEventListener('abort', late);
      close();
      complete();
    };
    const late = () => end(() => reject(new Error(`${server.address} does not answer`)));
    const close = open({
      answered: (packet) => end(() => resolve(packet)),
      failed: (reason) => end(() => reject(reason)),
    });
    if (signal.aborted) late();
    else signal.addEventListener('abort', late, { once: true });
  });
}

/** A socket of its own for each question, so that its port is one more thing that a forger has to guess. */
const askByUdp = (query: Buffer, to: Attempt): Promise<DecodedPacket> =>
  attempt(to, ({ answered, failed }) => {
    const { address, port } = to.server;
    const socket = createSocket(isIPv6(address.replace(/%.*$/, '')) ? 'udp6' : 'udp4');
    socket.on('error', failed);
    socket.on('message', (message) => {
      // What is no answer to this is not ours, and the answer may still come.
      const packet = tryDecode(message);
      if (packet && to.isAnswer(packet)) answered(packet);
    });
    // Connected: what comes from elsewhere is dropped by the kernel. A callback would get the error of an address that no route leads to.
    socket.once('connect', () => socket.send(query));
    socket.connect(port, address);
    return () => {
      socket.removeAllListeners().on('error', () => undefined);
      socket.close();
    };
  });

const askByTcp = (query: Buffer, to: Attempt): Promise<DecodedPacket> =>
  attempt(to, ({ answered, failed }) => {
    const { address, port } = to.server;
    const socket = connect({ host: address, port });
    const chunks: Buffer[] = [];
    socket.on('error', failed);
    socket.on('close', () => failed(new Error(`${address} closes without an answer`)));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      const [message] = messagesIn(Buffer.concat(chunks)).messages;
      if (!message) return;
      const packet = tryDecode(message);
      if (packet && to.isAnswer(packet)) answered(packet);
      else failed(new Error(`${address} answers something else`));
    });
    socket.write(framed(query));
    return () => {
      socket.removeAllListeners().on('error', () => undefined);
      socket.destroy();
    };
  });

function tryDecode(message: Buffer): DecodedPacket | undefined {
  try {
    return decodeMessage(message);
  } catch {
    return undefined;
  }
}

/** A message as it travels over TCP: its length before it. Source: RFC 1035, 4.2.2. */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** The whole messages at the beginning of what came over TCP, and what is behind them. */
export function messagesIn(bytes: Buffer): { readonly messages: readonly Buffer[]; readonly rest: Buffer } {
  const messages: Buffer[] = [];
  let rest = bytes;
  while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
    const end = 2 + rest.readUInt16BE(0);
    messages.push(rest.subarray(2, end));
    rest = rest.subarray(end);
  }
  return { messages, rest };
}
