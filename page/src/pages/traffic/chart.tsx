import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { shownTheme } from '../../app/theme.ts';
import { timeOfDay } from '../../text/index.ts';
import type { Point } from './steps.ts';
import { trafficWords } from './words.ts';

export interface ChartProps {
  /** What it shows, for those who cannot see it. */
  readonly label: string;
  readonly points: readonly Point[];
  readonly stepSeconds: number;
}

const height = 180;

/** Requests and failures per second over time. */
export function Chart({ label, points, stepSeconds }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const colours = shownTheme.value;
  const data = dataOf(points, stepSeconds);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const drawn = new uPlot(optionsOf(element), data, element);
    plot.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawn.destroy();
    };
  }, [colours]);
  useEffect(() => plot.current?.setData(data), [points]);
  const words = trafficWords();
  return (
    <>
      <div ref={place} role="img" aria-label={label} data-points={points.length} />
      <p class="legend quiet" aria-hidden="true">
        <span class="mark requests" /> {words.perSecond} <span class="mark errors" /> {words.failed}
      </p>
    </>
  );
}

/** Per second; null is a gap. */
function dataOf(points: readonly Point[], stepSeconds: number): uPlot.AlignedData {
  const perSecond = (value: number | null) => (value === null ? null : value / stepSeconds);
  return [
    points.map(([at]) => at),
    points.map(([, requests]) => perSecond(requests)),
    points.map(([, , errors]) => perSecond(errors)),
  ];
}

function optionsOf(element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: colour('quiet'), grid: { stroke: colour('line') }, ticks: { stroke: colour('line') } };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    // The last time is written half beyond the last point.
    padding: [null, 32, null, null],
    cursor: { y: false },
    scales: { y: { range: (_, __, most) => [0, Math.max(most * 1.1, 0.1)] } },
    axes: [
      { ...axis, space: 90, values: (_, times) => times.map((time) => timeOfDay(new Date(time * 1000))) },
      { ...axis, size: 60 },
    ],
    series: [
      {},
      { stroke: colour('accent'), width: 2, points: { size: 4 } },
      { stroke: colour('failing'), width: 2, dash: [6, 3], points: { size: 4 } },
    ],
  };
}
