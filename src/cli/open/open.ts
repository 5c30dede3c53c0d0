import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CliError } from '../kit/cli-error.ts';
import type { CliIo } from '../kit/io.ts';
import { untilInterrupted } from '../kit/watch-shown.ts';

export interface PageOptions {
  /** The way there lasts only as long as this does. */
  readonly isForwarded: boolean;
  readonly withBrowser: boolean;
  /** A token was given: it is never part of an address, since browsers keep addresses. */
  readonly hasToken: boolean;
}

/** Prints the address of the page and opens it. Behind a forwarded port it lasts until interrupted. */
export async function openPage(
  server: string,
  io: CliIo,
  { isForwarded, withBrowser, hasToken }: PageOptions,
): Promise<void> {
  const { url, isClosed } = await pageOf(server);
  io.write(`${url}\n`);
  if (hasToken) io.writeError('note: the token is not put into the address, which browsers keep\n');
  if (isClosed) io.writeError('note: it asks for a token, which browsers do not send: the other commands do\n');
  if (withBrowser && !(await open(url, io.env))) io.writeError('note: no browser can be started here\n');
  if (!isForwarded) return;
  const interrupted = untilInterrupted();
  io.writeError('forwarded until interrupted (Ctrl-C)\n');
  // A signal alone keeps no process alive, but the port does.
  if (!interrupted.aborted) await once(interrupted, 'abort');
}

interface Page {
  readonly url: string;
  /** The control plane shows it to those only who send a token, which a browser does not. */
  readonly isClosed: boolean;
}

/** The page, or, where there is none, the description of the API. */
async function pageOf(server: string): Promise<Page> {
  const page = new URL('/', server).href;
  const { status, type } = await look(page, server);
  if (status === 200 && type.startsWith('text/html')) return { url: page, isClosed: false };
  const url = new URL('/docs', server).href;
  return { url, isClosed: (await look(url, server)).status === 401 };
}

async function look(url: string, server: string): Promise<{ readonly status: number; readonly type: string }> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(10_000) }).catch(
    (cause: Error) => {
      const why = (cause.cause as Error | undefined)?.message ?? cause.message;
      throw new CliError(
        `cannot reach the admin API at ${server}: ${why}; is the control plane running? Say where with --server, or --kubeconfig for one in a cluster`,
        { cause },
      );
    },
  );
  await response.body?.cancel();
  return { status: response.status, type: response.headers.get('content-type') ?? '' };
}

/** What opens an address on this system. `$BROWSER` is what users of a terminal set. */
function openerOf(env: NodeJS.ProcessEnv): readonly string[] {
  if (env.BROWSER) return [env.BROWSER];
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}

/** Whether a browser could be started. It outlives this program. */
async function open(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [command = '', ...line] = openerOf(env);
  const child = spawn(command, [...line, url], { detached: true, stdio: 'ignore' });
  child.unref();
  return await once(child, 'spawn').then(
    () => true,
    () => false,
  );
}
