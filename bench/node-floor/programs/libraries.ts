/** A program that has loaded the libraries of a control plane's servers, and made a server of each. */
import { create } from '@bufbuild/protobuf';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import { Server } from '@grpc/grpc-js';
import Router from '@koa/router';
import Koa from 'koa';
import { ready } from './ready.ts';

const app = new Koa();
const router = new Router();
router.get('/', (ctx) => {
  ctx.body = 'ok';
});
app.use(router.routes());
app.listen(0, '127.0.0.1', () => ready());
new Server();
create(AnySchema);
