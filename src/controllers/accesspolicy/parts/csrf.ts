import * as ir from '../../../ir/index.ts';
import { type ResolvedPart, type Spec, unlessInvalid } from './part.ts';

const host = /^(\*\.)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?$/i;

type CsrfSpec = NonNullable<Spec['csrf']>;

export function resolveCsrf({ additionalOrigins = [], shadow, shadowPercent }: CsrfSpec): ResolvedPart<ir.Csrf> {
  const faults = additionalOrigins.flatMap((origin, index) =>
    host.test(origin)
      ? []
      : [`csrf.additionalOrigins[${index}]: ${JSON.stringify(origin)} is not a host: write it without scheme and path`],
  );
  return unlessInvalid(faults, () => ({
    additionalOrigins: additionalOrigins.map(originMatch),
    ...(shadow && { shadow: true as const }),
    ...(!shadow && shadowPercent !== undefined && { shadowPercent }),
  }));
}

/** Proxies compare host and port. A wildcard stands for any number of labels, not for none. */
function originMatch(origin: string): ir.ValueMatch {
  const lower = origin.toLowerCase();
  if (!lower.startsWith('*.')) return { kind: 'exact', value: lower };
  return { kind: 'regex', value: `[^/:]+${ir.literalPattern(lower.slice(1))}` };
}
