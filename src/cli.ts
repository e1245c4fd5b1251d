#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCommandLine } from './service/command-line/run-command-line.js';

// Without this flag the young generation grows to 48 MB under a large upload. That gains nothing, because the
// short-lived objects there are buffers outside of the heap. The flag must be set before the heap grows.
setFlagsFromString('--semi-space-growth-factor=1');

// A failed write rejects where it was requested. Without a listener, its event would end the process.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
process.exitCode = await runCommandLine(process.argv.slice(2));
// An open stream, such as the stdin pipe of a running parent, would otherwise keep the process alive.
process.exit();
