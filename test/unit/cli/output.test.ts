import test from 'ava';
import { listText } from '../../../src/cli/kit/list.ts';
import { render } from '../../../src/cli/kit/output.ts';

test('what is there twice is written twice, also where it is one object', (t) => {
  const match = { path: '/' };
  const people = () => 'for people';
  t.is(render([match, match], 'yaml', people), '- path: /\n- path: /');
  t.is(render([match, match], 'table', people), 'for people');
});

test('a list is cut at the edge of a terminal, and whole where it is wide or no terminal', (t) => {
  const shape = {
    columns: [
      { heading: 'name', cell: () => 'shop' },
      { heading: 'message', cell: () => 'the port is in use' },
    ],
    nameOf: () => 'route/shop',
    empty: 'nothing found',
  };
  const text = (output: 'table' | 'wide' | 'name', width?: number) =>
    listText([1], shape, { output, headers: true }, { width });
  t.is(text('table', 20), 'NAME   MESSAGE\nshop   the port is …');
  t.is(text('table'), 'NAME   MESSAGE\nshop   the port is in use');
  t.is(text('wide', 20), text('table'));
  t.is(text('name', 5), 'route/shop');
});
