// Writes lines that are not messages, then an incomplete one, then succeeds.
process.stdout.write('hello\n{"type":"progress"}\n{"type":"done","re\n[]\nnull\n');
process.stdout.write(`${JSON.stringify({ type: 'done', result: {} })}\n`, () => process.exit(0));
