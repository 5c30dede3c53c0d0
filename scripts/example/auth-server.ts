import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';

/** Who is behind a token. */
const users: Readonly<Record<string, string>> = { 'open-sesame': 'ali' };

/**
 * A server for external authorization. With 200 it allows the request; `x-user` names the user and `x-checked-path` the path that was
 * checked. It answers 401 to anything but a known token, which may also be in the cookie `session`.
 */
export async function startAuthServer(address: string, port: number): Promise<Server> {
  const server = createServer(({ headers, url = '' }, response) => {
    const token = tokenIn(headers);
    const user = token !== undefined && Object.hasOwn(users, token) ? users[token] : undefined;
    if (user === undefined) response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    else response.writeHead(200, { 'x-user': user, 'x-checked-path': url }).end();
  });
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve);
  });
  return server;
}

const tokenIn = ({ authorization = '', cookie = '' }: IncomingHttpHeaders): string | undefined =>
  (/^Bearer (.+)$/.exec(authorization) ?? /(?:^|;\s*)session=([^;]*)/.exec(cookie))?.[1];
