import test from 'ava';
import { message, reportUntilKept } from '../support/ai-reports.ts';
import { gateway, gatewayClass } from '../support/objects.ts';
import { Postgres } from '../support/postgres.ts';
import { startTwo } from '../support/replica.ts';

test('no text of a client or provider keeps usage from being stored, or is SQL', async (t) => {
  const postgres = await Postgres.start(t);
  const config = { aiUsage: { postgres: { url: postgres.url, passwordFile: postgres.passwordFile, tls: false } } };
  const [a] = await startTwo(t, [gatewayClass(), gateway('edge')], { config });
  const hostile = [
    `nul \0 in it`,
    `'; DROP SCHEMA gatewright CASCADE; --`,
    '\u{1f980}'.repeat(300),
    '$1',
    '{}',
    '"a","b"',
  ];
  for (const [index, text] of hostile.entries())
    await reportUntilKept(a, message(`${text} ${index}`, 10n, `a/p ${text}`));
  t.like(await a.json('/v1/ai/overview'), {
    totalRequests: hostile.length,
    inputTokens: 10 * hostile.length,
    complete: true,
  });
});
