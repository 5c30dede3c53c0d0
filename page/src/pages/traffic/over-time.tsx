import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Traffic } from '../../api/index.ts';
import { addedUp, type Series, Unknown } from '../../parts/index.ts';
import { count, percent, rate, timeOfDay } from '../../text/index.ts';
import type { ChartProps } from './chart.tsx';
import { AtMost } from './columns.tsx';
import { type Steps, stepsOf } from './steps.ts';
import { trafficWords } from './words.ts';

/** Requests and failures over time: a chart, and the same numbers as a table. */
export function OverTime({ traffic }: { readonly traffic: Traffic }) {
  const words = trafficWords();
  const { totals, window, items } = traffic;
  const steps = stepsOf(addedUp(items.map(({ series = [] }) => series as unknown as Series)), window);
  return (
    <>
      <div class="figures">
        <Figure label={words.perSecond}>{rate(totals.perSecond)}</Figure>
        <Figure label={words.failed} isBad={totals.errors > 0}>
          {percent(totals.errorRatio ?? 0)}
        </Figure>
        <Figure label={words.median}>
          <AtMost ms={totals.p50Ms} />
        </Figure>
        <Figure label={words.slow}>
          <AtMost ms={totals.p99Ms} />
        </Figure>
      </div>
      <LazyChart
        label={words.chart(totals.requests, count(totals.errors))}
        points={steps.whole}
        stepSeconds={window.stepSeconds}
      />
      <Numbers steps={steps} />
    </>
  );
}

function Figure({
  label,
  isBad = false,
  children,
}: {
  readonly label: string;
  readonly isBad?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={isBad ? 'figure failing' : 'figure'}>
      <strong>{children}</strong>
      <span>{label}</span>
    </div>
  );
}

/** The library for charts is large and no other page needs it. */
function LazyChart(props: ChartProps) {
  const chart = useSignal<ComponentType<ChartProps> | undefined>(undefined);
  useEffect(() => {
    void import('./chart.tsx').then(({ Chart }) => {
      chart.value = Chart;
    });
  }, []);
  const Chart = chart.value;
  return <div class="chart">{Chart && <Chart {...props} />}</div>;
}

function Numbers({ steps: { whole, unfinished } }: { readonly steps: Steps }) {
  const words = trafficWords();
  const shown = useSignal(false);
  const figure = (value: number | null) => (value === null ? <Unknown why={words.gap} /> : count(value));
  return (
    <details
      onToggle={(event) => {
        shown.value = event.currentTarget.open;
      }}
    >
      <summary>{words.numbers}</summary>
      {shown.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <div class="scrolls" tabIndex={0} role="region" aria-label={words.numbers}>
          <table class="numbers">
            <thead>
              <tr>
                <th scope="col">{words.at}</th>
                <th scope="col">{words.requestsOf}</th>
                <th scope="col">{words.errorsOf}</th>
              </tr>
            </thead>
            <tbody>
              {[...whole, ...(unfinished ? [unfinished] : [])].toReversed().map(([at, requests, errors]) => (
                <tr key={at}>
                  <th scope="row">
                    {timeOfDay(new Date(at * 1000))}{' '}
                    {at === unfinished?.[0] && <span class="quiet">{words.soFar}</span>}
                  </th>
                  <td>{figure(requests)}</td>
                  <td>{figure(errors)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
