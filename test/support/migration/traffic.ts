import type { IngressNginxModel } from '../../../src/ingress/index.ts';
import type { HttpAnswer } from '../http.ts';
import { KeptConnections } from './kept-connections.ts';

/** Both ports of a side. */
export interface Side {
  readonly http: number;
  readonly https: number;
}

export interface Move {
  readonly hosts: readonly string[];
  readonly model: IngressNginxModel;
  readonly from: Side;
  readonly to: Side;
  /** The old side ends, when no client is sent there any more. */
  readonly endOld: () => Promise<void>;
  /** Of the new side in percent, one after the other. Default: a little, back again, then all of it. */
  readonly shares?: readonly number[];
  /** How often each step asks for everything. Default: once. */
  readonly rounds?: number;
}

export interface Moved {
  /** Requests that were not answered as ingress-nginx would have. */
  readonly failed: readonly string[];
  /** How many each side got, by the share of the new one in percent. */
  readonly byShare: ReadonlyMap<number, { readonly from: number; readonly to: number }>;
}

/** As records with weights are moved. */
const usualShares = [0, 1, 10, 0, 50, 100] as const;
/** Requests under way at once. */
const clients = 32;
const paths = ['/', '/probe', '/api/probe', '/files/x?y=1'];
const browser = { accept: 'text/html' };

/**
 * Clients that ask all the time, and are led from one side to the other step by step. The old one ends before the last step is over. They keep their
 * connections, as browsers do: with a handshake for every request they would measure themselves.
 */
export async function moveTraffic({
  hosts,
  model,
  from,
  to,
  endOld,
  shares = usualShares,
  rounds = 1,
}: Move): Promise<Moved> {
  const failed: string[] = [];
  const byShare = new Map<number, { from: number; to: number }>();
  const once = hosts.flatMap((host) => paths.map((path) => expectationOf(host.replace(/^\*/, 'probe'), path, model)));
  const connections = { from: new KeptConnections(from), to: new KeptConnections(to) };
  for (const [step, share] of shares.entries()) {
    const counts = byShare.get(share) ?? { from: 0, to: 0 };
    byShare.set(share, counts);
    const asked = Array.from({ length: rounds }, () => once).flat();
    const ending = step === shares.length - 1 ? endOld() : Promise.resolve();
    let next = 0;
    const client = async (): Promise<void> => {
      for (let at = next++; at < asked.length; at = next++) {
        const expected = asked[at] as Expectation;
        const side = (at * 37) % 100 < share ? 'to' : 'from';
        counts[side] += 1;
        const fault = await ask(connections[side], expected);
        if (fault !== undefined) failed.push(`${share} %, ${side}: ${expected.host}${expected.path}: ${fault}`);
      }
    };
    await Promise.all([ending, ...Array.from({ length: clients }, client)]);
  }
  for (const side of [connections.from, connections.to]) side.close();
  return { failed, byShare };
}

/** What clients got before the move. */
interface Expectation {
  readonly host: string;
  readonly path: string;
  readonly status: number | undefined;
  /** The Service that answers, as its backend names itself. */
  readonly body?: string;
}

/** By the model. Redirects to HTTPS are followed. */
function expectationOf(host: string, path: string, model: IngressNginxModel): Expectation {
  const [plain, secure] = (['http', 'https'] as const).map((scheme) =>
    model.answer({ method: 'GET', scheme, host, target: path, headers: [] }),
  );
  // Where nginx sends clients to HTTPS for a path that no Ingress has, and 404 follows, the new side may say so at once.
  const said = plain?.status === 308 ? secure : plain;
  const [backend] = said?.forwarded?.backends ?? [];
  if (backend === undefined) return { host, path, status: said?.status };
  return { host, path, status: 200, body: `${backend.namespace}/${backend.service}` };
}

/** Why an answer is not the one that clients had before; undefined: it is. */
async function ask(side: KeptConnections, expected: Expectation): Promise<string | undefined> {
  const asked = { host: expected.host, path: expected.path, headers: browser };
  try {
    const first = await side.http(asked);
    return faultOf(first.status === 308 ? await side.https(asked) : first, expected);
  } catch (error) {
    return String(error);
  }
}

function faultOf({ status, body }: HttpAnswer, expected: Expectation): string | undefined {
  const isSame = status === expected.status && (expected.body === undefined || body === expected.body);
  return isSame ? undefined : `${status} ${body} in place of ${expected.status} ${expected.body ?? ''}`;
}
