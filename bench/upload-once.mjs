// Uploads one file with the built client in this process, and prints the time and its peak memory.
import { readFileSync } from 'node:fs';
import { createClient } from '../dist/src/client/index.js';

const [file, credentials] = process.argv.slice(2);
const client = createClient({ account: JSON.parse(readFileSync(credentials, 'utf8')) });
const start = performance.now();
await client.upload({ path: file });
const seconds = (performance.now() - start) / 1000;
await client.close();
const peakKib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
console.log(JSON.stringify({ seconds, peakMb: (peakKib * 1024) / 1e6 }));
