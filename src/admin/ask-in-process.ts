import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { AdminAnswer, AdminQuestion, AskAdmin } from './addon.ts';
import type { IsReadingOnly } from './auth/bearer-auth.ts';
import { errorBody, HttpError } from './http/index.ts';

/**
 * Asks the endpoints of a router without any connection: the same handlers answer, in the same words. Only what reads is asked: the
 * caller needs no token, and no question can change anything.
 */
export function askInProcess(router: Router, isReadingOnly: IsReadingOnly): AskAdmin {
  const app = new Koa();
  const routes = router.routes() as Middleware;
  return async (question, signal) => {
    signal.throwIfAborted();
    const { pathname } = new URL(question.path, 'http://in-process');
    if (!isReadingOnly({ method: question.method, path: pathname }))
      return failed(new HttpError('not_found', `${pathname} cannot be asked here`));
    const { ctx, close } = contextOf(app, question, signal);
    try {
      await routes(ctx, () => {
        throw new HttpError('not_found', `there is no ${pathname} here`);
      });
      return await answerIn(ctx);
    } catch (error) {
      if (error instanceof HttpError) return failed(error);
      throw error;
    } finally {
      close();
    }
  };
}

/** A context as one that came over a connection; the connection goes nowhere. */
function contextOf(app: Koa, { method, path, body }: AdminQuestion, signal: AbortSignal) {
  const socket = new Socket();
  const req = new IncomingMessage(socket);
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  req.method = method;
  req.url = path;
  req.headers = {
    host: 'localhost',
    ...(text !== '' && {
      'content-type': typeof body === 'string' ? 'application/yaml' : 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    }),
  };
  req.push(text);
  req.push(null);
  const res = new ServerResponse(req);
  // Handlers that ask others give up when their caller has gone.
  const leave = () => res.emit('close');
  signal.addEventListener('abort', leave, { once: true });
  return {
    ctx: app.createContext(req, res) as Parameters<Middleware>[0],
    close() {
      signal.removeEventListener('abort', leave);
      socket.destroy();
    },
  };
}

async function answerIn({ status, body, response }: Parameters<Middleware>[0]): Promise<AdminAnswer> {
  const total = response.get('X-Total-Count');
  return {
    status,
    body: body instanceof Readable ? await json(body) : plain(body),
    ...(total !== '' && { total: Number(total) }),
  };
}

/** As it would come out at the other end. */
const plain = (body: unknown): unknown =>
  Buffer.isBuffer(body) ? JSON.parse(body.toString('utf8')) : JSON.parse(JSON.stringify(body ?? null));

const failed = (error: HttpError): AdminAnswer => ({ status: error.status, body: errorBody(error) });
