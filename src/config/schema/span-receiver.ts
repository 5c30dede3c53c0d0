import * as z from 'zod';
import { text } from './leaf.ts';
import { hasOneAuthorization, serverAccess, severalAuthorizations } from './server-access.ts';

const percent = 'a number from 0 to 100';
const url = 'a URL such as "http://collector.observability.svc:4318", without credentials and query';

/** Where spans go. `sampled`: what has no trace context of its own. */
export const spanReceiver = ({ sampled, serviceName }: { readonly sampled: string; readonly serviceName: string }) =>
  z
    .strictObject({
      otlpUrl: text(url)
        .refine((value) => isServer(value), { error: url })
        .optional()
        .describe(
          'URL of an OTLP/HTTP receiver, such as a collector; spans go to `/v1/traces` below it. Default: no spans.',
        ),
      samplingPercent: z
        .number({ error: percent })
        .min(0, { error: percent })
        .max(100, { error: percent })
        .default(100)
        .describe(`Sampling of ${sampled}. Others keep the decision of their trace.`),
      serviceName: text(`a name such as "${serviceName}"`)
        .default(serviceName)
        .describe('`service.name` of the spans.'),
      ...serverAccess({ variable: 'OTLP_AUTHORIZATION', header: 'exports', readAgain: 'each time' }),
    })
    .refine(hasOneAuthorization, severalAuthorizations)
    .prefault({});

function isServer(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}
