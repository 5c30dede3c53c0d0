import * as z from 'zod';
import { text } from './leaf.ts';
import { hasOneAuthorization, serverAccess, severalAuthorizations } from './server-access.ts';

const percent = 'a number from 0 to 100';
const url = 'a URL such as "http://collector.observability.svc:4318", without credentials and query';

/** Where spans of AI requests go. */
export const aiSpans = z
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
      .describe('Sampling of requests without a trace context. Others keep the decision of their trace.'),
    serviceName: text('a name such as "gatewright"').default('gatewright').describe('`service.name` of the spans.'),
    ...serverAccess({ variable: 'OTLP_AUTHORIZATION', header: 'exports', readAgain: 'each time' }),
  })
  .refine(hasOneAuthorization, severalAuthorizations)
  .prefault({})
  .describe('Spans of requests to models, with OpenTelemetry’s names for generative AI.');

function isServer(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}
