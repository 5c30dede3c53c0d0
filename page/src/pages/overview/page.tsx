import type { ComponentChildren } from 'preact';
import { apiUrl, type Problems, type Summary, type Traffic } from '../../api/index.ts';
import { liveProblems } from '../../app/verdict.ts';
import { type Live, trafficEvents, useLive } from '../../live/index.ts';
import { Age, addedUp, Badge, Loaded, Message, Panel, type Series, Spark } from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { count, percent, rate } from '../../text/index.ts';
import { FirstSteps } from './first-steps.tsx';
import { ProblemList } from './problem-list.tsx';
import { overviewWords } from './words.ts';

/** Is everything all right, and if not, what do I do. */
export function Page() {
  const problems = liveProblems.value;
  const summary = useLive<Summary>(apiUrl('/v1/summary'));
  const traffic = useLive<Traffic>(apiUrl('/v1/traffic', { by: 'gateway', window: '15m', series: true }), {
    on: trafficEvents,
  });
  return (
    <>
      <Verdict problems={problems} />
      {summary.data?.gatewayCount === 0 && <FirstSteps />}
      {problems !== undefined && ((problems.data?.items.length ?? 0) > 0 || problems.error) && (
        <ProblemList problems={problems} />
      )}
      <TrafficPanel traffic={traffic} />
      <Numbers summary={summary} />
    </>
  );
}

const states = { ok: 'ok', warning: 'warning', failing: 'failing', unknown: 'unknown' } as const;

function Verdict({ problems }: { readonly problems: Live<Problems> | undefined }) {
  const said = problems?.data;
  return (
    <header class={`verdict ${said?.verdict ?? 'unknown'}`}>
      <h1>
        {said === undefined ? (
          overviewWords().title
        ) : (
          <Badge state={states[said.verdict]}>
            <Message>{said.sentence}</Message>
          </Badge>
        )}
      </h1>
      <Age at={problems?.at} />
    </header>
  );
}

function TrafficPanel({ traffic }: { readonly traffic: Live<Traffic> }) {
  const words = overviewWords();
  return (
    <Panel title={words.traffic} live={traffic}>
      <Loaded live={traffic}>
        {(data) =>
          data.source === 'none' ? (
            <p class="quiet">{words.trafficOff}</p>
          ) : data.totals.requests === 0 ? (
            <p class="quiet">{words.noTraffic}</p>
          ) : (
            <Figures traffic={data} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Figures({ traffic: { totals, items } }: { readonly traffic: Traffic }) {
  const words = overviewWords();
  const series = addedUp(items.map(({ series = [] }) => series as unknown as Series));
  return (
    <div class="figures">
      <Figure value={rate(totals.perSecond)} label={words.perSecond} />
      <Figure
        value={totals.errorRatio === null ? '–' : percent(totals.errorRatio)}
        label={words.errors}
        state={totals.errors > 0 ? 'failing' : undefined}
      />
      <Figure value={totals.p50Ms === null ? '–' : `≤ ${words.millis(totals.p50Ms)}`} label={words.median} />
      <Figure value={totals.p99Ms === null ? '–' : `≤ ${words.millis(totals.p99Ms)}`} label={words.slow} />
      <Spark series={series} label={words.spark(totals.requests, totals.errors)} />
    </div>
  );
}

function Figure({ value, label, state }: { readonly value: string; readonly label: string; readonly state?: string }) {
  return (
    <div class={`figure ${state ?? ''}`}>
      <strong>{value}</strong>
      <span>{label}</span>
    </div>
  );
}

function Numbers({ summary }: { readonly summary: Live<Summary> }) {
  const words = overviewWords();
  return (
    <Panel title={words.numbers} live={summary}>
      <Loaded live={summary}>
        {(data) => (
          <div class="cards">
            <Card title={words.gateways} href={link('gateways')} value={data.gatewayCount}>
              {words.listeners(data.readyListenerCount, data.listenerCount)}
            </Card>
            <Card title={words.routes} href={link('routes')} value={data.routeCount}>
              {data.notAcceptedRouteCount > 0 && words.notAccepted(data.notAcceptedRouteCount)}
            </Card>
            <Card title={words.backends} href={link('backends')} value={data.backendCount}>
              {words.endpoints(data.healthyEndpointCount, data.endpointCount)}
            </Card>
            <Card title={words.proxies} href={link('proxies')} value={data.nodeCount}>
              {words.current(data.currentVersionReadyCount, data.nodeCount)}
            </Card>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function Card({
  title,
  href,
  value,
  children,
}: {
  readonly title: string;
  readonly href: string;
  readonly value: number;
  readonly children: ComponentChildren;
}) {
  return (
    <a class="card" href={href}>
      <span class="title">{title}</span>
      <strong>{count(value)}</strong>
      <span class="quiet">{children}</span>
    </a>
  );
}
