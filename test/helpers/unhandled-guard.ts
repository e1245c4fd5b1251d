// Fails the test run on an unhandled rejection, which mocha 12 ignores. Loaded by the configuration of each suite. The
// exception thrown here reaches mocha as an uncaught exception.
process.on('unhandledRejection', (reason) => {
  if (reason instanceof Error) throw reason;
  throw new Error(`Unhandled rejection: ${String(reason)}`);
});
