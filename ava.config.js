export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  require: ['./test/support/exit-when-done.ts'],
  // A thread always cleans up when it ends, which may take for ever: see src/app/process/force-exit.ts.
  workerThreads: false,
  // A real Envoy, API server or first build of a cache may take its time on a busy machine.
  timeout: '2m',
};
