import { parseDurationMs } from '../../../std/index.ts';
import type { FilterGroup } from './group.ts';

const perMillion = (percent: number): number => percent * 10_000;

export const faults: FilterGroup<'faults'> = {
  valueOf: ({ delay, abort, onlyWithHeader: header }) => ({
    ...(delay && { delay: { ms: parseDurationMs(delay.duration) ?? 0, perMillion: perMillion(delay.percent) } }),
    ...(abort && {
      abort: {
        ...(abort.status !== undefined && { status: abort.status }),
        ...(abort.grpcStatus !== undefined && { grpcStatus: abort.grpcStatus }),
        perMillion: perMillion(abort.percent),
      },
    }),
    ...(header && { header: { ...header, name: header.name.toLowerCase() } }),
  }),
};
