import type { Wire } from './wire.ts';

type Limit = Wire['routeTest']['limits'][number];

/** `logins 5 per 60 s by clientIP, of route, shop/web` */
export function limitText({
  bucket,
  level,
  policy,
  phase,
  match,
  key,
  limits,
  cost,
  responseCost,
  counting,
  service,
  shadow,
}: Limit): string {
  const windows = limits.map(({ requests, perMs, burst }) => {
    const text = `${requests} per ${perMs / 1_000} s`;
    return burst === requests ? text : `${text} (burst ${burst})`;
  });
  const names = key.map(({ kind, name }) => (name === undefined ? kind : `${kind} ${name}`));
  return [
    [bucket, windows.join(' and '), names.length > 0 ? `by ${names.join(', ')}` : ''].filter(Boolean).join(' '),
    `of ${level}`,
    `${policy.namespace}/${policy.name}`,
    ...(phase === 'beforeAuth' ? ['before access policies'] : []),
    ...(match === null ? [] : [`for ${JSON.stringify(match)}`]),
    ...(cost === null ? [] : [`each takes ${costText(cost)}`]),
    ...(responseCost === null ? [] : [`a response what header ${responseCost.name} says, up to ${responseCost.most}`]),
    ...(counting === 'shared' ? ['shared by all proxies'] : []),
    ...(service ? [`counted by ${service.backend ?? 'a service that is not there'} in domain ${service.domain}`] : []),
    ...(shadow ? ['rejects nothing'] : []),
  ].join(', ');
}

const costText = ({ requests, name, otherwise, most }: NonNullable<Limit['cost']>): string =>
  name === undefined ? `${requests}` : `what header ${name} says, up to ${most}, or ${otherwise}`;
