import type { IngressNginxModel } from '../../../src/ingress/index.ts';
import { type HttpAnswer, send } from '../http.ts';
import { askTls } from '../tls-ask.ts';

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
const clients = 8;
const paths = ['/', '/probe', '/api/probe', '/files/x?y=1'];
const browser = { accept: 'text/html' };

/** Clients that ask all the time, and are led from one side to the other step by step. The old one ends before the last step is over. */
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
  for (const [step, share] of shares.entries()) {
    const counts = byShare.get(share) ?? { from: 0, to: 0 };
    byShare.set(share, counts);
    const once = hosts.flatMap((host) => paths.map((path) => ({ host, path })));
    const asked = Array.from({ length: rounds }, () => once).flat();
    const ending = step === shares.length - 1 ? endOld() : Promise.resolve();
    let next = 0;
    const client = async (): Promise<void> => {
      for (let at = next++; at < asked.length; at = next++) {
        const { host, path } = asked[at] as (typeof asked)[number];
        const isNew = (at * 37) % 100 < share;
        counts[isNew ? 'to' : 'from'] += 1;
        const fault = await ask(isNew ? to : from, host, path, model);
        if (fault !== undefined) failed.push(`${share} %, ${isNew ? 'new' : 'old'}: ${host}${path}: ${fault}`);
      }
    };
    await Promise.all([ending, ...Array.from({ length: clients }, client)]);
  }
  return { failed, byShare };
}

/** Why an answer is not the one that clients had before; undefined: it is. Redirects to HTTPS are followed. */
async function ask(side: Side, written: string, path: string, model: IngressNginxModel): Promise<string | undefined> {
  const host = written.replace(/^\*/, 'probe');
  try {
    const first = await send(side.http, { host, path, headers: browser });
    const isSent = first.status === 308;
    return faultOf(isSent ? await askTls(side.https, { host, path, headers: browser }) : first, { host, path, model });
  } catch (error) {
    return String(error);
  }
}

function faultOf(
  { status, body }: HttpAnswer,
  { host, path, model }: { readonly host: string; readonly path: string; readonly model: IngressNginxModel },
): string | undefined {
  // Where nginx sends clients to HTTPS for a path that no Ingress has, and 404 follows, the new side may say so at once.
  const [plain, secure] = (['http', 'https'] as const).map((scheme) =>
    model.answer({ method: 'GET', scheme, host, target: path, headers: [] }),
  );
  const said = plain?.status === 308 ? secure : plain;
  const [backend] = said?.forwarded?.backends ?? [];
  if (backend === undefined) return status === said?.status ? undefined : `${status} in place of ${said?.status}`;
  const expected = `${backend.namespace}/${backend.service}`;
  return status === 200 && body === expected ? undefined : `${status} ${body} in place of 200 ${expected}`;
}
