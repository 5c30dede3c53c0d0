import test from 'ava';
import { type Intent, intentOf } from '../../../../src/addons/chatbot/builtin/intents.ts';

const asks = test.macro<[prompt: string, intent: Intent]>({
  exec: (t, prompt, intent) => t.deepEqual(intentOf({ prompt, history: [] }), intent),
  title: (_, prompt) => `“${prompt}” is understood`,
});

const request = (given: Partial<Extract<Intent, { kind: 'request' }>['request']>): Intent => ({
  kind: 'request',
  request: { host: 'shop.example.com', path: '/', method: 'GET', scheme: 'http', ...given },
});

test(asks, 'Why is http://shop.example.com/cart answered 404?', request({ path: '/cart' }));
test(
  asks,
  'why does https://shop.example.com:8443/a?b=c give a 404',
  request({ scheme: 'https', port: 8443, path: '/a?b=c' }),
);
test(asks, 'Why do I get a 404 for shop.example.com/cart/items?', request({ path: '/cart/items' }));
test(asks, 'why is /cart on shop.example.com not found', request({ path: '/cart' }));
test(asks, 'Where does a POST to shop.example.com/orders go?', request({ path: '/orders', method: 'POST' }));
test(asks, 'shop.example.com', request({}));
test(asks, 'what happens to localhost:8080/x', request({ host: 'localhost', port: 8080, path: '/x' }));
test(asks, 'Why 404?', { kind: 'which-request' });
test(asks, 'I get 503 all the time', { kind: 'which-request' });
test(asks, 'What is not accepted?', { kind: 'problems' });
test(asks, 'Which routes are not accepted?', { kind: 'problems', area: 'route' });
test(asks, 'Is anything wrong?', { kind: 'problems' });
test(asks, 'Are there broken listeners?', { kind: 'problems', area: 'listener' });
test(asks, 'Who has drifted?', { kind: 'drift' });
test(asks, 'Are all proxies in sync?', { kind: 'drift' });
test(asks, 'any NACKs?', { kind: 'drift' });
test(asks, 'Which certificates expire soon?', { kind: 'certificates' });
test(asks, 'what expires?', { kind: 'certificates' });
test(asks, 'does the cert of shop.example.com expire?', { kind: 'certificates' });
test(asks, 'How much traffic is there?', { kind: 'traffic' });
test(asks, 'What happened recently?', { kind: 'events' });
test(asks, 'list all routes', { kind: 'routes' });
test(asks, 'What is wrong with HTTPRoute prod/shop?', {
  kind: 'object',
  object: { kind: 'HTTPRoute', namespace: 'prod', name: 'shop' },
});
test(asks, 'diagnose gateway edge', {
  kind: 'object',
  object: { kind: 'Gateway', namespace: 'default', name: 'edge' },
});
test(asks, 'why is route shop not accepted', {
  kind: 'object',
  object: { kind: 'HTTPRoute', namespace: 'default', name: 'shop' },
});
test(asks, 'hello', { kind: 'summary' });
test(asks, 'give me an overview', { kind: 'summary' });

test('a question that names nothing is about the object that is looked at', (t) => {
  const context = { kind: 'GRPCRoute', name: 'orders' };
  t.deepEqual(intentOf({ prompt: 'what is wrong here?', history: [], context }), {
    kind: 'object',
    object: { kind: 'GRPCRoute', namespace: 'default', name: 'orders' },
  });
});
