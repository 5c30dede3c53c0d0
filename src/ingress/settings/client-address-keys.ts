import { type Setting, same } from './setting.ts';

const clientAddress = { verdict: 'decision', becomes: 'ListenerPolicy `clientIP`' } as const;

/** Keys of the ConfigMap about proxies before the controller, and what they say of clients. */
export const clientAddressKeys: readonly Setting[] = [
  ...same(['use-forwarded-headers=false'], {
    ...clientAddress,
    why: 'name the proxies before the Gateway by `trustedCIDRs`. What they took by HTTPS is sent to HTTPS again until then: `X-Forwarded-Proto` of others is not believed',
  }),
  ...same(['enable-real-ip=false'], {
    ...clientAddress,
    why: 'name the proxies before the Gateway by `trustedCIDRs`',
  }),
  ...same(['proxy-real-ip-cidr=0.0.0.0/0'], {
    ...clientAddress,
    becomes: 'ListenerPolicy `clientIP.trustedCIDRs`',
    why: '0.0.0.0/0 trusts every client, who then chooses its own address: name the proxies',
  }),
  ...same(['forwarded-for-header=X-Forwarded-For'], {
    ...clientAddress,
    becomes: 'ListenerPolicy `clientIP.header`',
    why: 'a header of one’s own needs `trustedCIDRs`',
  }),
  ...same(['compute-full-forwarded-for=false'], {
    verdict: 'same',
    becomes: 'ListenerPolicy `headers.forwarded.forwardedFor`',
  }),
];
