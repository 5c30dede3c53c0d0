import type { Standing } from '../../traffic/index.ts';
import { clientText } from '../../xds/index.ts';
import type { BackendRecord } from './record.ts';

type EndpointRecord = BackendRecord['endpoints'][number];
type Verdict = EndpointRecord['verdicts'][number];

/** What is said of an endpoint, the worst first: by its EndpointSlice, by proxies that check it, by requests. Never empty. */
export function verdictsOf(
  { address, ready, terminating }: Omit<EndpointRecord, 'verdicts'>,
  { endpoints }: Pick<Standing, 'endpoints'>,
): Verdict[] {
  const kubernetes = (verdict: Verdict['verdict']): Verdict => {
    return { source: 'kubernetes', node: null, verdict, detail: null, since: null, count: null };
  };
  const seen = endpoints
    .filter((trouble) => trouble.address === address)
    .map(({ source, node, verdict, detail, since, count }): Verdict => {
      return {
        source,
        node: source === 'proxy' ? node : null,
        verdict,
        detail: detail === '' ? null : clientText(detail, detail.length),
        since: new Date(since).toJSON(),
        count: source === 'requests' ? count : null,
      };
    });
  const found = [
    ...(terminating ? [kubernetes('terminating')] : ready ? [] : [kubernetes('not_ready')]),
    ...seen.filter(({ source }) => source === 'proxy'),
    ...seen.filter(({ source }) => source === 'requests'),
  ];
  return found.length > 0 ? found : [kubernetes('serving')];
}
