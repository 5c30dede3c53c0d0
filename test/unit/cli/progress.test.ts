import test from 'ava';
import { progressOn } from '../../../src/cli/kit/progress.ts';

function progress(isErrorTerminal: boolean, width: number) {
  const written: string[] = [];
  return { written, ...progressOn({ isErrorTerminal, width, writeError: (text) => void written.push(text) }) };
}

test('a terminal has one line, drawn again and taken away at the end', (t) => {
  const { written, say, end } = progress(true, 12);
  say('short');
  say('much longer than the line');
  end();
  t.deepEqual(written, ['\r\u001b[Kshort', '\r\u001b[Kmuch longe…', '\r\u001b[K']);
});

test('a pipe has a line for each change, and nothing that only terminals know', (t) => {
  const { written, say, end } = progress(false, 12);
  say('one');
  say('much longer than the line');
  end();
  t.deepEqual(written, ['one\n', 'much longer than the line\n']);
});
