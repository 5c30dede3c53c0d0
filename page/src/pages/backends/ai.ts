import { type AiService, apiUrl, type LightBackend } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';

/** What happened to requests to a service of models in five minutes. */
export interface AiFigures {
  readonly requests: number;
  readonly errors: number;
}

type Named = Pick<LightBackend, 'kind' | 'namespace' | 'service'>;

const windowSeconds = 300;
/** From which share of errors on requests are said to fail, as for routes. */
const failingShare = 0.05;

/** Requests to services of models are counted with their rule; what each service did is known from what was used. */
export function useAiFigures(isNeeded: boolean): (backend: Named) => AiFigures | undefined {
  const services = useLive<readonly AiService[]>(isNeeded ? apiUrl('/v1/ai/services') : null);
  const byName = new Map(services.data?.map(({ namespace, name, last5m }) => [`${namespace}/${name}`, last5m]));
  return ({ kind, namespace, service }) => (kind === 'AIService' ? byName.get(`${namespace}/${service}`) : undefined);
}

export const perSecond = ({ requests }: AiFigures): number => requests / windowSeconds;

export const errorRatio = ({ requests, errors }: AiFigures): number => (requests === 0 ? 0 : errors / requests);

export const fails = (figures: AiFigures | undefined): boolean =>
  figures !== undefined && figures.errors > 0 && errorRatio(figures) >= failingShare;
