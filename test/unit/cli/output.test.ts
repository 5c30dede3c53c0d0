import test from 'ava';
import { render } from '../../../src/cli/kit/output.ts';

test('what is there twice is written twice, also where it is one object', (t) => {
  const match = { path: '/' };
  const people = () => 'for people';
  t.is(render([match, match], 'yaml', people), '- path: /\n- path: /');
  t.is(render([match, match], 'table', people), 'for people');
});
