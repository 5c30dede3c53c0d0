import type { Example, ExampleRequest } from '../../scripts/example/example.ts';

const shop = { host: 'shop.localhost', port: 8080, headers: { accept: '*/*' } } as const;
const served = { status: 200, backend: 'shop' } as const;
const blocked = { status: 403 } as const;

/** Form fields as a browser sends them. */
const form = (body: string, expect: ExampleRequest['expect']): ExampleRequest => ({
  ...shop,
  path: '/orders',
  method: 'POST',
  headers: { ...shop.headers, 'content-type': 'application/x-www-form-urlencoded' },
  body,
  expect,
});

export const example: Example = {
  firewallBackends: ['firewall'],
  requests: [
    { ...shop, path: '/?q=select+a+shirt+from+the+list', expect: served },
    form('name=O%27Brien&note=union+square', served),
    { ...shop, path: "/?id=1'+OR+'1'='1", expect: blocked },
    { ...shop, path: '/?q=%3Cscript%3Ealert(1)%3C/script%3E', expect: blocked },
    { ...shop, path: '/?file=../../../etc/passwd', expect: blocked },
    {
      ...shop,
      path: '/',
      headers: { ...shop.headers, 'user-agent': '() { :;}; /bin/cat /etc/passwd' },
      expect: blocked,
    },
    form("id=1'+UNION+SELECT+password+FROM+users--", blocked),
  ],
};
