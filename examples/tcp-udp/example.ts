import type { Example } from '../../scripts/example/example.ts';

export const example: Example = {
  streams: { 'db-blue': 'tcp', 'db-green': 'tcp' },
  requests: [
    {
      stream: 'tcp',
      port: 15432,
      repeat: 200,
      expect: { shares: { 'db-blue': [0.65, 0.95], 'db-green': [0.05, 0.35] } },
    },
    { stream: 'udp', port: 15353, expect: { backend: 'dns' } },
    // A port without a route takes connections and closes them.
    { stream: 'tcp', port: 15353, expect: {} },
  ],
};
