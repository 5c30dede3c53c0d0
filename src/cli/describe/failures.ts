import type { AdminClient } from '../kit/admin-client.ts';
import { type Section, section } from './section.ts';

/** The latest failed requests of a route. */
export async function failureSection(client: AdminClient, route: string, _now: Date): Promise<Section> {
  const { status } = await client.ask(
    { method: 'GET', path: `/v1/failures?${new URLSearchParams({ route, limit: '5' })}` },
    AbortSignal.timeout(10_000),
  );
  return section('lastFailures', null, [
    `not recorded by this control plane (${status}): see the access log of its proxies`,
  ]);
}
