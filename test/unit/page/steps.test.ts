import test from 'ava';
import { stepsOf } from '../../../page/src/pages/traffic/steps.ts';

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

test('the step that is not over stands apart, and a step without requests is a gap', (t) => {
  const window = { from: at(1_010), to: at(1_047.5), stepSeconds: 10 };
  const series = [
    [1_010, 10, 1],
    [1_030, 20, 0],
    [1_040, 2, 2],
  ] as const;
  t.deepEqual(stepsOf(series, window), {
    whole: [
      [1_010, 10, 1],
      [1_020, null, null],
      [1_030, 20, 0],
    ],
    unfinished: [1_040, 2, 2],
  });
});

test('where the window ends with a step, all steps are over', (t) => {
  t.deepEqual(stepsOf([[60, 5, 0]], { from: at(0), to: at(120), stepSeconds: 60 }), {
    whole: [
      [0, null, null],
      [60, 5, 0],
    ],
    unfinished: undefined,
  });
});
