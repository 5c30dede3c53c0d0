/** Resident memory at a time. */
export interface Sample {
  readonly minutes: number;
  readonly mb: number;
}

/** The least sample of each of so many equal windows, with the end of the window; a window without samples has none. */
export function floorsOf(
  samples: readonly Sample[],
  { from, to, windows }: { readonly from: number; readonly to: number; readonly windows: number },
): Sample[] {
  const width = (to - from) / windows;
  return Array.from({ length: windows }, (_, at) => {
    const [begins, ends] = [from + at * width, from + (at + 1) * width];
    const inIt = samples.filter(({ minutes }) => minutes >= begins && minutes < ends);
    return { minutes: ends, mb: Math.min(...inIt.map(({ mb }) => mb)) };
  }).filter(({ mb }) => Number.isFinite(mb));
}

/** MB per minute, of the straight line through them by least squares. */
export function slopeOf(points: readonly Sample[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(({ minutes }) => minutes)), mean(points.map(({ mb }) => mb))];
  const over = points.reduce((sum, point) => sum + (point.minutes - x) * (point.mb - y), 0);
  const under = points.reduce((sum, point) => sum + (point.minutes - x) ** 2, 0);
  return Math.round((over / under) * 100) / 100;
}
