import { responseFlags } from '../../problems/index.ts';
import { type Trouble, verdictOfFailure, verdictWords } from '../../traffic/index.ts';
import { backendOf } from './groups.ts';

const whole = 100;

/** `31 % of 1204 requests failed`, of about half a minute. */
export const shareWords = ({ requests, errors }: Pick<Trouble, 'requests' | 'errors'>): string => {
  const percent = Math.round((errors / Math.max(1, requests)) * whole);
  const share = percent === 0 ? 'less than 1 %' : `${percent} %`;
  return errors < requests ? `${share} of ${requests} requests failed` : `${errors} of ${requests} requests failed`;
};

/** Flags of answers that a proxy gives before it asks the backend of the rule. */
const flagsOfProxies: readonly string[] = ['FI', 'UAEX', 'RLSE', 'OM', 'NFCF'];

/** Whether it says something about the backend that its requests were for: a policy or a full proxy may answer in its place. */
export const isOfBackend = ({ flags, sample }: Pick<Trouble, 'flags' | 'sample'>): boolean => {
  const all = [...(sample?.flags ?? []), ...flags];
  return all.length === 0 || all.some((flag) => !flagsOfProxies.includes(flag));
};

/** What fails, in words: `backend default/shop:80: the endpoint 10.0.0.7:9002 refuses connections (UF)`. */
export function troubleWords(trouble: Pick<Trouble, 'backend' | 'flags' | 'sample'>): string {
  const found = isOfBackend(trouble) ? backendOf(trouble.backend) : undefined;
  return `${found === undefined ? '' : `backend ${found.namespace}/${found.name}: `}${faultWords(trouble)}`;
}

/** The same without the name of the backend. */
export function faultWords(trouble: Pick<Trouble, 'flags' | 'sample'>): string {
  const { sample } = trouble;
  const verdict = sample === null ? undefined : verdictOfFailure(sample);
  if (sample !== null && verdict !== undefined && sample.endpoint !== '') {
    const reason = verdict.code === 'tls_fails' ? `: ${sample.transportFailure || sample.details}` : '';
    return `the endpoint ${sample.endpoint} ${verdictWords[verdict.code]}${reason}`;
  }
  const flag = flagOf(trouble);
  if (flag !== undefined) return `${flagWords[flag] ?? responseFlags[flag]?.name ?? 'requests fail'} (${flag})`;
  return 'it answers 5xx';
}

/** The flag that explains it; undefined: the backend answers so by itself. */
export const flagOf = ({ flags, sample }: Pick<Trouble, 'flags' | 'sample'>): string | undefined =>
  // URX only says that it was tried more than once.
  [...(sample?.flags ?? []), ...flags].find((flag) => flag !== 'URX') ?? (flags.includes('URX') ? 'URX' : undefined);

const flagWords: Readonly<Record<string, string>> = {
  UH: 'it has no healthy endpoint',
  UF: 'its endpoints cannot be connected to',
  UO: 'its circuit breaker is full',
  UT: 'it does not answer in time',
  UC: 'it closes connections before its answer is complete',
  UR: 'it resets requests',
  UPE: 'it breaks the HTTP protocol',
  URX: 'all attempts fail',
  NC: 'the proxy does not have it',
  DF: 'its name cannot be resolved',
  UAEX: 'the authorization service fails',
  RLSE: 'the rate limit service fails',
  OM: 'the proxy is overloaded',
  NFCF: 'the configuration of a filter is missing',
  FI: 'a policy answers them with an error, and no backend is asked',
};
