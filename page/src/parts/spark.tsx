/** Points of time in seconds, with requests and errors. */
export type Series = readonly (readonly [at: number, requests: number, errors: number])[];

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
