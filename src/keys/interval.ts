const minuteMs = 60_000;
const defaultMs = 5 * minuteMs;

/** How long an answer is fresh: what it says by max-age, between a minute and an hour; else five minutes. Source: RFC 9111, 5.2.2.1. */
export function freshForMs(cacheControl: string | undefined): number {
  const seconds = /(?:^|[,\s])max-age\s*=\s*"?(\d{1,10})/i.exec(cacheControl ?? '')?.[1];
  if (seconds === undefined) return defaultMs;
  return Math.min(60 * minuteMs, Math.max(minuteMs, Number(seconds) * 1000));
}

/** Up to a tenth earlier, so that what was fetched together is not for ever. */
export const jittered = (ms: number, random: () => number): number => ms * (0.9 + 0.1 * random());
