import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import type { AskedRequest } from './asked-request.ts';

/** Of a file that is read as a whole, in bytes. */
const largestHar = 64 * 2 ** 20;

/** What of a HAR file is read. Source: HAR 1.2. */
const har = z.looseObject({
  log: z.looseObject({
    entries: z.array(
      z.looseObject({
        request: z.looseObject({
          method: z.string(),
          url: z.string(),
          headers: z.array(z.looseObject({ name: z.string(), value: z.string() })).default([]),
          bodySize: z.number().optional(),
        }),
      }),
    ),
  }),
});

/** Headers that belong to a connection, or to the recording, or that are credentials. */
const dropped =
  /^(:.*|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|proxy-.*|content-length|cookie|authorization|x-forwarded-.*|if-.*)$/;

/**
 * The requests of a HAR file, without cookies and credentials, and without bodies. Rejects with an Error that says what is wrong with the file.
 */
export async function readHar(path: string): Promise<readonly AskedRequest[]> {
  const { size } = await stat(path);
  if (size > largestHar) throw new Error(`${path} has ${size} bytes, and at most ${largestHar} are read: record less`);
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  const { success, data, error } = har.safeParse(value);
  if (!success) throw new Error(`${path} is no HAR: ${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`);
  return data.log.entries.flatMap(({ request }, at) => {
    if (!URL.canParse(request.url)) return [];
    const { protocol, host } = new URL(request.url);
    if (protocol !== 'http:' && protocol !== 'https:') return [];
    return [
      {
        method: request.method.toUpperCase(),
        scheme: protocol === 'https:' ? 'https' : 'http',
        host: host.replace(/:\d+$/, ''),
        // As it is written: a URL would be normalized.
        target: targetOf(request.url),
        headers: request.headers.flatMap(({ name, value: sent }) =>
          dropped.test(name.toLowerCase()) ? [] : [[name.toLowerCase(), sent] as const],
        ),
        because: `entry ${at + 1} of ${path}`,
      } satisfies AskedRequest,
    ];
  });
}

const targetOf = (url: string): string => {
  const [, rest = ''] = /^https?:\/\/[^/?#]*([^#]*)/i.exec(url) ?? [];
  return rest.startsWith('/') ? rest : `/${rest}`;
};
