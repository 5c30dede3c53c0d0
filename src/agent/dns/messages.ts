import { encode, type Packet, RECURSION_AVAILABLE, RECURSION_DESIRED, TRUNCATED_RESPONSE } from 'dns-packet';
import { decodeMessage, type NameQuestion } from './ask-server.ts';
import type { Resolution } from './resolve-name.ts';

/** Source: RFC 1035, 4.1.1. */
const rcodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4 } as const;

export type Rcode = keyof typeof rcodes;

/** A question as it came. */
export interface WireQuestion {
  readonly id: number;
  readonly question: NameQuestion;
  /** The longest answer that the asking client takes by UDP. */
  readonly maxBytes: number;
  /** Why it is not one that is answered. */
  readonly fault?: Rcode;
}

/** Without EDNS. Source: RFC 1035, 4.2.1. */
const leastBytes = 512;

/** Reads a message with a question. Undefined: it is none, and gets no answer. */
export function readQuestion(message: Buffer): WireQuestion | undefined {
  try {
    const packet = decodeMessage(message);
    const [asked] = packet.questions ?? [];
    const { id = 0 } = packet;
    if (packet.type !== 'query' || !asked) return undefined;
    const edns = packet.additionals?.find(({ type }) => type === 'OPT') as
      | { readonly udpPayloadSize?: number }
      | undefined;
    const maxBytes = Math.max(leastBytes, edns?.udpPayloadSize ?? 0);
    const wire = { id, maxBytes, question: { name: asked.name, type: asked.type as NameQuestion['type'] } };
    const isQuery = ((packet.flags ?? 0) >> 11) % 16 === 0 && (asked.class ?? 'IN') === 'IN';
    // Envoy connects to addresses, and nothing else is resolved for it.
    return isQuery && isAddressType(asked.type) ? wire : { ...wire, fault: 'NOTIMP' };
  } catch {
    return undefined;
  }
}

const isAddressType = (type: string): boolean => type === 'A' || type === 'AAAA';

/** An answer without addresses is one too: Envoy then has none. Longer than `maxBytes`: only that it has to be asked for by TCP. */
export function answerTo(wire: WireQuestion, { exists, addresses }: Resolution, maxBytes = 65_535): Buffer {
  const { name, type } = wire.question;
  const answers = addresses.map(({ address, ttl }) => ({ type, name, ttl, data: address }));
  const whole = encode(response(wire, { rcode: exists ? 'NOERROR' : 'NXDOMAIN', answers }));
  return whole.length <= maxBytes ? whole : encode(response(wire, { rcode: 'NOERROR', flags: TRUNCATED_RESPONSE }));
}

export const failureTo = (wire: WireQuestion, rcode: Rcode): Buffer => encode(response(wire, { rcode }));

function response(
  { id, question: { name, type } }: WireQuestion,
  {
    rcode,
    answers = [],
    flags = 0,
  }: { readonly rcode: Rcode; readonly answers?: Packet['answers']; readonly flags?: number },
): Packet {
  return {
    type: 'response',
    id,
    flags: flags | RECURSION_DESIRED | RECURSION_AVAILABLE | rcodes[rcode],
    questions: [{ type, name }],
    ...(answers && { answers }),
  };
}
