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
        'A receiver of OpenTelemetry by HTTP, such as a collector; spans go to `/v1/traces` below it. Without it there are none.',
      ),
    samplingPercent: z
      .number({ error: percent })
      .min(0, { error: percent })
      .max(100, { error: percent })
      .default(100)
      .describe('Of requests that come without a trace. Those with one go by its decision.'),
    serviceName: text('a name such as "gatewright"').default('gatewright').describe('`service.name` of the spans.'),
    ...serverAccess({ variable: 'OTLP_AUTHORIZATION', header: 'sent with', readAgain: 'each time' }),
  })
  .refine(hasOneAuthorization, severalAuthorizations)
  .prefault({})
  .describe('Spans of what models are asked, in OpenTelemetry’s words for generative AI.');

function isServer(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}
