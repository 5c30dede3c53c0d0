import type { Example } from '../../scripts/example/example.ts';

/** From where a client comes: the networks of documentation, as the database below has them. */
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const nuremberg = from('192.0.2.7');
const paris = from('198.51.100.7');
const unknown = from('203.0.113.7');

const shop = { scheme: 'https', host: 'shop.localhost', port: 8443, path: '/' } as const;
const members = { ...shop, host: 'members.localhost' } as const;
const served = { status: 200, backend: 'shop' } as const;

export const example: Example = {
  certificates: [{ secret: 'shop', hostnames: ['shop.localhost', 'members.localhost'] }],
  places: {
    '192.0.2.0/24': {
      city: { names: { en: 'Nuremberg' } },
      country: { iso_code: 'DE' },
      subdivisions: [{ iso_code: 'BY' }],
    },
    '198.51.100.0/24': { country: { iso_code: 'FR' } },
  },
  requests: [false, true].flatMap((http3): Example['requests'] => [
    { ...shop, ...nuremberg, http3, expect: { ...served, sees: { 'x-country': 'DE', 'x-city': 'Nuremberg' } } },
    { ...shop, ...paris, http3, expect: { status: 403 } },
    { ...shop, ...unknown, http3, expect: served },
    { ...members, ...nuremberg, http3, expect: served },
    { ...members, ...paris, http3, expect: { status: 403 } },
    { ...members, ...unknown, http3, expect: { status: 403 } },
    // What a client writes itself does not count.
    { ...members, http3, headers: { ...paris.headers, 'x-country': 'DE' }, expect: { status: 403 } },
  ]),
};
