import test from 'ava';
import { istioBootstrap } from '../../bench/peer/istio-config.ts';
import { validateBootstrap } from '../support/envoy.ts';

test('our Envoy takes the bootstrap that the bench gives it for Istio', async (t) => {
  const bootstrap = istioBootstrap({
    namespace: 'default',
    pod: 'istio-istio-0',
    address: '198.51.100.1',
    labels: { 'gateway.networking.k8s.io/gateway-name': 'istio' },
    serviceAccount: 'istio-istio',
    service: 'istio-istio',
    adminPort: 0,
  });
  t.is(await validateBootstrap(bootstrap), undefined);
});
