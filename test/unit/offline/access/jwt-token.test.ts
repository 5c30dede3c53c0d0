import test from 'ava';
import { readToken } from '../../../../src/offline/access/parts/jwt-token.ts';

const part = (text: string): string => Buffer.from(text).toString('base64url');

for (const crit of ['{"toString":1}', '[{"toString":1}]', '7'])
  test(`of a token's critical headers only texts are read: ${crit}`, (t) => {
    const token = readToken(`${part(`{"alg":"RS256","crit":${crit}}`)}.${part('{"sub":"a"}')}.x`);
    t.like(token, { algorithm: 'RS256', critical: [] });
  });
