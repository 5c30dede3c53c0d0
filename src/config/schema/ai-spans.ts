import * as z from 'zod';
import { SecretText } from '../secret-text.ts';
import { flag, text } from './leaf.ts';

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
    authorization: text(`an Authorization header, best written as "\${OTLP_AUTHORIZATION}"`)
      .transform((value) => new SecretText(value))
      .meta({ type: 'string' })
      .optional()
      .describe('The `Authorization` header it is sent with. Name an environment variable here.'),
    authorizationFile: text('the path of a file that holds the header')
      .optional()
      .describe('A file that holds that header, such as a mounted Secret; read again each time.'),
    caFile: text('the path of a PEM file')
      .optional()
      .describe('Authorities of its certificate in PEM; those of the system by default.'),
    serverName: text('a host name').optional().describe('Name in its certificate, when it is not the URL’s host.'),
    insecureSkipVerify: flag().prefault(false).describe('Takes any certificate.'),
  })
  .refine(({ authorization, authorizationFile }) => authorization === undefined || authorizationFile === undefined, {
    error: 'one of authorization and authorizationFile: remove the other',
  })
  .prefault({})
  .describe('Spans of what models are asked, in OpenTelemetry’s words for generative AI.');

function isServer(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}
