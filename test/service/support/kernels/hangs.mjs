// Reads its job and never ends.
process.stdin.resume();
process.stdin.on('end', () => process.exit(1));
setInterval(() => {}, 1000);
