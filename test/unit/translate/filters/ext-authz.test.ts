import test from 'ava';
import type * as ir from '../../../../src/ir/index.ts';
import { afterRouting, extAuthz } from '../../../../src/translate/filters/external-auth/ext-authz.ts';

const server = {
  backend: 'default/auth/80',
  authority: 'auth.default',
  requestHeaders: [],
  responseHeaders: [],
} as const;

/** Whether a server may be asked a second time that has this long to answer. */
function isAskedAgain(protocol: ir.ExternalAuth['protocol'], timeoutMs: number): boolean {
  const { services } = extAuthz({ ...server, protocol, timeoutMs }, afterRouting);
  if (services.case === 'httpService') return services.value.retryPolicy !== undefined;
  return services.value?.retryPolicy !== undefined;
}

test('a server that may take longer than Envoy’s ten seconds for a try by HTTP is asked once, and has its time', (t) => {
  t.true(isAskedAgain('http', 10_000));
  t.false(isAskedAgain('http', 30_000));
  t.true(isAskedAgain('grpc', 30_000));
});
