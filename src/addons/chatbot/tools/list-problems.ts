import * as z from 'zod';
import { faultsIn, faultText } from './conditions.ts';
import { counted, type ToolContext, tool } from './tool.ts';
import type { CertificateAnswer, GatewayAnswer, ListenerAnswer, RouteAnswer, SyncAnswer } from './wire.ts';

/** Something that is not as it should be. */
export interface Problem {
  readonly area: 'gateway' | 'listener' | 'route' | 'certificate' | 'data plane';
  readonly what: string;
  readonly why: string;
}

/** So many are told; how many there are is told always. */
const mostListed = 50;

export const listProblemsTool = tool({
  name: 'list_problems',
  title: 'Everything that is wrong',
  description:
    'Gateways, listeners and routes with conditions that are not as they should be (not accepted, unresolved references), certificates that end soon or cannot be used, data planes that are not current. The answer to “is anything wrong?” and “what is not accepted?”.',
  input: z.strictObject({
    area: z.enum(['gateway', 'listener', 'route', 'certificate', 'data plane']).optional().describe('Only of this'),
  }),
  async run({ area }, context) {
    const problems = (
      await Promise.all(areas.filter(([name]) => area === undefined || name === area).map(([, look]) => look(context)))
    ).flat();
    return {
      summary: problems.length === 0 ? 'nothing is wrong' : counted(problems.length, 'problem'),
      value: { total: problems.length, problems: problems.slice(0, mostListed) },
    };
  },
});

const get = async <T>({ ask }: ToolContext, path: string): Promise<T> => (await ask({ method: 'GET', path })).body as T;

const areas: readonly (readonly [Problem['area'], (context: ToolContext) => Promise<Problem[]>])[] = [
  [
    'gateway',
    async (context) =>
      (await get<readonly GatewayAnswer[]>(context, '/v1/gateways')).flatMap(({ namespace, name, conditions }) =>
        faultsIn(conditions).map((fault) => ({
          area: 'gateway' as const,
          what: `Gateway ${namespace}/${name}`,
          why: faultText(fault),
        })),
      ),
  ],
  [
    'listener',
    async (context) =>
      (await get<readonly ListenerAnswer[]>(context, '/v1/listeners')).flatMap(({ name, conditions }) =>
        faultsIn(conditions).map((fault) => ({
          area: 'listener' as const,
          what: `listener ${name}`,
          why: faultText(fault),
        })),
      ),
  ],
  ['route', async (context) => (await get<readonly RouteAnswer[]>(context, '/v1/routes')).flatMap(routeProblems)],
  [
    'certificate',
    async (context) =>
      (await get<readonly CertificateAnswer[]>(context, '/v1/certificates'))
        .filter(({ state }) => state !== 'valid')
        .map((certificate) => ({
          area: 'certificate' as const,
          what: `certificate ${certificate.namespace}/${certificate.name}`,
          why: certificateText(certificate),
        })),
  ],
  [
    'data plane',
    async (context) =>
      (await get<SyncAnswer>(context, '/v1/snapshot-sync')).nodes
        .filter(({ sync }) => sync === 'drifted')
        .map(({ nodeId, state, message, lastNackMessage }) => ({
          area: 'data plane' as const,
          what: `data plane ${nodeId}`,
          why: `${state}: ${lastNackMessage ?? message}`,
        })),
  ],
];

function routeProblems({ kind, namespace, name, parents }: RouteAnswer): Problem[] {
  const what = `${kind} ${namespace}/${name}`;
  if (parents.length === 0)
    return [
      { area: 'route', what, why: 'none of its parentRefs is a Gateway of ours that exists: no proxy serves it' },
    ];
  return parents.flatMap(({ parentRef, conditions }) =>
    faultsIn(conditions).map((fault) => ({
      area: 'route' as const,
      what,
      why: `at ${parentRef.namespace ?? namespace}/${parentRef.name}: ${faultText(fault)}`,
    })),
  );
}

/** `ends in 3 days (2026-01-05T…), for shop.test, used by default.edge.https` */
export function certificateText({ state, daysLeft, notAfter, sans, usedBy }: CertificateAnswer): string {
  if (state === 'unusable')
    return `is missing or cannot be used; used by ${usedBy.map(({ name }) => name).join(', ') || 'no listener'}`;
  const days = daysLeft ?? 0;
  const when =
    state === 'not-yet-valid'
      ? 'is not valid yet'
      : days < 0
        ? `ended ${counted(-days, 'day')} ago`
        : `ends in ${counted(days, 'day')}`;
  const names = (sans ?? []).slice(0, 5).join(', ') || 'no name';
  return `${when} (${notAfter}), for ${names}, used by ${usedBy.map(({ name }) => name).join(', ') || 'no listener'}`;
}
