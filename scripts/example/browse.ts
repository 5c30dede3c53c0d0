import type { ExampleRequest } from './example.ts';
import type { Answer } from './send.ts';

export interface Browsing {
  readonly sendOne: (request: ExampleRequest) => Promise<Answer>;
  readonly stopBackend: (port: number) => Promise<void>;
}

/** Sends a request as often as it says, one after the other; keeps cookies and stops an endpoint where it says so. */
export async function browse(request: ExampleRequest, { sendOne, stopBackend }: Browsing): Promise<Answer[]> {
  const { repeat = 1, keepsCookies = false, stopsEndpoint = false } = request;
  const cookies = new Map<string, string>();
  const answers: Answer[] = [];
  while (answers.length < repeat) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await sendOne(cookie ? { ...request, headers: { ...request.headers, cookie } } : request);
    answers.push(answer);
    for (const line of keepsCookies ? (answer.headers['set-cookie'] ?? []) : []) {
      const { name = '', value = '' } = /^(?<name>[^=]+)=(?<value>[^;]*)/.exec(line)?.groups ?? {};
      cookies.set(name, value);
    }
    const port = answer.echo?.port;
    if (stopsEndpoint && port !== undefined && answers.length === Math.floor(repeat / 2)) await stopBackend(port);
  }
  return answers;
}
