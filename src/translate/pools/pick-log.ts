import type { MessageInitShape } from '@bufbuild/protobuf';
import { pickCounter, poolHeaders } from '../../contracts/index.ts';
import type { AccessLogSchema } from '../../envoy/index.ts';
import { celLogFilter, countingLog } from '../resource/index.ts';

const { pick, named, endpoint } = poolHeaders;

/**
 * A server answered that is none of those that the picker named. Only the server itself is in the counter's name: there are as many of these as Pods,
 * while a picker may write what it likes.
 */
const isReplaced = [
  ...[pick, named, endpoint].map((name) => `'${name}' in response.headers`),
  `response.headers['${pick}'] == 'picked'`,
  `!(response.headers['${endpoint}'] in response.headers['${named}'].replace(' ', '').split(','))`,
].join(' && ');

/** Without dots, so that it ends where the next part begins. */
const written = (key: string): string => key.replaceAll('.', '~');

const counting = (key: string, outcome: string, expression: string) =>
  countingLog(
    'gatewright.picks',
    [
      {
        stat: {
          name: pickCounter,
          tags: [{ name: 'pool', valueFormat: `${written(key)}.outcome.${outcome}.endpoint.%RESP(${endpoint}):64%` }],
        },
        valueFixed: 1n,
      },
    ],
    celLogFilter(expression),
  );

/** What counts which model servers of a pool answered, and why it was them. It belongs to the listener that requests for the pool come to first. */
export const pickLogs = (key: string): MessageInitShape<typeof AccessLogSchema>[] => [
  counting(key, `%RESP(${pick}):16%`, `!(${isReplaced})`),
  counting(key, 'replaced', isReplaced),
];
