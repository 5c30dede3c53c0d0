import type { AdminClient } from '../kit/admin-client.ts';
import type { Failures } from '../kit/traffic.ts';
import { failureLine } from '../logs/logs.ts';
import { attempt } from './attempt.ts';
import { type Section, section } from './section.ts';

/** The latest failed requests of a route, where the control plane keeps them. */
export const failureSection = (client: AdminClient, route: string): Promise<Section> =>
  attempt('lastFailures', async () => {
    const path = `/v1/failures?${new URLSearchParams({ route, limit: '5' })}`;
    const { status, body } = await client.ask({ method: 'GET', path }, AbortSignal.timeout(10_000));
    if (status === 404) return section('lastFailures', null, ['this control plane keeps none']);
    const { items, warnings } = status === 200 ? (body as Failures) : await client.get<Failures>(path);
    const lines = items.length > 0 ? items.map(failureLine) : ['none in the last 15 minutes'];
    return section('lastFailures', items, [...lines, ...warnings.map((warning) => `note: ${warning}`)]);
  });
