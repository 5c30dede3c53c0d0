import type { ExampleRequest, Shares } from './example.ts';
import type { Answer } from './send.ts';

/** What of the answers is not as expected; empty when all is well. `moved` takes written ports to the ones in use. */
export function check(
  { expect }: ExampleRequest,
  answers: readonly Answer[],
  moved: ReadonlyMap<number, number>,
): string[] {
  const backends = answers.map(({ echo }) => echo?.backend);
  return [
    ...answers.flatMap((answer) => checkAnswer(expect, answer, moved)),
    ...checkShares(expect.shares, backends),
    ...checkEndpoints(expect.endpoints, answers),
  ];
}

function checkAnswer(expect: ExampleRequest['expect'], answer: Answer, moved: ReadonlyMap<number, number>): string[] {
  const pairs: [string, unknown, unknown][] = [
    ['status', answer.status, expect.status],
    ['grpc-status', answer.grpcStatus, expect.grpcStatus],
    ['backend', answer.echo?.backend, expect.backend],
    ['path', answer.echo?.path, expect.path],
    ['certificate', answer.certificate, expect.certificate],
    ...pairsOf('request header', answer.echo?.headers, expect.sees, moved),
    ...pairsOf('response header', answer.headers, expect.headers, moved),
    ...(expect.without ?? []).map((name): [string, unknown, unknown] => [
      `response header ${name}`,
      answer.headers[name] ?? 'not there',
      'not there',
    ]),
  ];
  return pairs.flatMap(([what, got, wanted]) =>
    wanted === undefined || got === wanted ? [] : [`${what} is ${got}, not ${wanted}`],
  );
}

const pairsOf = (
  what: string,
  got: Readonly<Record<string, unknown>> = {},
  wanted: Readonly<Record<string, string>> = {},
  moved: ReadonlyMap<number, number>,
): [string, unknown, unknown][] =>
  Object.entries(wanted).map(([name, value]) => [
    `${what} ${name}`,
    textOf(got[name]),
    value.replace(/(?<=:)\d+/g, (port) => `${moved.get(Number(port)) ?? port}`),
  ]);

/** Of a header; of several with the name, as of cookies, all. */
const textOf = (value: unknown): unknown => (Array.isArray(value) ? value.join(', ') : value);

function checkEndpoints(wanted: number | undefined, answers: readonly Answer[]): string[] {
  const { size } = new Set(answers.map(({ echo }) => echo?.port));
  return wanted === undefined || size === wanted ? [] : [`${size} endpoints answered, not ${wanted}`];
}

/** Which shares are not as expected. `backends` is who answered, each time. */
export function checkShares(shares: Shares = {}, backends: readonly (string | undefined)[]): string[] {
  return Object.entries(shares).flatMap(([backend, [least, most]]) => {
    const share = backends.filter((answered) => answered === backend).length / backends.length;
    return share >= least && share <= most
      ? []
      : [`${backend} answered ${share * 100} %, not ${least * 100} to ${most * 100} %`];
  });
}
