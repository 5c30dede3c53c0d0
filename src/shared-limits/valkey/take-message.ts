import { type LimitGrant, type LimitTake, parseSharedBucket, type SharedBucket } from '../../contracts/index.ts';
import { paceMsOf } from '../bucket-owner.ts';

/** What the script is called with; undefined for a bucket that is none. `fresh`: the owner's name, if the bucket is new. */
export function scriptArguments(
  { bucket, wanted, least = 1, used = 0, back, owner, debts }: LimitTake,
  fresh: string,
): string[] | undefined {
  const windows = parseSharedBucket(bucket)?.windows;
  if (!windows) return undefined;
  return [
    ...[wanted, least, used, back].map(String),
    owner,
    fresh,
    String(paceMsOf(windows) * 1000),
    ...windows.flatMap(({ requests, perMs, burst }, at) => [
      String((perMs * 1000) / requests),
      String(burst),
      String((debts[at] ?? 0) * 1000),
    ]),
  ];
}

const longestOwner = 64;

/** What the script answered; undefined for what it never answers. */
export function readGrant(answer: unknown, { wanted, bucket }: LimitTake): LimitGrant | undefined {
  const windows: SharedBucket['windows'] = parseSharedBucket(bucket)?.windows ?? [];
  if (!Array.isArray(answer) || answer.length !== 3 + windows.length) return undefined;
  const [granted, wait, owner, ...debts] = answer.map(String);
  const most = Math.min(wanted, ...windows.map(({ burst }) => burst));
  const [tokens, waitUs, ...debtsUs] = [granted, wait, ...debts].map((text) =>
    text === '' ? Number.NaN : Number(text),
  );
  const isOne = Number.isInteger(tokens) && (tokens ?? -1) >= 0 && (tokens ?? 0) <= most;
  const areTimes = [waitUs, ...debtsUs].every((time) => time !== undefined && Number.isFinite(time) && time >= 0);
  if (!isOne || !areTimes || !owner || owner.length > longestOwner) return undefined;
  return { granted: tokens ?? 0, waitMs: (waitUs ?? 0) / 1000, owner, debts: debtsUs.map((us) => us / 1000) };
}
