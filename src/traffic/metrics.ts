import { durationBounds, type Sums } from '../contracts/index.ts';
import type { HistogramReading, MetricSet } from '../telemetry/index.ts';
import type { RouteCounts, RouteLabels } from './route-counts.ts';

const whose = [
  'gateway',
  'route_kind',
  'route_namespace',
  'route_name',
  'rule',
] as const satisfies (keyof RouteLabels)[];
const classNames = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const bounds = durationBounds.map((bound) => bound / 1000);

/** Requests by rule of a route, as the proxies of this replica report them. The sum over all replicas is that of all proxies. */
export function trafficMetrics(metrics: MetricSet) {
  const requests = metrics.observedCounter('http_requests_total', {
    help: 'Requests that proxies answered, by Gateway, rule of a route and class of status (`none`: no answer was sent). See operating.md for its limits.',
    labels: [...whose, 'code_class'],
  });
  const flags = metrics.observedCounter('http_request_flags_total', {
    help: 'Response flags of Envoy on these requests, such as UF for a failed connection. A request may have several. Unknown flags are `other`.',
    labels: [...whose, 'flag'],
  });
  const durations = metrics.observedHistogram('http_request_duration_seconds', {
    help: 'Time from the start of these requests to the end of the response.',
    labels: whose,
  });
  return {
    follow(counts: RouteCounts, now: () => number = Date.now) {
      requests.readBy(() => samples(counts, now, 'code_class', classesOf));
      flags.readBy(() => samples(counts, now, 'flag', ({ flags }) => Object.entries(flags)));
      durations.readBy(() => counts.list(now()).map(({ labels, sums }) => [labels, histogramOf(sums)] as const));
    },
  };
}

function samples<Label extends string>(
  counts: RouteCounts,
  now: () => number,
  label: Label,
  valuesOf: (sums: Sums) => (readonly [string, number])[],
) {
  return counts
    .list(now())
    .flatMap(({ labels, sums }) =>
      valuesOf(sums).map(
        ([value, count]) => [{ ...labels, [label]: value } as RouteLabels & Record<Label, string>, count] as const,
      ),
    );
}

const classesOf = ({ classes }: Sums): (readonly [string, number])[] =>
  classNames.flatMap((name, at) => {
    const count = classes[at] ?? 0;
    return count === 0 ? [] : [[name, count] as const];
  });

/** What is counted is how many took as long as a bound, or longer. */
function histogramOf({ requests, slower, ms }: Sums): HistogramReading {
  const faster = slower.map((count) => requests - count);
  const counts = [...faster, requests].map((count, at, all) => Math.max(0, count - (all[at - 1] ?? 0)));
  return { bounds, counts, sum: ms / 1000 };
}
