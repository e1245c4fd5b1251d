import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = path.dirname(fileURLToPath(import.meta.url));

/**
 * Compiles a program of this folder to `folder` unless it exists and is newer than its source. Returns its path. Needs
 * g++ and Debian's libcgal-dev; takes a minute.
 */
export function buildProgram(name: string, folder: string): string {
  const source = path.join(SOURCES, `${name}.cpp`);
  const program = path.join(folder, name);
  if (existsSync(program) && statSync(program).mtimeMs > statSync(source).mtimeMs) return program;
  mkdirSync(folder, { recursive: true });
  execFileSync('g++', ['-O2', '-std=c++17', '-o', program, source, '-lgmp', '-lmpfr'], { stdio: 'inherit' });
  return program;
}
