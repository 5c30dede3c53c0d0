import fc from 'fast-check';
import { inferencePool } from '../../../support/objects.ts';
import { generation, maybe, names, namespaces } from './parts/names.ts';
import { shares } from './shares.ts';

const pickers = fc.record({
  name: names,
  port: fc.constantFrom({ number: 80 }, { number: 81 }),
  failureMode: fc.constantFrom('FailOpen', 'FailClose'),
});

const arbitrary = fc
  .record({
    name: names,
    namespace: namespaces,
    generation,
    app: fc.constantFrom('a', 'b'),
    ports: fc.constantFrom([8000], [8000, 8001], [8001]),
    appProtocol: maybe(fc.constantFrom('http', 'kubernetes.io/h2c')),
    endpointPickerRef: maybe(pickers),
    mode: maybe(fc.constantFrom('Auto', 'Buffered', 'None')),
  })
  .map(({ name, app, ports, appProtocol, endpointPickerRef, mode, ...meta }) => {
    const targetPorts = ports.map((number) => ({ number }));
    const spec = { selector: { matchLabels: { app } }, targetPorts, appProtocol, endpointPickerRef };
    const annotations = mode && { 'gatewright.dev/endpoint-picker-mode': mode };
    return inferencePool(name, spec, { ...meta, ...(annotations && { annotations }) });
  });

export const objects = shares({ experimental: { arbitrary, weight: 4 }, models: { arbitrary, weight: 3 } });
