import { readAltNames } from '../../../src/cluster/identity/alt-names.ts';
import { parseMessage } from '../../../src/cluster/replicas/message.ts';
import { parseConcurrentBuckets } from '../../../src/contracts/concurrent-limits.ts';
import { parseSharedBucket } from '../../../src/contracts/shared-limits.ts';
import { readExpression } from '../../../src/controllers/accesspolicy/parts/cel/read-expression.ts';
import { readPath } from '../../../src/ingress/model/request-path.ts';
import { parseDirectives } from '../../../src/ingress/snippets/parse.ts';
import { readDiscovery } from '../../../src/keys/discovery.ts';
import { parseRule } from '../../../src/migrate/traefik/rule/parse.ts';
import { readToken } from '../../../src/offline/access/parts/jwt-token.ts';
import { podPatchFault } from '../../../src/pod-patch/index.ts';
import { type FuzzedParser, ofText, orThrows, texts } from './fuzzed-parser.ts';
import { hostileTexts } from './hostile-values.ts';

const issuer = 'https://issuer.test';
const part = (text: string): string => Buffer.from(text).toString('base64url');
const divider = ' ##### ';
const patch = {
  volumes: [{ name: 'geo', persistentVolumeClaim: { claimName: 'geo' } }],
  securityContext: { fsGroup: 1000, sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] },
  containers: [
    { name: 'gatewright', env: [{ name: 'TEAM', value: 'shop' }], volumeMounts: [{ name: 'geo', mountPath: '/geo' }] },
    { name: 'side', image: 'side:1', ports: [{ containerPort: 80 }], securityContext: { runAsUser: 1000 } },
  ],
};

/** What reads documents of servers, tokens, and texts with a grammar of their own. */
export const documentParsers: Readonly<Record<string, FuzzedParser>> = {
  discovery: {
    samples: texts(
      JSON.stringify({
        issuer,
        jwks_uri: `${issuer}/keys`,
        authorization_endpoint: `${issuer}/login`,
        token_endpoint: `${issuer}/token`,
      }),
    ),
    parse: orThrows(ofText((text) => readDiscovery(text, issuer))),
  },
  token: {
    samples: texts(
      ['{"alg":"RS256","kid":"a","crit":["b"]}', '{"iss":"a","aud":["b"],"exp":9,"sub":"c"}'].join(divider),
    ),
    parse: ofText((text) => readToken(`${text.split(divider).map(part).join('.')}.x`)),
  },
  podPatch: {
    samples: texts(JSON.stringify(patch)),
    parse: ofText((text) => {
      const value = json(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) podPatchFault(value as never);
    }),
  },
  replicaMessage: {
    samples: texts(
      '{"type":"requests-failed"}',
      '{"type":"budget-ask","to":"a","id":1,"policy":"a/b","key":"k","request":"r"}',
      '{"type":"limit-takes","to":"a","id":1,"cluster":"default/edge","takes":[{"bucket":"a|1/2/3","key":"k","wanted":1}]}',
    ),
    parse: orThrows(ofText(parseMessage)),
  },
  expression: {
    samples: texts(
      "request.method == 'GET' && request.headers['x-a'].startsWith('b')",
      "jwt.a.groups.exists(g, g == 'b') || !(source.address in ['10.0.0.0/8'])",
      ...hostileTexts.filter((text) => text.length < 100),
    ),
    // The definition lets no more through.
    parse: ofText((text) => readExpression(text.slice(0, 1024), (name) => (name === 'a' ? 'a' : undefined))),
  },
  altNames: {
    samples: texts('DNS:a.test, URI:spiffe://b/c, IP Address:10.0.0.1', 'DNS:"a\\"b", othername:<unsupported>'),
    parse: ofText(readAltNames),
  },
  limits: {
    samples: texts('shop/a|10/1000/10,5/60000/5|sxd12', '{"limits":[{"id":"a","most":1}]}'),
    parse: ofText((text) => [parseSharedBucket(text), parseConcurrentBuckets(text)]),
  },
  rule: {
    samples: texts('Host(`a.test`) && !PathPrefix(`/x`) || (Method("GET") && Header(`a`, `b`))'),
    parse: orThrows(ofText(parseRule)),
  },
  directives: {
    samples: texts('proxy_set_header X-A "b c"; # d\nif ($a ~* \'e\') { return 403; }\nlocation = /f { deny all; }'),
    parse: ofText(parseDirectives),
  },
  requestPath: { samples: texts('/a/../b//c/./d%2fe?f=g#h', '/%e4/%00'), parse: ofText(readPath) },
};

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
