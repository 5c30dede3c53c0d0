import { request } from 'node:http';
import type { AiData, AiQuestion } from './data.ts';
import { type Merged, mergeData } from './reports/index.ts';

/** The path at which a control plane reports to the other replicas what it knows: Layout 1 of the admin API. */
export const aiUsagePath = '/v1/replicas/ai-usage';

/** Another control plane, as far as one can ask it. */
export interface AiPeer {
  readonly identity: string;
  /** `HOST:PORT` of its admin API. */
  readonly address: string;
  /** It is known to be away: what it knows is missing. */
  readonly isAway: boolean;
}

/** The part of a replica's identity that a restart leaves as it is: what is behind it is chance. */
export const hostOf = (identity: string): string => identity.replace(/_[^_]*$/, '');

export interface AskAllOptions {
  readonly own: (question: AiQuestion) => Promise<AiData>;
  readonly peers: () => readonly AiPeer[];
  /** What the others' admin API asks for; undefined: nothing. */
  readonly token: () => Promise<string | undefined>;
  /** What is to be said of this replica's own data, of this time. */
  readonly caveats: (question: AiQuestion) => readonly string[];
}

const timeoutMs = 3000;
const maxBytes = 64 * 1024 * 1024;

/** Asks all replicas for what they know. The result names each replica that does not answer. */
export async function askAll(question: AiQuestion, { own, peers, token, caveats }: AskAllOptions): Promise<Merged> {
  const bearer = await token();
  const parts = await Promise.all(
    peers().map(async ({ identity, address, isAway }) => {
      try {
        if (isAway) throw new Error('it is away');
        return { data: await askPeer(address, bearer, question) };
      } catch (error) {
        return { warning: `what replica ${identity} (${address}) heard of is missing: ${(error as Error).message}` };
      }
    }),
  );
  const warnings = [
    ...caveats(question),
    ...parts.flatMap((part) => ('warning' in part ? [part.warning as string] : [])),
  ];
  const found = parts.flatMap((part) => ('data' in part && part.data ? [part.data] : []));
  return {
    data: mergeData([await own(question), ...found], question.traces),
    complete: warnings.length === 0,
    warnings,
  };
}

/** Asks one of them. Rejects with the reason, for people. */
export function askPeer(address: string, token: string | undefined, question: AiQuestion): Promise<AiData> {
  const query = new URLSearchParams(
    Object.entries(question).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return new Promise((resolve, reject) => {
    const call = request(
      `http://${address}${aiUsagePath}?${query}`,
      { agent: false, timeout: timeoutMs, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
      (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          reject(new Error(`it answers ${response.statusCode}`));
          return;
        }
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxBytes) call.destroy(new Error('it sends too much'));
          else chunks.push(chunk);
        });
        response.once('error', reject);
        response.once('end', () => {
          try {
            resolve(JSON.parse(Buffer.concat(chunks).toString()) as AiData);
          } catch (error) {
            reject(error as Error);
          }
        });
      },
    );
    call.once('timeout', () => call.destroy(new Error('no answer in time')));
    call.once('error', reject);
    call.end();
  });
}
