/** What each part of an access policy does with a request, as Envoy's filter for it does. One file for each. */
import type * as ir from '../../../ir/index.ts';
import type { Presented } from '../presented.ts';
import type { Verdict } from '../verdict.ts';
import { judgeAnyOf } from './any-of.ts';
import { judgeApiKeys } from './api-keys.ts';
import { judgeAuthorization } from './authorization.ts';
import { judgeBasicAuth } from './basic-auth.ts';
import { judgeClientCertificates } from './client-certificates.ts';
import { judgeClientIPs } from './client-ips.ts';
import { judgeCsrf } from './csrf.ts';
import { judgeForwardAuth } from './forward-auth.ts';
import { judgeJwt } from './jwt.ts';
import { judgeOidc } from './oidc.ts';

type Judges = {
  readonly [P in ir.AccessPart]: (
    demanded: NonNullable<ir.Access[P]>,
    request: Presented,
  ) => Verdict | Promise<Verdict>;
};

/** A part without one does not compile. */
const judges: Judges = {
  clientIPs: judgeClientIPs,
  clientCertificates: judgeClientCertificates,
  csrf: judgeCsrf,
  oidc: judgeOidc,
  any: judgeAnyOf,
  apiKeys: judgeApiKeys,
  basicAuth: judgeBasicAuth,
  jwt: judgeJwt,
  forwardAuth: judgeForwardAuth,
  authorization: judgeAuthorization,
};

/** What a part that a level demands does with the request; undefined: the level demands nothing of it. */
export async function judgePart(
  part: ir.AccessPart,
  access: ir.Access,
  request: Presented,
): Promise<Verdict | undefined> {
  const demanded = access[part];
  return demanded && (judges[part] as Judge)(demanded, request);
}

type Judge = (demanded: object, request: Presented) => Verdict | Promise<Verdict>;
