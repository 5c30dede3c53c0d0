import { once } from 'node:events';
import { type Pick, startPicker } from '../../scripts/example/picker-server.ts';

/** The program of `PickerProcess`: picks what the header `x-want` says; while it is mute, requests wait for it. */

const [port] = process.argv.slice(2);
let speaks = Promise.withResolvers<void>();
speaks.resolve();
let waiting = 0;

const picker = await startPicker({
  port: Number(port),
  async pick({ headers }, ended): Promise<Pick> {
    waiting += 1;
    await Promise.race([speaks.promise, once(ended, 'abort')]);
    waiting -= 1;
    return { endpoint: headers['x-want'] ?? '' };
  },
});

const report = () => process.send?.({ waiting, lost: picker.lost });

process.on('message', (asked: 'report' | 'mute' | 'speak') => {
  if (asked === 'mute') speaks = Promise.withResolvers();
  if (asked === 'speak') speaks.resolve();
  report();
});
process.once('disconnect', () => process.exit(0));
report();
