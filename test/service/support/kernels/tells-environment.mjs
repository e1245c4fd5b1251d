// Returns its environment and its job in place of a report.
process.stdin.once('data', (chunk) => {
  const result = { report: { environment: process.env, job: JSON.parse(chunk.toString()) } };
  process.stdout.write(`${JSON.stringify({ type: 'done', result })}\n`, () => process.exit(0));
});
