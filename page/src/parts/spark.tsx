/** Points of time in seconds, with requests and errors. */
export type Series = readonly (readonly [at: number, requests: number, errors: number])[];

/** Several counts over time as one, in order. */
export function addedUp(all: readonly Series[]): Series {
  const sums = new Map<number, Series[number]>();
  for (const [at, requests, errors] of all.flat()) {
    const [, before, failed] = sums.get(at) ?? [at, 0, 0];
    sums.set(at, [at, before + requests, failed + errors]);
  }
  return [...sums.values()].sort(([a], [b]) => a - b);
}

/** A series in so many steps of equal length, from one time to another: few enough for a small picture. */
export function gathered(series: Series, from: number, to: number, steps: number): Series {
  const length = Math.max(1, to - from) / steps;
  const sums = Array.from({ length: steps }, (_, at): [number, number, number] => [from + at * length, 0, 0]);
  for (const [at, requests, errors] of series) {
    const step = sums[Math.max(0, Math.min(steps - 1, Math.floor((at - from) / length)))];
    if (step === undefined) continue;
    step[1] += requests;
    step[2] += errors;
  }
  return sums;
}

const [width, height] = [120, 24];

/** A small picture of requests over time, with errors in the second tone. The numbers beside it say the same to those who cannot see it. */
export function Spark({ series, label }: { readonly series: Series; readonly label: string }) {
  const most = Math.max(1, ...series.map(([, requests]) => requests));
  const step = width / Math.max(1, series.length);
  const bar = (value: number, at: number, className: string) => {
    const size = (value / most) * height;
    return (
      value > 0 && (
        <rect class={className} x={at * step} y={height - size} width={Math.max(1, step - 1)} height={size} />
      )
    );
  };
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      {series.map(([time, requests, errors], at) => (
        <g key={time}>
          {bar(requests, at, 'requests')}
          {bar(errors, at, 'errors')}
        </g>
      ))}
    </svg>
  );
}
