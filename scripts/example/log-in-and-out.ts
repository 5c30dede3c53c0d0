import type { Echo } from './echo-server.ts';
import type { Login, Outcome } from './example.ts';
import type { RunningExample } from './running-example.ts';
import { type Page, ScriptedBrowser } from './scripted-browser.ts';
import { echoOf } from './send.ts';

/** A browser at each host: sent to the provider, logged in there, shown the page that it asked for, and logged out. */
export async function logInAndOut({ ports }: RunningExample, { port, provider, hosts }: Login): Promise<Outcome> {
  const providerOrigin = `https://127.0.0.1:${ports.get(provider) ?? provider}`;
  const walks = [];
  for (const [at, host] of hosts.entries())
    walks.push(await walk(`https://${host}:${ports.get(port) ?? port}`, providerOrigin, `user-${at + 1}`));
  return { lines: walks.flatMap(({ lines }) => lines), faults: walks.flatMap(({ faults }) => faults) };
}

async function walk(origin: string, provider: string, user: string): Promise<Outcome> {
  const browser = new ScriptedBrowser();
  const asked = new URL('/orders?page=2', origin);
  const lines: string[] = [];
  const faults: string[] = [];
  const step = (what: string, good: boolean, page: Page) => {
    lines.push(`${good ? 'ok  ' : 'FAIL'} ${what}`);
    if (!good) faults.push(`${what}: ${page.url.href} answered ${page.status} ${page.location ?? page.body}`);
  };
  const isSentToProvider = (page: Page) => page.status === 302 && page.location?.startsWith(`${provider}/`) === true;

  const first = await browser.ask(asked);
  step(`${asked.href} sends browsers to ${provider}`, isSentToProvider(first), first);

  const page = await browser.logIn(asked, user);
  const shown = page.url.href === asked.href && isShownTo(echoOf(page.body), user);
  step(`${asked.href} comes after the login, and its backend saw x-user: ${user} and no cookie`, shown, page);

  const api = await browser.ask(new URL('/api/orders', origin), { headers: { 'x-user': 'root' } });
  step(`${origin}/api/orders takes the login, too`, isShownTo(echoOf(api.body), user), api);

  const out = await browser.ask(new URL('/logout', origin));
  step(`${origin}/logout goes to the provider, to log out there`, isSentToProvider(out), out);

  const after = await browser.ask(asked);
  step(`${asked.href} wants a login again`, isSentToProvider(after), after);
  return { lines, faults };
}

const isShownTo = (echo: Echo | undefined, user: string): boolean =>
  echo?.backend === 'app' && echo.headers['x-user'] === user && echo.headers.cookie === undefined;
