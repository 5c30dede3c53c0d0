import { pause } from '../pace.ts';
import { verdictsOf } from './model.ts';
import { hostOf } from './request-facts.ts';
import type { Ask, World } from './world.ts';

/** What is asked, and answers. */
export interface Gateway {
  ask(world: World, host: number, ask: Ask): Promise<string>;
}

/** Requests that show nothing. */
const asks: readonly Ask[] = [
  { method: 'GET', path: '/', spelling: 'exact' },
  { method: 'GET', path: '/one', spelling: 'capitals' },
  { method: 'GET', path: '/two/y', spelling: 'exact', certificate: 'none' },
  { method: 'POST', path: '/one/x', spelling: 'exact', isCall: true },
  { method: 'POST', path: '/', spelling: 'exact', certificate: 'none', isCall: true },
];

/** A world that has the host by another name lets no request to this one in. */
const letsIn = (world: World, { host, ask, isWildcard }: Stranger): boolean =>
  world.hosts[host]?.isWildcard === isWildcard &&
  [...verdictsOf(world, host, ask)].some((verdict) => verdict.startsWith('200'));

interface Stranger {
  readonly host: number;
  readonly ask: Ask;
  readonly isWildcard: boolean;
}

/** What was let in without credentials, in words, while one of these worlds took the place of the other, though no one of them lets it in. No answer is none that lets in. */
export async function letInDuring(
  gateway: Gateway,
  worlds: readonly World[],
  change: () => Promise<void>,
): Promise<readonly string[]> {
  const [last] = worlds.slice(-1) as [World];
  const strangers = last.hosts
    .flatMap(({ isWildcard }, host) => asks.map((ask): Stranger => ({ host, ask, isWildcard })))
    .filter((stranger) => !worlds.some((world) => letsIn(world, stranger)));
  const letIn = new Set<string>();
  let isOver = strangers.length === 0;
  const asking = (async () => {
    for (let at = 0; !isOver; at = (at + 1) % strangers.length) {
      const { host, ask } = strangers[at] as Stranger;
      const status = await gateway.ask(last, host, ask).catch(() => '');
      if (status.startsWith('200')) letIn.add(`${status}: ${hostOf(last, host, ask)} ${JSON.stringify(ask)}`);
      await pause();
    }
  })();
  try {
    await change();
  } finally {
    isOver = true;
    await asking;
  }
  return [...letIn];
}
