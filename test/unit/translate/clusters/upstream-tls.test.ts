import { anyUnpack } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import { SubjectAltNameMatcher_SanType as SanType, UpstreamTlsContextSchema } from '../../../../src/envoy/index.ts';
import type * as ir from '../../../../src/ir/index.ts';
import { upstreamTls } from '../../../../src/translate/clusters/upstream-tls.ts';

/** By what a backend's certificate is checked that must have these names. */
function matchersOf(names: ir.BackendTls['names']) {
  const { configType } = upstreamTls({ key: 'default/web:443', protocol: 'http1' }, { serverName: 'web.test', names });
  const packed = configType?.case === 'typedConfig' ? configType.value : undefined;
  const context = packed && anyUnpack(packed as Parameters<typeof anyUnpack>[0], UpstreamTlsContextSchema);
  const { validationContextType } = context?.commonTlsContext ?? {};
  const validation = validationContextType?.case === 'validationContext' ? validationContextType.value : undefined;
  return validation?.matchTypedSubjectAltNames.map(({ sanType, matcher }) => [sanType, matcher?.matchPattern.value]);
}

test('a certificate has a name among its names, and an address among its addresses', (t) => {
  t.deepEqual(
    matchersOf([
      { kind: 'dns', value: 'web.test' },
      { kind: 'dns', value: '127.0.0.1' },
      { kind: 'uri', value: 'spiffe://web' },
    ]),
    [
      [SanType.DNS, 'web.test'],
      [SanType.IP_ADDRESS, '127.0.0.1'],
      [SanType.URI, 'spiffe://web'],
    ],
  );
});
