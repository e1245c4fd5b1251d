// Makes every run of mocha fail on a rejected promise that nobody handles, in whichever test: mocha 12 itself lets it pass. Loaded by the
// configuration of each suite. What is thrown here comes to mocha as an exception that nobody caught.
process.on('unhandledRejection', (reason) => {
  if (reason instanceof Error) throw reason;
  throw new Error(`A promise was rejected and nobody handled it: ${String(reason)}`);
});
